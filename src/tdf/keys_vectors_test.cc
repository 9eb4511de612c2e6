// Known answers: the constructed values, and the golden files of other implementations with their keys.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "encoding/hex.h"
#include "tdf/assertion.h"
#include "tdf/base64_bytes.h"
#include "tdf/jws.h"
#include "tdf/key_split.h"
#include "tdf/key_wrap.h"
#include "tdf/root_signature.h"
#include "tdf/tdf_test_support.h"

namespace millrace::tdf {
namespace {

using Json = nlohmann::json;

const Json& kats() {
  static const Json json = Json::parse(read_vector("constructed-kats.json"));
  return json;
}
std::string text(const Json& json, const char* name) { return json.at(name).get<std::string>(); }
Bytes from_hex(const std::string& hex) {
  Bytes bytes(hex.size() / 2);
  must(hex_decode(hex, bytes));
  return bytes;
}
Bytes dek() { return from_hex(text(kats(), "dek")); }

TEST(ConstructedAnswers, PolicyBinding) {
  const Json& kat = kats().at("policy_binding");
  const Bytes share = from_hex(text(kat, "share"));
  const std::string policy = text(kats(), "policy_base64");
  EXPECT_EQ(must(policy_binding(share, policy)), text(kat, "hash_as_written_today"));
  KeyAccessObject object;
  for (const char* form : {"hash_as_written_today", "hash_raw_form_also_accepted_by_kas"}) {
    object.binding_hash = text(kat, form);
    EXPECT_TRUE(check_policy_binding(object, share, policy)) << form;
  }
}

TEST(ConstructedAnswers, EcWrap) {
  for (const Json& kat : kats().at("ec_wrap")) {
    const PrivateKey key =
        must(PrivateKey::parse(as_bytes(read_vector(std::string("keys/") + text(kat, "kas_private_key_file")))));
    KeyAccessObject object;
    object.type = "ec-wrapped";
    object.wrapped_key = text(kat, "wrappedKey");
    object.ephemeral_public_key = text(kat, "ephemeralPublicKey");
    EXPECT_EQ(hex_encode(must(unwrap_share(key, object)).reveal()), text(kat, "dek"));
    // Ours is as long, PEM included.
    KeyAccessObject made;
    must(wrap_share(key.public_key(), dek(), made));
    EXPECT_EQ(made.wrapped_key.size(), object.wrapped_key.size());
    EXPECT_EQ(made.ephemeral_public_key.size(), object.ephemeral_public_key.size());
  }
}

// GivenShares answers with shares that a test knows.
class GivenShares final : public KeyAccess {
 public:
  explicit GivenShares(std::vector<Bytes> shares) : shares_(std::move(shares)) {}
  std::vector<Share> unwrap(std::string_view, std::span<const KeyAccessObject>) const override {
    std::vector<Share> answers;
    for (const Bytes& share : shares_) answers.push_back({SecretBytes::copy_of(share), {}, {}});
    return answers;
  }

 private:
  std::vector<Bytes> shares_;
};

TEST(ConstructedAnswers, XorSplit) {
  const Json& kat = kats().at("xor_split");
  Manifest manifest;
  manifest.policy = text(kats(), "policy_base64");
  std::vector<Bytes> shares;
  for (const Json& hex : kat.at("shares")) {
    shares.push_back(from_hex(hex.get<std::string>()));
    KeyAccessObject& object = manifest.key_access.emplace_back();
    object.sid = std::to_string(shares.size());
    object.binding_hash = must(policy_binding(shares.back(), manifest.policy));
  }
  const RecoveredKey recovered = must(recover_key(manifest, GivenShares(shares), nullptr));
  EXPECT_EQ(hex_encode(recovered.key.reveal()), text(kat, "dek"));
}

TEST(ConstructedAnswers, EncryptedMetadata) {
  const Json& kat = kats().at("encrypted_metadata");
  const Bytes share = from_hex(text(kat, "share"));
  EXPECT_EQ(must(open_metadata(share, text(kat, "encryptedMetadata"))), text(kat, "plaintext"));
}

TEST(ConstructedAnswers, AssertionsComeOutByteForByte) {
  const Json& kat = kats().at("assertion");
  const Json& plain = kat.at("assertion_without_binding");
  for (const SpecVersion version : {SpecVersion::k430, SpecVersion::k422}) {
    const bool raw = version == SpecVersion::k430;
    Manifest manifest;
    manifest.version = version;
    for (const Json& segment : kats().at("payload_two_segments_hello_world").at("segments")) {
      Segment& s = manifest.segments.emplace_back();
      const std::string hash = text(segment, raw ? "gmac_hash_430" : "gmac_hash_422");
      ASSERT_TRUE(decode_hash(hash, version, ByteSpan(s.hash).first(16)));
    }
    const Bytes aggregate = aggregate_hashes(manifest);

    Assertion assertion;
    assertion.id = text(plain, "id");
    assertion.type = text(plain, "type");
    assertion.scope = text(plain, "scope");
    assertion.applies_to_state = text(plain, "appliesToState");
    const Json& statement = plain.at("statement");
    assertion.statement = {text(statement, "format"), text(statement, "schema"), text(statement, "value"), false};
    must(sign_assertion(assertion, nullptr, dek(), aggregate, version));
    EXPECT_EQ(assertion.canonical, text(kat, "jcs"));
    EXPECT_EQ(assertion.binding_signature, text(kat, raw ? "jws_430" : "jws_422"));
    manifest.assertions = {assertion};
    EXPECT_TRUE(verify_assertions(manifest, nullptr, dek(), aggregate));
  }
}

// What `openssl dgst -sha256 -sign` makes with the sample RSA key of {"alg":"RS256"} and the claims of jws_430.
constexpr std::string_view kRs256Signature =
    "poWct4RR0Q3SKsUC4dWt7hZm7d7ZsO62zZUbGJ8MAf1siuzFsSiTK6IUHTdsjnTVpVMMZ2T3hxbsSkm3E2rv1jlA4bgioQzYSd_O"
    "NbY6gFF7eLWQPf0uX_8pF6Wox3hLmLOnrNv-0IYJslNQipH57TyzVwTVJ9eG-N6Vozh98wWvXlXUmpyEd0pC5SKK1HaeyEtDR5Qv"
    "Qe4k6KTEYLWYJUEQPHsxBcYtlRGC5Ddayr7UxWac5ye5__-5wg1qOtX53Ln9tICJo8QIXOhG72Xcsn_sZn3APmIqK8l8gIROWzPk"
    "QoiUzM6ExhUqKKw7SQ7QXuFFTvi5EYa7sgJXbrZyLA";

TEST(ConstructedAnswers, Rs256ComesOutByteForByte) {
  const std::string hs256 = text(kats().at("assertion"), "jws_430");
  const std::size_t first = hs256.find('.') + 1;
  const std::string claims = hs256.substr(first, hs256.rfind('.') - first);
  const std::string token = std::string("eyJhbGciOiJSUzI1NiJ9.") + claims + "." + std::string(kRs256Signature);
  const std::string json(as_text(must(decode_base64(claims, {Base64Alphabet::kUrlSafe, Base64Padding::kForbidden}))));
  const AssertionKey key =
      must(AssertionKey::rs256_private(as_bytes(read_vector("keys/sample-rsa-2048-01-private.der"))));
  EXPECT_EQ(must(sign_jws(key, json)), token);
  EXPECT_EQ(must(open_jws(key, token)), json);
}

TEST(GoldenFiles, GiveTheirKeysMetadataAndAssertions) {
  const Json expected = Json::parse(read_vector("expected.json"));
  std::size_t files = 0, with_metadata = 0, with_assertions = 0;
  for (const Json& row : expected.at("vectors")) {
    if (!row.contains("dek")) continue;
    const std::string file = text(row, "file");
    SCOPED_TRACE(file);
    const Manifest manifest = must(parse_manifest(as_bytes(testing::manifest_text_of(read_vector(file)))));
    LocalKeyAccess keys;
    must(keys.add(as_bytes(read_vector("keys/golden-r1-private.der")), "golden-r1"));
    must(keys.add(as_bytes(read_vector("keys/legacy-mock-kas-rsa-private.der"))));
    std::vector<AccessFailure> failures;
    const RecoveredKey recovered = must(recover_key(manifest, keys, &failures));
    EXPECT_EQ(hex_encode(recovered.key.reveal()), text(row, "dek"));
    if (row.contains("encrypted_metadata")) {
      EXPECT_EQ(recovered.metadata, text(row, "encrypted_metadata"));
      ++with_metadata;
    } else {
      EXPECT_EQ(recovered.metadata, std::nullopt);
    }
    // The first of three alternatives is damaged; the third is not tried.
    EXPECT_EQ(failures.size(), file == "tests-golden/no-splitids-java.tdf" ? 1u : 0u);

    const Bytes aggregate = aggregate_hashes(manifest);
    EXPECT_TRUE(check_root_signature(manifest, recovered.key.reveal(), aggregate));
    EXPECT_TRUE(verify_assertions(manifest, nullptr, recovered.key.reveal(), aggregate));
    EXPECT_EQ(manifest.assertions.empty(), !row.contains("assertions"));
    for (std::size_t i = 0; i < manifest.assertions.size(); ++i, ++with_assertions) {
      Manifest altered = manifest;
      altered.assertions[i].statement.value += " ";
      altered.assertions[i].canonical += " ";
      EXPECT_FALSE(verify_assertions(altered, nullptr, recovered.key.reveal(), aggregate));
    }

    for (std::size_t i = 0; i < 32; ++i) {
      Manifest altered = manifest;
      altered.policy[i] ^= 1;
      EXPECT_EQ(recover_key(altered, keys, nullptr).error().where, "tamper detected: policy binding");
    }
    // The other key.
    LocalKeyAccess wrong;
    const bool is_golden = text(row, "key").find("golden-r1") != std::string::npos;
    must(wrong.add(
        as_bytes(read_vector(is_golden ? "keys/legacy-mock-kas-rsa-private.der" : "keys/golden-r1-private.der"))));
    EXPECT_EQ(recover_key(manifest, wrong, nullptr).error().where, kWrongOrAlteredKey);
    ++files;
  }
  EXPECT_EQ(files, 11u);
  EXPECT_EQ(with_metadata, 3u);
  EXPECT_EQ(with_assertions, 4u);
}

// Files whose keys nobody has are read as far as they go.
TEST(GoldenFiles, SayWhyTheyDoNotOpen) {
  for (const char* file : {"platform/sample.tdf", "platform/tdf-valid.tdf", "platform/tdf-multikas.tdf",
                           "web-sdk/README.md.tdf", "client-cpp/sample_with_metadata.txt.tdf"}) {
    SCOPED_TRACE(file);
    const Manifest manifest = must(parse_manifest(as_bytes(testing::manifest_text_of(read_vector(file)))));
    LocalKeyAccess keys;
    must(keys.add(as_bytes(read_vector("keys/golden-r1-private.der"))));
    must(keys.add(as_bytes(read_vector("keys/sample-ec-secp256r1-01-private.der"))));
    std::vector<AccessFailure> failures;
    const auto recovered = recover_key(manifest, keys, &failures);
    ASSERT_FALSE(recovered);
    EXPECT_EQ(recovered.error().code, ErrorCode::kNotAuthentic);
    EXPECT_EQ(failures.size(), manifest.key_access.size());
  }
}

}  // namespace
}  // namespace millrace::tdf
