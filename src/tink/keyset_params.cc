// Parameters of streaming keys: what is allowed, and the predefined sets.
#include <algorithm>
#include <limits>

#include "millrace/tink_keyset.h"

namespace millrace::tink {

namespace {

constexpr std::uint32_t kNoncePrefixSize = 7;
constexpr std::uint32_t kGcmTag = 16;
constexpr std::uint32_t kMinHmacTag = 10;
constexpr std::uint32_t kMaxSegment = std::numeric_limits<std::int32_t>::max();

std::uint32_t digest_size(HashType hash) {
  switch (hash) {
    case HashType::kSha1:
      return 20;
    case HashType::kSha256:
      return 32;
    case HashType::kSha512:
      return 64;
  }
  return 0;  // not a hash: a number cast by the caller
}

constexpr StreamingParams gcm(std::uint32_t derived_key_size, std::uint32_t segment_size) {
  return {Construction::kAesGcmHkdf, derived_key_size, segment_size, HashType::kSha256, HashType::kSha256, 0};
}
constexpr StreamingParams ctr(std::uint32_t derived_key_size, std::uint32_t segment_size) {
  return {Construction::kAesCtrHmac, derived_key_size, segment_size, HashType::kSha256, HashType::kSha256, 32};
}

constexpr std::uint32_t k4Kb = 4096;
constexpr std::uint32_t k1Mb = std::uint32_t{1} << 20;
constexpr Template kTemplates[] = {
    {"AES128_GCM_HKDF_4KB", gcm(16, k4Kb)},        {"AES128_GCM_HKDF_1MB", gcm(16, k1Mb)},
    {"AES256_GCM_HKDF_4KB", gcm(32, k4Kb)},        {"AES256_GCM_HKDF_1MB", gcm(32, k1Mb)},
    {"AES128_CTR_HMAC_SHA256_4KB", ctr(16, k4Kb)}, {"AES128_CTR_HMAC_SHA256_1MB", ctr(16, k1Mb)},
    {"AES256_CTR_HMAC_SHA256_4KB", ctr(32, k4Kb)}, {"AES256_CTR_HMAC_SHA256_1MB", ctr(32, k1Mb)},
};

Error refuse(std::string_view where) { return Error{ErrorCode::kInvalidArgument, where}; }

}  // namespace

std::string_view to_text(HashType hash) {
  switch (hash) {
    case HashType::kSha1:
      return "SHA1";
    case HashType::kSha256:
      return "SHA256";
    case HashType::kSha512:
      return "SHA512";
  }
  return "UNKNOWN_HASH";
}

bool operator==(const StreamingParams& a, const StreamingParams& b) {
  return a.construction == b.construction && a.derived_key_size == b.derived_key_size &&
         a.ciphertext_segment_size == b.ciphertext_segment_size && a.hkdf_hash == b.hkdf_hash &&
         (a.construction == Construction::kAesGcmHkdf ||
          (a.hmac_hash == b.hmac_hash && a.hmac_tag_size == b.hmac_tag_size));
}

Status validate(const StreamingParams& params, std::size_t ikm_size) {
  if (params.derived_key_size != 16 && params.derived_key_size != 32) return refuse("streaming key: derivedKeySize");
  if (ikm_size < params.derived_key_size) return refuse("streaming key: keyValue: shorter than derivedKeySize");
  if (digest_size(params.hkdf_hash) == 0) return refuse("streaming key: hkdfHashType");
  std::uint32_t tag_size = kGcmTag;
  if (params.construction == Construction::kAesCtrHmac) {
    tag_size = params.hmac_tag_size;
    if (digest_size(params.hmac_hash) == 0) return refuse("streaming key: hmacParams.hash");
    if (tag_size < kMinHmacTag || tag_size > digest_size(params.hmac_hash))
      return refuse("streaming key: hmacParams.tagSize");
  }
  // Segment 0 also holds the header (its size, the salt, the nonce prefix) and must have room for one plaintext byte.
  const std::uint32_t header_size = 1 + params.derived_key_size + kNoncePrefixSize;
  if (params.ciphertext_segment_size <= header_size + tag_size || params.ciphertext_segment_size > kMaxSegment)
    return refuse("streaming key: ciphertextSegmentSize");
  return Ok{};
}

std::span<const Template> templates() { return kTemplates; }

const Template* find_template(std::string_view name) {
  const auto found =
      std::find_if(std::begin(kTemplates), std::end(kTemplates), [&](const Template& t) { return t.name == name; });
  return found == std::end(kTemplates) ? nullptr : found;
}

}  // namespace millrace::tink
