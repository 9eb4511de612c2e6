// Golden files of the SDKs, and values computed outside of this project: what they mean, compared with nlohmann's
// document of the same text.
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "crypto/hash.h"
#include "encoding/hex.h"
#include "millrace/base64.h"
#include "millrace/tdf_manifest.h"
#include "tdf/assertion_json.h"
#include "tdf/root_signature.h"
#include "testing/tdf_vectors.h"

namespace millrace::tdf {
namespace {

using nlohmann::json;
using testing::manifest_text_of;
using testing::read_vector;

json expected_files() { return json::parse(read_vector("expected.json")).at("vectors"); }

std::string manifest_of(const std::string& file) {
  return file.ends_with(".json") ? read_vector(file) : manifest_text_of(read_vector(file));
}

std::vector<std::byte> unhex(const std::string& text) {
  std::vector<std::byte> bytes(text.size() / 2);
  EXPECT_TRUE(hex_decode(text, bytes));
  return bytes;
}

// text_of is a member as this library shows it: absent and null are empty.
std::string text_of(const json& object, const char* name) {
  const auto member = object.find(name);
  return member == object.end() || member->is_null() ? "" : member->get<std::string>();
}

// digits_of is what a hash's text says, in hexadecimal.
std::string digits_of(const std::string& text, bool legacy) {
  std::vector<std::byte> bytes(base64_decoded_capacity(text.size()));
  const Result<std::size_t> size = base64_decode(text, bytes);
  EXPECT_TRUE(size) << text;
  bytes.resize(size ? *size : 0);
  return legacy ? std::string(as_text(bytes)) : hex_encode(bytes);
}

void expect_key_access(const std::vector<KeyAccessObject>& objects, const json& document) {
  ASSERT_EQ(objects.size(), document.size());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const KeyAccessObject& object = objects[i];
    const json& member = document[i];
    EXPECT_EQ(object.type, text_of(member, "type"));
    EXPECT_EQ(object.url, text_of(member, "url"));
    EXPECT_EQ(object.protocol, text_of(member, "protocol"));
    EXPECT_EQ(object.kid, text_of(member, "kid"));
    EXPECT_EQ(object.sid, text_of(member, "sid"));
    EXPECT_EQ(object.wrapped_key, text_of(member, "wrappedKey"));
    EXPECT_EQ(object.encrypted_metadata, text_of(member, "encryptedMetadata"));
    EXPECT_EQ(object.ephemeral_public_key, text_of(member, "ephemeralPublicKey"));
    EXPECT_EQ(object.schema_version, text_of(member, "schemaVersion"));
    const json& binding = member.at("policyBinding");
    EXPECT_EQ(object.binding_hash, binding.is_string() ? binding.get<std::string>() : text_of(binding, "hash"));
    EXPECT_EQ(object.binding_algorithm, binding.is_string() ? "" : text_of(binding, "alg"));
  }
}

void expect_assertions(const std::vector<Assertion>& assertions, const json& document) {
  ASSERT_EQ(assertions.size(), document.size());
  for (std::size_t i = 0; i < assertions.size(); ++i) {
    const json& member = document[i];
    const json& statement = member.at("statement");
    EXPECT_EQ(assertions[i].id, text_of(member, "id"));
    EXPECT_EQ(assertions[i].type, text_of(member, "type"));
    EXPECT_EQ(assertions[i].scope, text_of(member, "scope"));
    EXPECT_EQ(assertions[i].applies_to_state, text_of(member, "appliesToState"));
    EXPECT_EQ(assertions[i].statement.format, text_of(statement, "format"));
    EXPECT_EQ(assertions[i].statement.schema, text_of(statement, "schema"));
    const json& value = statement.at("value");
    EXPECT_EQ(assertions[i].statement.value_was_object, value.is_object());
    // nlohmann sorts members too, and dumps without blanks.
    EXPECT_EQ(assertions[i].statement.value, value.is_object() ? value.dump() : value.get<std::string>());
    EXPECT_EQ(assertions[i].binding_method, text_of(member.at("binding"), "method"));
    EXPECT_EQ(assertions[i].binding_signature, text_of(member.at("binding"), "signature"));
  }
}

void expect_manifest(const Manifest& manifest, const json& document, bool legacy) {
  const json& encryption = document.at("encryptionInformation");
  const json& integrity = encryption.at("integrityInformation");
  EXPECT_EQ(manifest.version, legacy ? SpecVersion::k422 : SpecVersion::k430);
  EXPECT_EQ(manifest.schema_version, text_of(document, "schemaVersion"));
  EXPECT_EQ(manifest.payload_url, "0.payload");
  EXPECT_EQ(manifest.mime_type, text_of(document.at("payload"), "mimeType"));
  EXPECT_EQ(manifest.policy, text_of(encryption, "policy"));
  EXPECT_EQ(manifest.segment_hash, SegmentHash::kGmac);
  EXPECT_EQ(manifest.root_algorithm, "HS256");
  EXPECT_EQ(manifest.root_signature, text_of(integrity.at("rootSignature"), "sig"));
  EXPECT_EQ(manifest.default_plain_size, integrity.at("segmentSizeDefault"));
  EXPECT_EQ(manifest.default_cipher_size, integrity.at("encryptedSegmentSizeDefault"));
  expect_key_access(manifest.key_access, encryption.at("keyAccess"));
  expect_assertions(manifest.assertions, document.value("assertions", json::array()));
  const json& segments = integrity.at("segments");
  ASSERT_EQ(manifest.segments.size(), segments.size());
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = manifest.segments[i];
    EXPECT_EQ(segment.cipher_size, segments[i].at("encryptedSegmentSize"));
    EXPECT_EQ(segment.plain_size + 28, segment.cipher_size);
    EXPECT_TRUE(segment.hash_is_valid);
    EXPECT_EQ(hex_encode(ByteView(segment.hash).first(16)), digits_of(segments[i].at("hash"), legacy));
  }
}

TEST(ManifestVectors, EveryFileMeansWhatItsTextSays) {
  std::size_t parsed = 0;
  for (const json& file : expected_files()) {
    const std::string name = file.at("file");
    SCOPED_TRACE(name);
    const std::string text = manifest_of(name);
    if (name.find("html") != std::string::npos || name == "client-cpp/invalid_zip_tdf.tdf") {
      EXPECT_TRUE(text.empty());
      continue;
    }
    const Result<Manifest> manifest = parse_manifest(as_bytes(text));
    if (name == "web-sdk/secret.tdf") {
      ASSERT_FALSE(manifest);
      EXPECT_EQ(manifest.error().code, ErrorCode::kMalformed);
      EXPECT_EQ(manifest.error().where, "tdf manifest: older than version 3");
      continue;
    }
    ASSERT_TRUE(manifest) << describe(manifest.error());
    const json document = json::parse(text);
    expect_manifest(*manifest, document, !document.contains("schemaVersion"));
    if (file.contains("hashes")) {
      EXPECT_EQ(file.at("hashes") == "legacy-hex", manifest->version == SpecVersion::k422);
    }
    const Result<Policy> policy = policy_of(*manifest);
    ASSERT_TRUE(policy) << describe(policy.error());
    ++parsed;
  }
  EXPECT_EQ(parsed, 18u);
}

TEST(ManifestVectors, TheRootSignatureIsRightUnderTheKeyAndUnderNoOther) {
  std::size_t checked = 0;
  for (const json& file : expected_files()) {
    if (!file.contains("dek")) continue;
    SCOPED_TRACE(file.at("file").get<std::string>());
    const Result<Manifest> manifest = parse_manifest(as_bytes(manifest_of(file.at("file"))));
    ASSERT_TRUE(manifest);
    std::vector<std::byte> key = unhex(file.at("dek"));
    const std::vector<std::byte> aggregate = aggregate_hashes(*manifest);
    EXPECT_TRUE(check_root_signature(*manifest, key, aggregate));
    key[0] ^= std::byte{1};
    const Status wrong = check_root_signature(*manifest, key, aggregate);
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code, ErrorCode::kNotAuthentic);
    EXPECT_EQ(wrong.error().where, "tamper detected: root signature");
    ++checked;
  }
  EXPECT_EQ(checked, 11u);
}

// claim returns a member of the claims of a JWS.
std::string claim(const std::string& jws, const char* name) {
  const std::size_t begin = jws.find('.') + 1;
  const std::string text = jws.substr(begin, jws.rfind('.') - begin);
  std::string decoded(base64_decoded_capacity(text.size()), '\0');
  const Result<std::size_t> size = base64_decode(text, std::as_writable_bytes(std::span(decoded)),
                                                 {Base64Alphabet::kUrlSafe, Base64Padding::kForbidden});
  EXPECT_TRUE(size) << jws;
  return json::parse(decoded.substr(0, size ? *size : 0)).at(name);
}

std::string sha256(const std::string& text) {
  std::array<std::byte, 32> digest{};
  Result<Hash> hash = Hash::create(HashAlgorithm::kSha256);
  EXPECT_TRUE(hash);
  hash->update(as_bytes(text));
  EXPECT_TRUE(hash->finish(digest));
  return hex_encode(digest);
}

// T11: a statement that is an object is hashed as the text it was signed as.
TEST(ManifestVectors, T11TheCanonicalFormOfAnAssertionIsWhatTheSdkSigned) {
  std::size_t checked = 0;
  for (const char* file : {"tests-golden/with-json-object-assertions-java.tdf", "tests-golden/no-splitids-java.tdf",
                           "tests-golden/small-java-4.3.0-e0f8caf.tdf"}) {
    SCOPED_TRACE(file);
    const Result<Manifest> manifest = parse_manifest(as_bytes(manifest_of(file)));
    ASSERT_TRUE(manifest);
    for (const Assertion& assertion : manifest->assertions) {
      EXPECT_EQ(sha256(assertion.canonical), claim(assertion.binding_signature, "assertionHash"));
      ++checked;
    }
  }
  EXPECT_EQ(checked, 4u);
}

json constructed() { return json::parse(read_vector("constructed-kats.json")); }

TEST(ConstructedVectors, TheCanonicalFormOfAnAssertionMadeHereIsTheOneOutside) {
  const json vector = constructed().at("assertion");
  const json& fields = vector.at("assertion_without_binding");
  Assertion assertion;
  assertion.id = fields.at("id");
  assertion.type = fields.at("type");
  assertion.scope = fields.at("scope");
  assertion.applies_to_state = fields.at("appliesToState");
  assertion.statement.format = fields.at("statement").at("format");
  assertion.statement.schema = fields.at("statement").at("schema");
  assertion.statement.value = fields.at("statement").at("value");
  const Result<std::string> canonical = canonical_assertion(assertion);
  ASSERT_TRUE(canonical);
  EXPECT_EQ(*canonical, vector.at("jcs"));
  EXPECT_EQ(sha256(*canonical), vector.at("assertionHash"));
}

// T09: both encodings of every hash, and the root signature over each.
TEST(ConstructedVectors, T09HashesAndRootSignaturesInBothEncodings) {
  const json vectors = constructed();
  const std::vector<std::byte> key = unhex(vectors.at("dek"));
  for (const char* name : {"payload_two_segments_hello_world", "payload_one_empty_segment"}) {
    const json& vector = vectors.at(name);
    for (const SegmentHash hash : {SegmentHash::kGmac, SegmentHash::kHs256}) {
      for (const SpecVersion version : {SpecVersion::k422, SpecVersion::k430}) {
        const std::string kind = hash == SegmentHash::kGmac ? "gmac" : "hs256";
        const std::string ending = version == SpecVersion::k422 ? "_422" : "_430";
        SCOPED_TRACE(name + (" " + kind) + ending);
        Manifest manifest;
        manifest.version = version;
        manifest.segment_hash = hash;
        for (const json& part : vector.at("segments")) {
          const std::string text = part.at(kind + "_hash" + ending);
          Segment segment;
          const ByteSpan bytes = ByteSpan(segment.hash).first(hash_size(hash));
          ASSERT_TRUE(decode_hash(text, version, bytes));
          EXPECT_EQ(hex_encode(bytes), digits_of(text, version == SpecVersion::k422));
          EXPECT_EQ(encode_hash(bytes, version), text);
          manifest.segments.push_back(segment);
        }
        const std::vector<std::byte> aggregate = aggregate_hashes(manifest);
        const std::string right = vector.at("root_hs256_over_" + kind + ending);
        const Result<std::string> signature = root_signature(key, aggregate, version);
        ASSERT_TRUE(signature);
        EXPECT_EQ(*signature, right);
        manifest.root_algorithm = "hs256";  // names are compared without their case
        manifest.root_signature = right;
        EXPECT_TRUE(check_root_signature(manifest, key, aggregate));
      }
    }
  }
  const Result<std::string> of_nothing = root_signature(key, {}, SpecVersion::k430);
  ASSERT_TRUE(of_nothing);
  EXPECT_EQ(*of_nothing, vectors.at("payload_zero_segments").at("root_430"));
}

}  // namespace
}  // namespace millrace::tdf
