#include "tdf/root_signature.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/check.h"
#include "crypto/hmac.h"
#include "encoding/hex.h"
#include "millrace/base64.h"
#include "tdf/algorithm_name.h"

namespace millrace::tdf {

namespace {

constexpr std::size_t kMaxHash = 32;
constexpr std::size_t kMaxText = 2 * kMaxHash;  // hexadecimal

// stored is what the base64 of a hash is over, in `buffer`: the hash itself or its digits.
ByteView stored(ByteView hash, SpecVersion version, std::array<char, kMaxText>& buffer) {
  MR_CHECK(hash.size() <= kMaxHash);
  if (version == SpecVersion::k430) return hash;
  hex_encode(hash, buffer);
  return as_bytes({buffer.data(), 2 * hash.size()});
}

}  // namespace

std::string encode_hash(ByteView hash, SpecVersion version) {
  std::array<char, kMaxText> digits;
  return base64_encode(stored(hash, version, digits));
}

bool decode_hash(std::string_view text, SpecVersion version, ByteSpan hash) {
  MR_CHECK(hash.size() <= kMaxHash);
  std::ranges::fill(hash, std::byte{0});
  const std::size_t stored_size = version == SpecVersion::k430 ? hash.size() : 2 * hash.size();
  std::array<std::byte, kMaxText + 2> decoded;  // and what padding may shorten the text by
  if (text.size() != base64_encoded_size(stored_size)) return false;
  const Result<std::size_t> size = base64_decode(text, decoded);
  if (!size || *size != stored_size) return false;
  const ByteView bytes = ByteView(decoded).first(stored_size);
  if (version == SpecVersion::k430) {
    std::ranges::copy(bytes, hash.begin());
    return true;
  }
  // One text for one hash: the root signature is over the digits, and every writer's are lower-case.
  const std::string_view digits = as_text(bytes);
  return digits.find_first_of("ABCDEF") == std::string_view::npos && hex_decode(digits, hash).has_value();
}

std::vector<std::byte> aggregate_hashes(const Manifest& manifest) {
  const std::size_t size = hash_size(manifest.segment_hash);
  const std::size_t stored_size = manifest.version == SpecVersion::k430 ? size : 2 * size;
  std::vector<std::byte> aggregate(manifest.segments.size() * stored_size);
  auto out = aggregate.begin();
  std::array<char, kMaxText> digits;
  for (const Segment& segment : manifest.segments) {
    out = std::ranges::copy(stored(ByteView(segment.hash).first(size), manifest.version, digits), out).out;
  }
  return aggregate;
}

Result<std::string> root_signature(ByteView file_key, ByteView aggregate, SpecVersion version) {
  MR_TRY(const Hmac hmac, Hmac::create(HashAlgorithm::kSha256, file_key));
  std::array<std::byte, 32> signature;
  MR_TRY(hmac.compute(signature, aggregate));
  return encode_hash(signature, version);
}

Status check_root_signature(const Manifest& manifest, ByteView file_key, ByteView aggregate) {
  const Error tampered{ErrorCode::kNotAuthentic, "tamper detected: root signature"};
  // "GMAC" for the root would be the end of the aggregate itself: it takes no key to make one.
  if (!same_name(manifest.root_algorithm, "HS256")) return tampered;
  // The aggregate has no place for a text that was no hash.
  if (!std::ranges::all_of(manifest.segments, &Segment::hash_is_valid)) return tampered;
  std::array<std::byte, 32> stated;
  if (!decode_hash(manifest.root_signature, manifest.version, stated)) return tampered;
  MR_TRY(const Hmac hmac, Hmac::create(HashAlgorithm::kSha256, file_key));
  std::array<std::byte, 32> right;
  MR_TRY(hmac.compute(right, aggregate));
  if (!equal_constant_time(stated, right)) return tampered;
  return Ok{};
}

}  // namespace millrace::tdf
