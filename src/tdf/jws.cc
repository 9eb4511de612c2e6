#include "tdf/jws.h"

#include <array>
#include <vector>

#include "crypto/hmac.h"
#include "tdf/assertion_key.h"
#include "tdf/base64_bytes.h"
#include "tdf/json_members.h"

namespace millrace::tdf {

namespace {

constexpr Base64Options kUrlSafe{Base64Alphabet::kUrlSafe, Base64Padding::kForbidden};

Error refuse(std::string_view where) { return {ErrorCode::kNotAuthentic, where}; }

Result<std::array<std::byte, 32>> hs256(const AssertionKey::State& key, std::string_view input) {
  MR_TRY(const Hmac hmac, Hmac::create(HashAlgorithm::kSha256, key.secret.reveal()));
  std::array<std::byte, 32> mac;
  MR_TRY(hmac.compute(mac, as_bytes(input)));
  return mac;
}

Status check_header(const AssertionKey& key, std::string_view text) {
  const Result<std::vector<std::byte>> json = decode_base64(text, kUrlSafe);
  if (!json) return refuse("tamper detected: assertion: token header");
  const Result<Members> header = read_members(as_text(*json));
  if (!header || header->contains("crit")) return refuse("tamper detected: assertion: token header");
  const std::string* algorithm = text_of(*header, "alg");
  if (algorithm == nullptr || *algorithm != key.algorithm())
    return refuse("tamper detected: assertion: algorithm is not that of the key");
  return Ok{};
}

Status check_signature(const AssertionKey& key, std::string_view input, std::string_view text) {
  const Error wrong = refuse("tamper detected: assertion: signature, or it is of another key");
  const Result<std::vector<std::byte>> signature = decode_base64(text, kUrlSafe);
  if (!signature) return wrong;
  const AssertionKey::State& state = key.state();
  if (state.public_key) {
    if (!state.public_key->verify_rs256(as_bytes(input), *signature)) return wrong;
  } else {
    MR_TRY(const auto mac, hs256(state, input));
    if (!equal_constant_time(mac, *signature)) return wrong;
  }
  return Ok{};
}

}  // namespace

Result<std::string> sign_jws(const AssertionKey& key, std::string_view claims) {
  const AssertionKey::State& state = key.state();
  const std::string header = std::string(R"({"alg":")") + std::string(key.algorithm()) + R"("})";
  std::string token = base64_encode(as_bytes(header), kUrlSafe);
  token += '.';
  token += base64_encode(as_bytes(claims), kUrlSafe);
  std::string signature;
  if (state.private_key) {
    MR_TRY(const std::vector<std::byte> bytes, state.private_key->sign_rs256(as_bytes(token)));
    signature = base64_encode(bytes, kUrlSafe);
  } else if (state.public_key) {
    return Error{ErrorCode::kInvalidArgument, "assertion key: a public key does not sign"};
  } else {
    MR_TRY(const auto mac, hs256(state, token));
    signature = base64_encode(mac, kUrlSafe);
  }
  token += '.';
  token += signature;
  return token;
}

Result<std::string> open_jws(const AssertionKey& key, std::string_view token) {
  // HEADER.CLAIMS.SIGNATURE; a further dot is no digit of base64url.
  const std::size_t first = token.find('.');
  const std::size_t second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos) return refuse("tamper detected: assertion: token");
  MR_TRY(check_header(key, token.substr(0, first)));
  MR_TRY(check_signature(key, token.substr(0, second), token.substr(second + 1)));
  const Result<std::vector<std::byte>> claims = decode_base64(token.substr(first + 1, second - first - 1), kUrlSafe);
  if (!claims) return refuse("tamper detected: assertion: token");
  return std::string(as_text(*claims));
}

}  // namespace millrace::tdf
