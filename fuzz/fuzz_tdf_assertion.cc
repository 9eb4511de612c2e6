// Any bytes as the token of an assertion, as its header and as its claims. Nothing but what the key's owner signed may
// be believed, and claims that were signed come back as they went in.
#include <cstdlib>
#include <string>

#include "crypto/hmac.h"
#include "millrace/base64.h"
#include "tdf/assertion.h"
#include "tdf/jws.h"

using namespace millrace;

namespace {

constexpr std::string_view kSecret = "secret of the fuzz target";

std::string signed_token(std::string_view header, std::string_view claims) {
  constexpr Base64Options kUrlSafe{Base64Alphabet::kUrlSafe, Base64Padding::kForbidden};
  std::string token = base64_encode(as_bytes(header), kUrlSafe) + '.' + base64_encode(as_bytes(claims), kUrlSafe);
  std::byte mac[32];
  const Result<Hmac> hmac = Hmac::create(HashAlgorithm::kSha256, as_bytes(kSecret));
  if (!hmac || !hmac->compute(mac, as_bytes(token))) std::abort();
  return token + '.' + base64_encode(mac, kUrlSafe);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tdf::AssertionKey hmac = *tdf::AssertionKey::hs256(as_bytes(kSecret));
  static const tdf::AssertionKey rsa =
      *tdf::AssertionKey::rs256_public(as_bytes(tdf::generate_key_pair("rsa:2048")->public_key));
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (tdf::open_jws(hmac, input) || tdf::open_jws(rsa, input)) std::abort();
  if (tdf::open_jws(rsa, signed_token(input, "{}"))) std::abort();
  (void)tdf::open_jws(hmac, signed_token(input, "{}"));

  tdf::Manifest manifest;
  tdf::Assertion& assertion = manifest.assertions.emplace_back();
  assertion.binding_method = "jws";
  const Result<std::string> token = tdf::sign_jws(hmac, input);
  if (!token || *tdf::open_jws(hmac, *token) != input) std::abort();
  assertion.binding_signature = *token;
  (void)tdf::verify_assertions(manifest, nullptr, as_bytes(kSecret), {});
  return 0;
}
