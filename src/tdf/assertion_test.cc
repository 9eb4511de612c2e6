#include "tdf/assertion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "crypto/hmac.h"
#include "crypto/public_key.h"
#include "encoding/hex.h"
#include "millrace/base64.h"
#include "tdf/base64_bytes.h"
#include "tdf/jws.h"
#include "tdf/tdf_test_support.h"

namespace millrace::tdf {
namespace {

constexpr Base64Options kUrlSafe{Base64Alphabet::kUrlSafe, Base64Padding::kForbidden};

std::string url_safe(std::string_view text) { return base64_encode(as_bytes(text), kUrlSafe); }
const Bytes& file_key() {
  static const Bytes key = testing::noise_bytes(32);
  return key;
}
const Bytes& aggregate() {
  static const Bytes bytes = testing::noise_bytes(3 * 16, 2);
  return bytes;
}
std::string sample_key(std::string_view half) { return read_vector("keys/sample-rsa-2048-01-" + std::string(half)); }
AssertionKey rsa_private() { return must(AssertionKey::rs256_private(as_bytes(sample_key("private.der")))); }
AssertionKey rsa_public() { return must(AssertionKey::rs256_public(as_bytes(sample_key("public.pem")))); }
AssertionKey secret(std::string_view text) { return must(AssertionKey::hs256(as_bytes(text))); }

Assertion plain_assertion(std::string id) {
  Assertion assertion;
  assertion.id = std::move(id);
  assertion.type = "handling";
  assertion.scope = "tdo";
  assertion.statement = {"json+structured", "urn:example:1", R"({"level":"secret"})", false};
  return assertion;
}
Assertion signed_assertion(std::string id, const AssertionKey* key = nullptr, SpecVersion version = SpecVersion::k430) {
  Assertion assertion = plain_assertion(std::move(id));
  must(sign_assertion(assertion, key, file_key(), aggregate(), version));
  return assertion;
}
Manifest manifest_of(std::vector<Assertion> assertions, SpecVersion version = SpecVersion::k430) {
  Manifest manifest;
  manifest.version = version;
  manifest.assertions = std::move(assertions);
  return manifest;
}

Status verify(const Manifest& manifest, const AssertionKeys* keys = nullptr) {
  return verify_assertions(manifest, keys, file_key(), aggregate());
}
// tampering is the part of `where` behind "tamper detected: assertion", or "accepted".
std::string tampering(const Status& status, int detail = 1) {
  if (status) return "accepted";
  const std::string_view start = "tamper detected: assertion";
  EXPECT_EQ(status.error().code, ErrorCode::kNotAuthentic);
  EXPECT_TRUE(status.error().where.starts_with(start)) << status.error().where;
  EXPECT_EQ(status.error().detail, detail);
  return std::string(status.error().where.substr(std::min(status.error().where.size(), start.size())));
}
// token signs any header and claims, as a forger with this secret would.
std::string token(std::string_view header, std::string_view claims, ByteView key) {
  std::string text = url_safe(header) + "." + url_safe(claims);
  Bytes mac(32);
  must(must(Hmac::create(HashAlgorithm::kSha256, key)).compute(mac, as_bytes(text)));
  return text + "." + base64_encode(mac, kUrlSafe);
}
std::string claims_of(const Assertion& assertion) {
  const std::string& text = assertion.binding_signature;
  const std::size_t first = text.find('.') + 1;
  return std::string(as_text(must(decode_base64(text.substr(first, text.find('.', first) - first), kUrlSafe))));
}

TEST(Assertion, IsBoundWithTheKeyOfTheFile) {
  for (const SpecVersion version : {SpecVersion::k430, SpecVersion::k422}) {
    const Assertion assertion = signed_assertion("a", nullptr, version);
    EXPECT_EQ(assertion.binding_method, "jws");
    EXPECT_TRUE(assertion.binding_signature.starts_with(url_safe(R"({"alg":"HS256"})") + "."));
    EXPECT_TRUE(verify(manifest_of({assertion}, version)));
    const SpecVersion other = version == SpecVersion::k430 ? SpecVersion::k422 : SpecVersion::k430;
    EXPECT_NE(tampering(verify(manifest_of({assertion}, other))), "accepted");
    EXPECT_FALSE(
        verify_assertions(manifest_of({assertion}, version), nullptr, testing::noise_bytes(32, 9), aggregate()));
  }
}

TEST(Assertion, SignaturesHaveOneSizeForOneKey) {
  const AssertionKey rsa = rsa_private();
  for (const AssertionKey* key : {static_cast<const AssertionKey*>(nullptr), &rsa}) {
    const std::size_t size = signed_assertion("a", key).binding_signature.size();
    for (int i = 0; i < 20; ++i) {
      Assertion assertion = plain_assertion(std::string(static_cast<std::size_t>(i) + 1, 'x'));
      must(sign_assertion(assertion, key, testing::noise_bytes(32, 100u + static_cast<unsigned>(i)),
                          testing::noise_bytes(48, 200u + static_cast<unsigned>(i)), SpecVersion::k430));
      EXPECT_EQ(assertion.binding_signature.size(), size);
    }
  }
}

TEST(Assertion, TheKeyIsChosenById) {
  const AssertionKey rsa = rsa_private();
  const AssertionKey hmac = secret("a secret of thirty-two characters");
  const Manifest manifest = manifest_of(
      {signed_assertion("by-rsa", &rsa), signed_assertion("by-secret", &hmac), signed_assertion("by-file")});
  AssertionKeys keys;
  EXPECT_NE(tampering(verify(manifest)), "accepted");
  EXPECT_NE(tampering(verify(manifest, &keys)), "accepted");
  keys.by_id.emplace("by-rsa", rsa_public());
  EXPECT_NE(tampering(verify(manifest, &keys), 2), "accepted");
  keys.by_id.emplace("by-secret", secret("a secret of thirty-two characters"));
  EXPECT_TRUE(verify(manifest, &keys));
  keys.fallback = rsa_public();
  EXPECT_EQ(tampering(verify(manifest, &keys), 3), ": algorithm is not that of the key");

  AssertionKeys only_fallback;
  only_fallback.fallback = rsa_private();  // a private key verifies, too
  EXPECT_TRUE(verify(manifest_of({signed_assertion("any", &rsa)}), &only_fallback));
}

TEST(Assertion, AnyChangeOfItsContentIsFound) {
  const Assertion good = signed_assertion("a");
  for (std::size_t i = 0; i < good.canonical.size(); ++i) {
    Assertion changed = good;
    changed.canonical[i] ^= 1;
    EXPECT_EQ(tampering(verify(manifest_of({changed}))), ": it is not the one that was signed");
  }
}

TEST(Assertion, AnyChangeOfItsTokenIsFound) {
  const AssertionKey rsa = rsa_private();
  AssertionKeys keys;
  keys.by_id.emplace("rsa", rsa_public());
  for (const Assertion& good : {signed_assertion("a"), signed_assertion("rsa", &rsa)}) {
    const std::string& text = good.binding_signature;
    Assertion changed = good;
    for (std::size_t i = 0; i < text.size(); ++i) {
      // Another digit of base64url, and something that is none: '=' and '+' belong to the other spelling.
      for (const char c : {text[i] == 'A' ? 'B' : 'A', '.', '=', '+', '\n'}) {
        if (text[i] == c) continue;
        changed.binding_signature = text;
        changed.binding_signature[i] = c;
        EXPECT_NE(tampering(verify(manifest_of({changed}), &keys)), "accepted") << i << c;
      }
    }
    for (std::size_t n = 0; n < text.size(); ++n) {
      changed.binding_signature = text.substr(0, n);
      EXPECT_NE(tampering(verify(manifest_of({changed}), &keys)), "accepted") << n;
    }
    for (const std::string& more :
         {text + "A", text + ".", text + "." + text, std::string(".") + text, text + "=", std::string(" ") + text}) {
      changed.binding_signature = more;
      EXPECT_NE(tampering(verify(manifest_of({changed}), &keys)), "accepted") << more;
    }
  }
}

TEST(Assertion, ABindingIsNeeded) {
  Assertion assertion = signed_assertion("a");
  assertion.binding_signature.clear();
  EXPECT_EQ(tampering(verify(manifest_of({assertion}))), ": no binding");
  assertion = signed_assertion("a");
  for (const char* method : {"", "none", "jw", "jwss", "jwt"}) {
    assertion.binding_method = method;
    EXPECT_EQ(tampering(verify(manifest_of({assertion}))), ": binding method");
  }
  for (const char* method : {"jws", "JWS", "Jws"}) {
    assertion.binding_method = method;
    EXPECT_TRUE(verify(manifest_of({assertion}))) << method;
  }
}

TEST(Assertion, BindingsOfOthersDoNotFit) {
  const Assertion a = signed_assertion("a");
  Assertion b = plain_assertion("b");
  b.statement.value = "other";
  must(sign_assertion(b, nullptr, file_key(), aggregate(), SpecVersion::k430));
  EXPECT_TRUE(verify(manifest_of({a, b})));
  EXPECT_TRUE(verify(manifest_of({b, a})));  // their order says nothing
  Assertion swapped = a;
  swapped.binding_signature = b.binding_signature;
  EXPECT_EQ(tampering(verify(manifest_of({a, swapped})), 2), ": it is not the one that was signed");
  // Of another file under the same key.
  EXPECT_EQ(tampering(verify_assertions(manifest_of({a}), nullptr, file_key(), testing::noise_bytes(48, 3))),
            ": it was signed for another payload");
}

TEST(Assertion, AnIdStandsOnce) {
  const Assertion a = signed_assertion("a");
  EXPECT_EQ(tampering(verify(manifest_of({a, a})), 2), ": id twice");
}

TEST(Assertion, TrapT11NoIdIsReadWithoutFuss) {
  Assertion assertion = plain_assertion("");
  assertion.canonical = R"({"scope":"tdo","statement":{"value":"x"},"type":"handling"})";
  Bytes digest(32);
  Hash sha256 = must(Hash::create(HashAlgorithm::kSha256));
  sha256.update(as_bytes(assertion.canonical));
  must(sha256.finish(digest));
  Bytes bound = aggregate();
  testing::append(bound, digest);
  const std::string claims =
      R"({"assertionHash":")" + hex_encode(digest) + R"(","assertionSig":")" + base64_encode(bound) + R"("})";
  assertion.binding_method = "jws";
  assertion.binding_signature = token(R"({"alg":"HS256"})", claims, file_key());
  EXPECT_TRUE(verify(manifest_of({assertion, assertion})));
}

TEST(Assertion, TheHeaderDecidesNothing) {
  const Assertion good = signed_assertion("a");
  const std::string claims = claims_of(good);
  const auto with_header = [&](std::string_view header) {
    Assertion assertion = good;
    assertion.binding_signature = token(header, claims, file_key());
    return tampering(verify(manifest_of({assertion})));
  };
  for (const char* header : {R"({"alg":"HS256"})", R"({"typ":"JWT","alg":"HS256","kid":"x"})",
                             R"({"alg":"HS256","jwk":{"kty":"oct","k":"AAAA"},"x5c":["AAAA"],"jku":"https://evil"})"})
    EXPECT_EQ(with_header(header), "accepted") << header;
  for (const char* header :
       {R"({"alg":"none"})", R"({"alg":"None"})", R"({"alg":"hs256"})", R"({"alg":"RS256"})", R"({"alg":"HS512"})",
        R"({"alg":""})", R"({"alg":null})", R"({"alg":["HS256"]})", R"({})", R"({"Alg":"HS256"})"})
    EXPECT_EQ(with_header(header), ": algorithm is not that of the key") << header;
  for (const char* header :
       {"", "[]", "null", R"("HS256")", R"({"alg":"HS256"}x)", R"({"alg":"HS256","alg":"HS256"})",
        R"({"alg":"none","alg":"HS256"})", R"({"alg":"HS256","\u0061lg":"none"})", R"({"alg":"HS256","crit":["b64"]})",
        R"({"alg":"HS256","crit":[]})", R"({"alg":"HS256","crit":null})", R"({"alg":"HS256","jwk":{"k":1,"k":1}})"})
    EXPECT_EQ(with_header(header), ": token header") << header;
  const std::string deep = R"({"alg":"HS256","x":)" + std::string(20, '[') + std::string(20, ']') + "}";
  EXPECT_EQ(with_header(deep), ": token header");
}

TEST(Assertion, UnsignedTokensAreRefused) {
  const Assertion good = signed_assertion("a");
  for (const char* header : {R"({"alg":"none"})", R"({"alg":"HS256"})"}) {
    Assertion assertion = good;
    assertion.binding_signature = url_safe(header) + "." + url_safe(claims_of(good)) + ".";
    EXPECT_NE(tampering(verify(manifest_of({assertion}))), "accepted") << header;
  }
}

// The forger signs with HMAC under the public key, which everybody has.
TEST(Assertion, APublicKeyIsNoHmacSecret) {
  AssertionKeys keys;
  keys.by_id.emplace("a", rsa_public());
  const Assertion good = signed_assertion("a");
  const std::string pem = sample_key("public.pem");
  for (const std::string& text : {pem, pem.substr(0, pem.find_last_not_of('\n') + 1)}) {
    for (const char* header : {R"({"alg":"HS256"})", R"({"alg":"RS256"})"}) {
      Assertion assertion = good;
      assertion.binding_signature = token(header, claims_of(good), as_bytes(text));
      EXPECT_NE(tampering(verify(manifest_of({assertion}), &keys)), "accepted") << header;
    }
  }
}

// The forger signs with a key of their own and sends it along.
TEST(Assertion, AnEmbeddedKeyIsNotUsed) {
  AssertionKeys keys;
  keys.by_id.emplace("a", rsa_public());
  const PrivateKey forger = must(PrivateKey::parse(as_bytes(read_vector("keys/golden-r1-private.der"))));
  Assertion assertion = signed_assertion("a");
  // The modulus lies at the end of the forger's SPKI: 256 bytes before the exponent (02 03 01 00 01).
  const std::string pem = forger.public_key().pem();
  std::string body;
  for (std::size_t at = pem.find('\n') + 1; pem[at] != '-'; ++at)
    if (pem[at] != '\n') body += pem[at];
  const Bytes der = must(decode_base64(body));
  const std::string n = base64_encode(testing::slice(der, der.size() - 5 - 256, 256), kUrlSafe);
  const std::string header = R"({"alg":"RS256","jwk":{"kty":"RSA","e":"AQAB","n":")" + n + R"("}})";
  std::string text = url_safe(header) + "." + url_safe(claims_of(assertion));
  text += "." + base64_encode(must(forger.sign_rs256(as_bytes(text))), kUrlSafe);
  assertion.binding_signature = text;
  EXPECT_EQ(tampering(verify(manifest_of({assertion}), &keys)), ": signature, or it is of another key");
  AssertionKeys of_forger;
  of_forger.by_id.emplace("a", must(AssertionKey::rs256_public(as_bytes(pem))));
  EXPECT_TRUE(verify(manifest_of({assertion}), &of_forger));  // so the token itself is good
}

std::string braced(const std::string& members) { return std::string("{") + members + "}"; }

TEST(Assertion, ClaimsAreReadStrictly) {
  const Assertion good = signed_assertion("a");
  const std::string claims = claims_of(good);
  const auto with_claims = [&](const std::string& text) {
    Assertion assertion = good;
    assertion.binding_signature = token(R"({"alg":"HS256"})", text, file_key());
    return tampering(verify(manifest_of({assertion})));
  };
  EXPECT_EQ(with_claims(claims), "accepted");
  EXPECT_EQ(with_claims(claims.substr(0, claims.size() - 1) + R"(,"iat":1})"), "accepted");
  const std::string hash = claims.substr(1, claims.find(',') - 1);
  const std::string signature = claims.substr(claims.find(',') + 1, claims.size() - claims.find(',') - 2);
  EXPECT_EQ(with_claims(braced(signature + "," + hash)), "accepted");
  for (const std::string& text : {std::string(), std::string("{}"), braced(hash), braced(signature), claims + claims,
                                  braced(hash + "," + hash + "," + signature), std::string("[") + claims + "]",
                                  braced(std::string(R"("assertionHash":1,)") + signature)})
    EXPECT_EQ(with_claims(text), ": claims") << text;
  std::string upper = hash;
  std::transform(upper.begin() + 17, upper.end(), upper.begin() + 17,
                 [](char c) { return c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c; });
  EXPECT_NE(with_claims(braced(upper + "," + signature)), "accepted");
}

// RFC 7515, appendix A.1: HS256 with a key of 64 bytes, and a header and claims with line breaks.
TEST(Jws, Rfc7515AppendixA1) {
  const std::string key = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow";
  const std::string text =
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
      ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
      ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  const AssertionKey hmac = must(AssertionKey::hs256(must(decode_base64(key, kUrlSafe))));
  EXPECT_EQ(must(open_jws(hmac, text)),
            "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}");
}

TEST(Jws, PublicKeysDoNotSign) {
  EXPECT_EQ(sign_jws(rsa_public(), "{}").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(must(open_jws(rsa_public(), must(sign_jws(rsa_private(), "{}")))), "{}");
}

TEST(AssertionKey, TakesSecretsAndRsaKeys) {
  EXPECT_EQ(secret("x").algorithm(), "HS256");
  EXPECT_EQ(rsa_private().algorithm(), "RS256");
  EXPECT_EQ(rsa_public().algorithm(), "RS256");
  EXPECT_FALSE(AssertionKey::hs256({}));
  EXPECT_FALSE(AssertionKey::rs256_private(as_bytes(sample_key("public.pem"))));
  EXPECT_FALSE(AssertionKey::rs256_public(as_bytes(sample_key("private.der"))));
  EXPECT_EQ(AssertionKey::rs256_public(as_bytes(read_vector("keys/sample-ec-secp256r1-01-public.pem"))).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(AssertionKey::rs256_private(as_bytes(read_vector("keys/sample-ec-secp256r1-01-private.der"))).error().code,
            ErrorCode::kInvalidArgument);
}

TEST(NewAssertions, AreCheckedBeforeTheyAreSigned) {
  const auto refused = [](const std::function<void(Assertion&)>& alter) {
    Assertion assertion = plain_assertion("a");
    alter(assertion);
    const Status status = sign_assertion(assertion, nullptr, file_key(), aggregate(), SpecVersion::k430);
    return !status && status.error().code == ErrorCode::kInvalidArgument;
  };
  EXPECT_FALSE(refused([](Assertion&) {}));
  EXPECT_TRUE(refused([](Assertion& a) { a.id.clear(); }));
  EXPECT_TRUE(refused([](Assertion& a) { a.id = std::string("\xff"); }));
  EXPECT_TRUE(refused([](Assertion& a) { a.type = std::string("base"); }));
  EXPECT_TRUE(refused([](Assertion& a) { a.scope.clear(); }));
  EXPECT_TRUE(refused([](Assertion& a) { a.applies_to_state = std::string("both"); }));
  EXPECT_TRUE(refused([](Assertion& a) { a.statement.value = std::string("\xc3"); }));
  std::vector<NewAssertion> twice(2);
  for (NewAssertion& made : twice) made.assertion = plain_assertion("a");
  EXPECT_EQ(check_new_assertions(twice).error().where, "assertion: id twice");
  EXPECT_EQ(check_new_assertions(twice).error().detail, 2);
  twice[1].assertion.id = "b";
  EXPECT_TRUE(check_new_assertions(twice));
}

std::string json_escaped(const std::string& pem) {
  std::string out;
  for (const char c : pem) out += c == '\n' ? std::string("\\n") : std::string(1, c);
  return out;
}

TEST(AssertionFiles, NewAssertions) {
  const PrivateKey key = must(PrivateKey::parse(as_bytes(sample_key("private.der"))));
  const std::string pem(as_text(must(key.pem()).reveal()));
  const std::string json = R"([
    {"id":"1","type":"handling","scope":"tdo","appliesToState":"encrypted","binding":null,
     "statement":{"format":"json+structured","schema":"urn:1","value":"{\"a\":1}"},
     "signingKey":{"alg":"HS256","key":"AAAA"}},
    {"id":"2","type":"other","scope":"payload","appliesToState":null,
     "statement":{"value":{"b":{"y":1.0,"x":[true]},"a":"\u00e9"}},
     "signingKey":{"alg":"RS256","key":")" +
                           json_escaped(pem) + R"("}},
    {"id":"3","type":"other","scope":"payload","statement":{"format":"text","value":"x"}}])";
  std::vector<NewAssertion> made = must(parse_new_assertions(as_bytes(json)));
  ASSERT_EQ(made.size(), 3u);
  EXPECT_EQ(made[0].assertion.id, "1");
  EXPECT_EQ(made[0].assertion.type, "handling");
  EXPECT_EQ(made[0].assertion.scope, "tdo");
  EXPECT_EQ(made[0].assertion.applies_to_state, "encrypted");
  EXPECT_EQ(made[0].assertion.statement.format, "json+structured");
  EXPECT_EQ(made[0].assertion.statement.schema, "urn:1");
  EXPECT_EQ(made[0].assertion.statement.value, R"({"a":1})");
  EXPECT_EQ(made[1].assertion.applies_to_state, "");
  EXPECT_EQ(made[1].assertion.statement.value, "{\"a\":\"\xc3\xa9\",\"b\":{\"x\":[true],\"y\":1}}");
  EXPECT_FALSE(made[1].assertion.statement.value_was_object);
  ASSERT_TRUE(made[0].key && made[1].key);
  EXPECT_FALSE(made[2].key);

  // "AAAA" is four ASCII characters, not the three bytes of its base64.
  must(sign_assertion(made[0].assertion, &*made[0].key, file_key(), aggregate(), SpecVersion::k430));
  must(sign_assertion(made[1].assertion, &*made[1].key, file_key(), aggregate(), SpecVersion::k430));
  const std::string keys_json = R"({"keys":{"1":{"alg":"HS256","key":"AAAA"},"2":{"alg":"RS256","key":")" +
                                json_escaped(sample_key("public.pem")) + R"("}}})";
  const AssertionKeys keys = must(parse_assertion_keys(as_bytes(keys_json)));
  EXPECT_EQ(keys.by_id.size(), 2u);
  EXPECT_TRUE(verify(manifest_of({made[0].assertion, made[1].assertion}), &keys));
  AssertionKeys ascii;
  ascii.fallback = secret("AAAA");
  EXPECT_TRUE(verify(manifest_of({made[0].assertion}), &ascii));
}

TEST(AssertionFiles, RefuseWhatWouldSilentlyBeLost) {
  const auto error_of = [](std::string_view members) {
    const auto made = parse_new_assertions(as_bytes(std::string("[") + std::string(members) + "]"));
    return made ? Error{ErrorCode::kIo, "accepted"} : made.error();
  };
  const std::string good = R"({"id":"1","type":"other","scope":"tdo","statement":{"value":"x"}})";
  EXPECT_EQ(error_of(good).where, "accepted");
  EXPECT_EQ(error_of("").where, "accepted");
  EXPECT_EQ(error_of(good + "," + good).where, "assertion: id twice");
  const auto with = [&](const std::string& member) {
    return error_of(good.substr(0, good.size() - 1) + "," + member + "}");
  };
  EXPECT_EQ(with(R"("x":1)").where, "assertions: unknown member");
  EXPECT_EQ(with(R"("id":"2")").code, ErrorCode::kMalformed);
  EXPECT_EQ(with(R"("binding":{"method":"jws","signature":"x"})").where, "assertions: binding: already signed");
  EXPECT_EQ(with(R"("signingKey":{"alg":"none","key":"x"})").where, "assertion key: alg");
  EXPECT_EQ(with(R"("signingKey":{"alg":"HS256"})").where, "assertion key: empty");
  EXPECT_EQ(with(R"("signingKey":{"alg":"HS256","key":""})").where, "assertion key: empty");
  EXPECT_EQ(with(R"("signingKey":{"alg":"RS256","key":"x"})").code, ErrorCode::kMalformed);
  EXPECT_EQ(with(R"("signingKey":{"alg":"HS256","key":"x","use":"sig"})").code, ErrorCode::kMalformed);
  EXPECT_EQ(error_of(R"({"id":"1","type":"other","scope":"tdo","statement":{"Value":"x"}})").where,
            "assertions: statement: unknown member");
  EXPECT_EQ(error_of(R"({"type":"other","scope":"tdo","statement":{"value":"x"}})").where, "assertion: id");
  EXPECT_EQ(error_of("1").code, ErrorCode::kMalformed);
  EXPECT_FALSE(parse_new_assertions(as_bytes("{}")));
  EXPECT_FALSE(parse_new_assertions(as_bytes("[]]")));
}

TEST(AssertionFiles, VerificationKeys) {
  const auto error_of = [](std::string_view json) {
    const auto keys = parse_assertion_keys(as_bytes(json));
    return keys ? Error{ErrorCode::kIo, "accepted"} : keys.error();
  };
  EXPECT_EQ(error_of(R"({"keys":{}})").where, "accepted");
  EXPECT_EQ(error_of(R"({"Keys":{"a":{"alg":"HS256","key":"x"}}})").where, "accepted");
  EXPECT_EQ(error_of(R"({"Keys":{},"keys":{}})").where, "assertion keys: keys twice");
  EXPECT_EQ(error_of(R"({"keys":{},"keys":{}})").code, ErrorCode::kMalformed);
  EXPECT_EQ(error_of(R"({"keys":{"a":{"alg":"HS256","key":"x"},"a":{"alg":"HS256","key":"y"}}})").code,
            ErrorCode::kMalformed);
  EXPECT_EQ(error_of("{}").where, "assertion keys: keys");
  EXPECT_EQ(error_of(R"({"keyz":{}})").where, "assertion keys: unknown member");
  EXPECT_EQ(error_of(R"({"keys":{"a":{"alg":"ES256","key":"x"}}})").where, "assertion key: alg");
  EXPECT_EQ(error_of(R"({"keys":{"a":{"alg":"RS256","key":"x"}}})").code, ErrorCode::kMalformed);
  EXPECT_FALSE(parse_assertion_keys(as_bytes("")));
}

TEST(SystemMetadataAssertion, SaysWhoMadeTheFile) {
  NewAssertion made = system_metadata_assertion("2026-01-02T03:04:05Z");
  EXPECT_EQ(made.assertion.id, "system-metadata");
  EXPECT_EQ(made.assertion.type, "other");
  EXPECT_EQ(made.assertion.scope, "payload");
  EXPECT_EQ(made.assertion.applies_to_state, "unencrypted");
  EXPECT_EQ(made.assertion.statement.format, "json");
  EXPECT_EQ(made.assertion.statement.schema, "system-metadata-v1");
  EXPECT_FALSE(made.key);
  EXPECT_TRUE(made.assertion.statement.value.starts_with(
      R"({"tdf_spec_version":"4.3.0","creation_date":"2026-01-02T03:04:05Z","operating_system":")"))
      << made.assertion.statement.value;
  EXPECT_NE(made.assertion.statement.value.find(R"("sdk_version":"Millrace-)"), std::string::npos);
  EXPECT_TRUE(sign_assertion(made.assertion, nullptr, file_key(), aggregate(), SpecVersion::k430));
}

}  // namespace
}  // namespace millrace::tdf
