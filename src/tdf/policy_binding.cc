// What ties a share to the policy: without it, who can write the file could put another policy over the same key.
#include <array>

#include "crypto/hmac.h"
#include "encoding/hex.h"
#include "tdf/base64_bytes.h"
#include "tdf/key_split.h"

namespace millrace::tdf {

namespace {

constexpr std::size_t kMacSize = 32;
using Mac = std::array<std::byte, kMacSize>;

Result<Mac> policy_mac(ByteView share, std::string_view policy) {
  MR_TRY(const Hmac hmac, Hmac::create(HashAlgorithm::kSha256, share));
  Mac mac;
  MR_TRY(hmac.compute(mac, as_bytes(policy)));
  return mac;
}

// read_mac takes both forms; nothing for a text that is no MAC, or made by a rule that is not known.
std::optional<Mac> read_mac(const KeyAccessObject& object) {
  if (!object.binding_algorithm.empty() && object.binding_algorithm != "HS256") return std::nullopt;
  const Result<std::vector<std::byte>> hash = decode_base64(object.binding_hash);
  if (!hash) return std::nullopt;
  Mac mac;
  if (hash->size() == kMacSize) {
    std::copy(hash->begin(), hash->end(), mac.begin());
  } else if (hash->size() != 2 * kMacSize || !hex_decode(as_text(*hash), mac)) {
    return std::nullopt;
  }
  return mac;
}

}  // namespace

Result<std::string> policy_binding(ByteView share, std::string_view policy) {
  MR_TRY(const Mac mac, policy_mac(share, policy));
  return base64_encode(as_bytes(hex_encode(mac)));
}

Status check_policy_binding(const KeyAccessObject& object, ByteView share, std::string_view policy) {
  MR_TRY(const Mac expected, policy_mac(share, policy));
  const std::optional<Mac> found = read_mac(object);
  if (!found || !equal_constant_time(*found, expected))
    return Error{ErrorCode::kNotAuthentic, "tamper detected: policy binding"};
  return Ok{};
}

}  // namespace millrace::tdf
