// Reading manifests: what is strict, what is lenient, and what strangers may try.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <tuple>

#include "tdf/manifest_examples.h"

namespace millrace::tdf {
namespace {

std::string json_of(const Manifest& manifest) {
  Result<std::string> json = to_json(manifest);
  if (!json) ADD_FAILURE() << describe(json.error());
  return json ? *std::move(json) : std::string();
}
std::string example(SpecVersion version = SpecVersion::k430, SegmentHash hash = SegmentHash::kGmac) {
  return json_of(example_manifest(hash, version));
}
std::string legacy() { return example(SpecVersion::k422); }

Result<Manifest> parse(const std::string& text, const ManifestLimits& limits = {}) {
  return parse_manifest(as_bytes(text), limits);
}
Manifest must_parse(const std::string& text) {
  Result<Manifest> manifest = parse(text);
  if (!manifest) ADD_FAILURE() << describe(manifest.error()) << "\n" << text;
  return manifest ? *std::move(manifest) : Manifest{};
}
void expect_refused(const std::string& text, std::string_view where, ErrorCode code = ErrorCode::kMalformed,
                    int detail = 0) {
  const Result<Manifest> manifest = parse(text);
  ASSERT_FALSE(manifest) << text;
  EXPECT_EQ(manifest.error().code, code) << text;
  EXPECT_EQ(manifest.error().where, where) << text;
  EXPECT_EQ(manifest.error().detail, detail) << text;
}

constexpr std::string_view kLast = R"("segmentSize":5,"encryptedSegmentSize":33)";

// T05, G2, G3. An encrypted size decides how much is read; every number of the table is checked before one is used.
TEST(ManifestReader, T05SizesThatAreNone) {
  const auto of_last = [](std::string_view plain, std::string_view cipher) {
    return with(example(), kLast,
                R"("segmentSize":)" + std::string(plain) + R"(,"encryptedSegmentSize":)" + std::string(cipher));
  };
  constexpr std::string_view kPlain = "tdf manifest: segments.segmentSize";
  constexpr std::string_view kCipher = "tdf manifest: segments.encryptedSegmentSize";
  constexpr std::string_view kWrongPlain = "tdf manifest: integrity check: segments.segmentSize";
  constexpr std::string_view kWrongCipher = "tdf manifest: integrity check: segments.encryptedSegmentSize";
  for (const char* bad : {"-1", "-28", "1.5", "33.0", "3e1", "\"33\"", "true", "[]", "{}", "9007199254740992",
                          "9223372036854775808", "18446744073709551616", "1e300"}) {
    expect_refused(of_last(bad, "33"), kPlain, ErrorCode::kMalformed, 2);
    expect_refused(of_last("5", bad), kCipher, ErrorCode::kMalformed, 2);
    expect_refused(with(example(), R"("segmentSizeDefault":1000)", R"("segmentSizeDefault":)" + std::string(bad)),
                   "tdf manifest: segmentSizeDefault");
    expect_refused(with(example(), R"("encryptedSegmentSizeDefault":1028)",
                        R"("encryptedSegmentSizeDefault":)" + std::string(bad)),
                   "tdf manifest: encryptedSegmentSizeDefault");
  }
  expect_refused(of_last("1e400", "33"), "tdf manifest: JSON");  // no number, wherever it stands
  for (const char* small : {"0", "1", "27"})
    expect_refused(of_last("0", small), kWrongCipher, ErrorCode::kMalformed, 2);
  EXPECT_EQ(must_parse(of_last("0", "28")).segments[1].plain_size, 0u);
  expect_refused(of_last("4", "33"), kWrongPlain, ErrorCode::kMalformed, 2);
  expect_refused(of_last("33", "33"), kWrongPlain, ErrorCode::kMalformed, 2);
  EXPECT_EQ(must_parse(of_last("16777188", "16777216")).segments[1].cipher_size, 16777216u);
  expect_refused(of_last("16777189", "16777217"), kCipher, ErrorCode::kLimitExceeded, 2);
  expect_refused(of_last("9007199254740963", "9007199254740991"), kCipher, ErrorCode::kLimitExceeded, 2);
  for (const char* small : {"0", "1", "27", "28"}) {
    expect_refused(with(legacy(), R"("encryptedSegmentSizeDefault":1028)",
                        R"("encryptedSegmentSizeDefault":)" + std::string(small)),
                   "tdf manifest: encryptedSegmentSizeDefault");
  }
  expect_refused(with(legacy(), R"("segmentSizeDefault":1000)", R"("segmentSizeDefault":0)"),
                 "tdf manifest: segmentSizeDefault");
  expect_refused(with(example(), R"("segmentSizeDefault":1000)", R"("segmentSizeDefault":999)"),
                 "tdf manifest: encryptedSegmentSizeDefault");
}

TEST(ManifestReader, T05TheSumOfTheSizesStaysBelowWhatAFileCanBe) {
  const std::string huge =
      with(example(), kLast, R"("segmentSize":9007199254740963,"encryptedSegmentSize":9007199254740991)");
  ManifestLimits limits;
  limits.max_segment_size = ~std::uint64_t{0};
  EXPECT_TRUE(parse(huge, limits));
  std::string entries;
  for (int i = 0; i < 1030; ++i) {
    entries += R"({"hash":"","segmentSize":9007199254740963,"encryptedSegmentSize":9007199254740991},)";
  }
  const Result<Manifest> sum = parse(with(huge, R"("segments":[)", R"("segments":[)" + entries), limits);
  ASSERT_FALSE(sum);
  EXPECT_EQ(sum.error().where, "tdf manifest: integrity check: segments.encryptedSegmentSize");
}

TEST(ManifestReader, T06SegmentsWithoutSizesHaveTheDefaults) {
  constexpr std::string_view kFirst = R"("segmentSize":1000,"encryptedSegmentSize":1028)";
  for (const SpecVersion version : {SpecVersion::k422, SpecVersion::k430}) {
    for (const std::string_view sizes :
         {R"("x":0)", R"("segmentSize":null,"encryptedSegmentSize":null)", R"("segmentSize":1000)",
          R"("encryptedSegmentSize":1028)", R"("segmentSize":null,"encryptedSegmentSize":1028)"}) {
      const Manifest manifest = must_parse(with(example(version), kFirst, sizes));
      ASSERT_EQ(manifest.segments.size(), 2u);
      EXPECT_EQ(manifest.segments[0].plain_size, 1000u);
      EXPECT_EQ(manifest.segments[0].cipher_size, 1028u);
    }
  }
  // The defaults may stand behind the table, as in the files of the JS SDK.
  std::string text = with(example(), kFirst, R"("x":0)");
  const std::string defaults = R"("segmentSizeDefault":1000,"encryptedSegmentSizeDefault":1028,)";
  text = with(with(text, defaults, ""), "]}}", "]," + defaults.substr(0, defaults.size() - 1) + "}}");
  EXPECT_EQ(must_parse(text).segments[0].cipher_size, 1028u);
  expect_refused(with(text, R"("encryptedSegmentSizeDefault":1028)", R"("x":1)"),
                 "tdf manifest: encryptedSegmentSizeDefault");
  // One size of its own and one by default do not fit together.
  for (const char* one : {R"("segmentSize":5)", R"("encryptedSegmentSize":33)"}) {
    expect_refused(with(example(), kLast, one), "tdf manifest: integrity check: segments.segmentSize",
                   ErrorCode::kMalformed, 2);
  }
}

TEST(ManifestReader, T07UnequalSegmentsAreKeptAsTheyAre) {
  const Manifest manifest = must_parse(with(example(), R"("segments":[)",
                                            R"("segments":[{"hash":"AAAAAAAAAAAAAAAAAAAAAA==","segmentSize":7,)"
                                            R"("encryptedSegmentSize":35},)"));
  ASSERT_EQ(manifest.segments.size(), 3u);
  EXPECT_EQ(manifest.segments[0].plain_size, 7u);
  EXPECT_EQ(manifest.segments[1].plain_size, 1000u);
  EXPECT_EQ(manifest.segments[2].plain_size, 5u);
}

// Old writers left the default on a short last segment; what is stored decides.
TEST(ManifestReader, T07InOldFilesThePlainSizeFollowsFromTheEncryptedOne) {
  const Manifest manifest = must_parse(with(legacy(), kLast, R"("segmentSize":1000,"encryptedSegmentSize":33)"));
  EXPECT_EQ(manifest.segments[1].plain_size, 5u);
  EXPECT_EQ(
      must_parse(with(legacy(), R"("segmentSizeDefault":1000)", R"("segmentSizeDefault":999)")).segments[0].plain_size,
      1000u);
}

TEST(ManifestReader, T08OnlyAKeyedRootSignatureIsBelieved) {
  const std::array<std::byte, 32> key{};
  Manifest manifest = must_parse(example());
  std::vector<std::byte> aggregate = aggregate_hashes(manifest);
  manifest.root_signature = *root_signature(key, aggregate, manifest.version);
  ASSERT_TRUE(check_root_signature(manifest, key, aggregate));
  for (const char* algorithm : {"GMAC", "gmac", "HS512", "none", ""}) {
    manifest.root_algorithm = algorithm;
    EXPECT_FALSE(check_root_signature(manifest, key, aggregate)) << algorithm;
  }
  // "GMAC" as forgers write it: the end of the aggregate.
  manifest.root_algorithm = "GMAC";
  manifest.root_signature = base64_encode(ByteView(aggregate).last(16));
  const Status forged = check_root_signature(manifest, key, aggregate);
  ASSERT_FALSE(forged);
  EXPECT_EQ(forged.error().code, ErrorCode::kNotAuthentic);
  // To look at, such a file is good enough.
  EXPECT_EQ(must_parse(with(example(), R"("alg":"HS256","sig")", R"("alg":"GMAC","sig")")).root_algorithm, "GMAC");
}

TEST(ManifestReader, T09TheVersionDecidesHowHashesAreRead) {
  const std::string member = R"("schemaVersion":"4.3.0"})";
  for (const char* text : {R"("schemaVersion":""})", R"("schemaVersion":null})", R"("schemaVersion":"4.2.2"})",
                           R"("schemaVersion":"3.0.0"})", R"("tdf_spec_version":"4.2.99"})", R"("x":"4.3.0"})",
                           R"("tdf_spec_version":null})"}) {
    const Manifest manifest = must_parse(with(example(), member, text));
    EXPECT_EQ(manifest.version, SpecVersion::k422) << text;
    EXPECT_FALSE(manifest.segments[0].hash_is_valid);  // raw, where digits belong
  }
  for (const char* text : {R"("schemaVersion":"4.3.0"})", R"("schemaVersion":"4.3.9"})", R"("schemaVersion":"4.10.0"})",
                           R"("schemaVersion":"4.3.0-beta+1"})", R"("tdf_spec_version":"4.3.0"})",
                           R"("schemaVersion":"4.3.0","tdf_spec_version":"4.2.2"})"}) {
    const Manifest manifest = must_parse(with(example(), member, text));
    EXPECT_EQ(manifest.version, SpecVersion::k430) << text;
    EXPECT_TRUE(manifest.segments[0].hash_is_valid);
  }
  for (const char* text : {R"("schemaVersion":"5.0.0"})", R"("schemaVersion":"4"})", R"("schemaVersion":"4.3"})",
                           R"("schemaVersion":"4.3.0.0"})", R"("schemaVersion":"v4.3.0"})", R"("schemaVersion":" "})",
                           R"("schemaVersion":"4.3.99999999999999999999"})", R"("tdf_spec_version":"5.0.0"})"}) {
    expect_refused(with(example(), member, text), "tdf manifest: schemaVersion");
  }
  expect_refused(with(example(), member, R"("schemaVersion":4.3})"), "tdf manifest: schemaVersion");
  // Versions elsewhere are not this version.
  EXPECT_EQ(
      must_parse(with(example(), R"("type":"reference")", R"("type":"reference","schemaVersion":"3.0.0")")).version,
      SpecVersion::k430);
}

TEST(ManifestReader, T10BindingsAreATextOrAnObject) {
  const std::string object = R"({"alg":"HS256","hash":"EBESExQVFhcYGRobHB0eHw=="})";
  const Manifest bare = must_parse(with(example(), object, R"("EBESExQVFhcYGRobHB0eHw==")"));
  EXPECT_EQ(bare.key_access[0].binding_hash, "EBESExQVFhcYGRobHB0eHw==");
  EXPECT_EQ(bare.key_access[0].binding_algorithm, "");
  // Not a hash at all: whoever has the key will see.
  EXPECT_EQ(must_parse(with(example(), object, R"({"alg":"HS256","hash":"b'YTE='"})")).key_access[0].binding_hash,
            "b'YTE='");
  EXPECT_EQ(must_parse(with(example(), object, "null")).key_access[0].binding_hash, "");
  expect_refused(with(example(), object, "[]"), "tdf manifest: keyAccess.policyBinding", ErrorCode::kMalformed, 1);
}

TEST(ManifestReader, T11WhatDoesNotMatterIsReadWithoutFuss) {
  for (const auto& [from, to] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {R"("isStreamable":true)", R"("IsStreamable":true)"},
           {R"("iv":"")", R"("iv":null)"},
           {R"("iv":"",)", ""},
           {R"("mimeType":"text/plain",)", ""},
           {R"("mimeType":"text/plain",)", R"("mimeType":null,)"},
           {R"("kid":"r1")", R"("kid":null,"sid":null,"encryptedMetadata":null)"},
           {R"("segments":[)", R"("segmentHash":"","segments":[)"},
           {R"("protocol":"zip")", R"("protocol":"zip","tdf_spec_version":null,"schemaVersion":"3.0.0")"},
           {R"({"encryptionInformation")", R"({"x":{"deep":[1,{"y":[[]]}]},"encryptionInformation")"},
           {R"("schemaVersion":"4.3.0"})", R"("schemaVersion":"4.3.0","assertions":null})"},
           {R"("schemaVersion":"4.3.0"})", R"("schemaVersion":"4.3.0","assertions":[]})"},
           {R"("segmentHashAlg":"GMAC")", R"("segmentHashAlg":"gmac")"},
           {R"("algorithm":"AES-256-GCM")", R"("algorithm":"aes-256-gcm")"},
           {"https://kas.example.com", R"(https:\/\/kas.example.com)"},
       }) {
    const Manifest manifest = must_parse(with(example(), from, to));
    ASSERT_EQ(manifest.key_access.size(), 1u) << to;
    EXPECT_EQ(manifest.key_access[0].url, "https://kas.example.com");
    EXPECT_TRUE(manifest.segments.size() == 2 && manifest.segments[1].hash_is_valid) << to;
  }
  EXPECT_EQ(must_parse(with(legacy(), R"("segmentHashAlg":"GMAC",)", "")).segment_hash, SegmentHash::kGmac);
  expect_refused(with(example(), R"("segmentHashAlg":"GMAC",)", ""), "tdf manifest: segmentHashAlg");
}

TEST(ManifestReader, T11AssertionsKeepWhatIsSignedAlsoWhereItIsUnknown) {
  const Manifest manifest = must_parse(
      with(example(), R"(},"schemaVersion":"4.3.0")",
           R"(},"assertions":[{"binding":{"method":"JWS","signature":"a.b.c"},"zeta":{"b":2,"a":[1.0]},)"
           R"("statement":{"value":{"b":"\u00e9","a":{"d":1,"c":null}},"note":"n","schema":null},)"
           R"("appliesToState":null,"type":"other"},{"statement":{"value":"text"}}],"schemaVersion":"4.3.0")"));
  ASSERT_EQ(manifest.assertions.size(), 2u);
  const Assertion& assertion = manifest.assertions[0];
  EXPECT_EQ(assertion.id, "");
  EXPECT_EQ(assertion.binding_method, "JWS");
  EXPECT_EQ(assertion.statement.value, "{\"a\":{\"c\":null,\"d\":1},\"b\":\"\xc3\xa9\"}");
  EXPECT_TRUE(assertion.statement.value_was_object);
  EXPECT_EQ(assertion.canonical,
            "{\"statement\":{\"note\":\"n\",\"value\":\"{\\\"a\\\":{\\\"c\\\":null,\\\"d\\\":1},"
            "\\\"b\\\":\\\"\xc3\xa9\\\"}\"},\"type\":\"other\",\"zeta\":{\"a\":[1],\"b\":2}}");
  EXPECT_FALSE(manifest.assertions[1].statement.value_was_object);
  EXPECT_EQ(manifest.assertions[1].canonical, R"({"statement":{"value":"text"}})");
}

TEST(ManifestReader, G6AnAssertionIdStandsOnce) {
  const auto two = [](std::string_view first, std::string_view second) {
    return with(example(), R"(},"schemaVersion":"4.3.0")",
                R"(},"assertions":[{"id":")" + std::string(first) + R"("},{"id":")" + std::string(second) +
                    R"("}],"schemaVersion":"4.3.0")");
  };
  EXPECT_EQ(must_parse(two("a", "b")).assertions.size(), 2u);
  EXPECT_EQ(must_parse(two("", "")).assertions.size(), 2u);
  expect_refused(two("a", "a"), "tdf manifest: assertions.id", ErrorCode::kMalformed, 2);
}

// A damaged hash is found out with the key, as tampering; the manifest is still one.
TEST(ManifestReader, TextsThatAreNoHashesAreKeptForTheRootSignature) {
  for (const SpecVersion version : {SpecVersion::k422, SpecVersion::k430}) {
    for (const SegmentHash hash : {SegmentHash::kGmac, SegmentHash::kHs256}) {
      const Manifest whole = example_manifest(hash, version);
      const std::string good = encode_hash(ByteView(whole.segments[1].hash).first(hash_size(hash)), version);
      const std::string text = json_of(whole);
      std::vector<std::string> bad = {"", "b'YTE='", good.substr(1), good + "AAAA", "*" + good.substr(1)};
      for (const std::size_t size : {15u, 16u, 31u, 32u, 33u, 64u, 65u}) {
        if (const std::string other = base64_encode(std::vector<std::byte>(size)); other.size() != good.size()) {
          bad.push_back(other);
        }
      }
      if (version == SpecVersion::k422) {
        const std::size_t digits = 2 * hash_size(hash);
        bad.push_back(base64_encode(as_bytes(std::string(digits - 3, '0') + "xyz")));  // as the xtest suite does it
        bad.push_back(base64_encode(as_bytes(std::string(digits, 'A'))));  // not the digits that were signed
      }
      for (const std::string& damaged : bad) {
        const Manifest manifest = must_parse(with(text, good, damaged));
        EXPECT_TRUE(manifest.segments[0].hash_is_valid);
        EXPECT_FALSE(manifest.segments[1].hash_is_valid) << damaged;
        Manifest forged = manifest;  // even under the right key for what is left
        const std::array<std::byte, 32> key{};
        forged.root_signature = *root_signature(key, aggregate_hashes(forged), version);
        EXPECT_FALSE(check_root_signature(forged, key, aggregate_hashes(forged)));
      }
    }
  }
}

TEST(ManifestReader, WhatMustBeThereIsMissed) {
  for (const auto& [member, where] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {R"("payload":)", "tdf manifest: payload"},
           {R"("policy":)", "tdf manifest: policy"},
           {R"("keyAccess":)", "tdf manifest: keyAccess"},
           {R"("method":)", "tdf manifest: method.algorithm"},
           {R"("algorithm":)", "tdf manifest: method.algorithm"},
           {R"("integrityInformation":)", "tdf manifest: older than version 3"},
           {R"("encryptionInformation":)", "tdf manifest: older than version 3"},
           {R"("sig":)", "tdf manifest: rootSignature.sig"},
           {R"("segments":)", "tdf manifest: segments"},
           {R"("segmentSizeDefault":)", "tdf manifest: segmentSizeDefault"},
           {R"("encryptedSegmentSizeDefault":)", "tdf manifest: encryptedSegmentSizeDefault"},
       }) {
    expect_refused(with(example(), member, R"("x":)"), where);
  }
  expect_refused(with(example(), R"("alg":"HS256","sig")", R"("x":"HS256","sig")"), "tdf manifest: rootSignature.alg");
  expect_refused(with(example(), R"({"type":"wrapped",)", "{"), "tdf manifest: keyAccess.type", ErrorCode::kMalformed,
                 1);
  for (const char* hash : {R"({"x":")", R"({"hash":null,"x":")", R"({"hash":5,"x":")"}) {
    expect_refused(with(example(), R"({"hash":")", hash), "tdf manifest: segments.hash", ErrorCode::kMalformed, 1);
  }
}

TEST(ManifestReader, WhatIsAnotherFormatIsRefused) {
  for (const auto& [from, to, where] :
       std::initializer_list<std::tuple<std::string_view, std::string_view, std::string_view>>{
           {R"("isEncrypted":true)", R"("isEncrypted":false)", "tdf manifest: payload.isEncrypted"},
           {R"("type":"reference")", R"("type":"inline")", "tdf manifest: payload.type"},
           {R"("type":"split")", R"("type":"remote")", "tdf manifest: encryptionInformation.type"},
           {"AES-256-GCM", "AES-256-CBC", "tdf manifest: method.algorithm"},
           {R"("segmentHashAlg":"GMAC")", R"("segmentHashAlg":"SHA1")", "tdf manifest: segmentHashAlg"},
           {R"("keyAccess":)", R"("keyAccesses":)", "tdf manifest: older than version 3"},
       }) {
    expect_refused(with(example(), from, to), where);
  }
  expect_refused(with(example(), R"("type":"wrapped")", R"("type":"remoteWrapped")"),
                 "tdf manifest: older than version 3", ErrorCode::kMalformed, 1);
  for (const char* text : {"", "null", "[]", "\"\"", "{}x", "\xef\xbb\xbf{}"}) {
    EXPECT_FALSE(parse(text)) << text;
  }
}

TEST(ManifestReader, NoSegmentsAtAllIsAnEmptyFile) {
  Manifest manifest = example_manifest();
  manifest.segments.clear();
  EXPECT_TRUE(must_parse(json_of(manifest)).segments.empty());
}

TEST(ManifestReader, G6ANameTwiceIsRefusedAtEveryLevel) {
  std::string text = json_of(full_example_manifest());
  text = with(text, R"("mimeType")", R"("unknown":{"inner":[{"x":1}]},"mimeType")");
  text = with(text, R"("value":"{)", R"("other":{"y":{"z":0}},"value":"{)");
  ASSERT_TRUE(parse(text));
  std::size_t objects = 0;
  for (std::size_t at = text.find("{\""); at != std::string::npos; at = text.find("{\"", at + 1)) {
    const std::size_t end = text.find(':', at);
    const std::string name = text.substr(at + 1, end - at - 1);
    std::string doubled = text;
    doubled.insert(at + 1, name + ":null,");
    const Result<Manifest> manifest = parse(doubled);
    ASSERT_FALSE(manifest) << doubled;
    EXPECT_EQ(manifest.error().code, ErrorCode::kMalformed);
    ++objects;
  }
  EXPECT_EQ(objects, 22u);
}

TEST(ManifestReader, LimitsAreLimits) {
  const std::string text = json_of(full_example_manifest());  // 2 segments, 2 key access objects, 2 assertions
  const auto code = [&](auto change) {
    ManifestLimits limits;
    change(limits);
    const Result<Manifest> manifest = parse(text, limits);
    return manifest ? std::optional<ErrorCode>() : manifest.error().code;
  };
  EXPECT_EQ(code([&](ManifestLimits& l) { l.max_size = text.size(); }), std::nullopt);
  EXPECT_EQ(code([&](ManifestLimits& l) { l.max_size = text.size() - 1; }), ErrorCode::kLimitExceeded);
  EXPECT_EQ(code([](ManifestLimits& l) { l.max_segments = 2; }), std::nullopt);
  EXPECT_EQ(code([](ManifestLimits& l) { l.max_segments = 1; }), ErrorCode::kLimitExceeded);
  EXPECT_EQ(code([](ManifestLimits& l) { l.max_key_access = 2; }), std::nullopt);
  EXPECT_EQ(code([](ManifestLimits& l) { l.max_key_access = 1; }), ErrorCode::kLimitExceeded);
  EXPECT_EQ(code([](ManifestLimits& l) { l.max_assertions = 2; }), std::nullopt);
  EXPECT_EQ(code([](ManifestLimits& l) { l.max_assertions = 1; }), ErrorCode::kLimitExceeded);
  EXPECT_EQ(code([](ManifestLimits& l) { l.max_depth = 5; }), std::nullopt);
  EXPECT_EQ(code([](ManifestLimits& l) { l.max_depth = 4; }), ErrorCode::kLimitExceeded);
}

TEST(ManifestReader, CutAnywhereItIsNoManifest) {
  for (const std::string& text : {json_of(full_example_manifest()), legacy()}) {
    for (std::size_t size = 0; size < text.size(); ++size) {
      const Result<Manifest> manifest = parse(text.substr(0, size));
      ASSERT_FALSE(manifest) << size;
      ASSERT_EQ(manifest.error().code, ErrorCode::kMalformed) << size;
    }
  }
}

TEST(ManifestReader, AnyByteMayBeAnyOther) {
  const std::string text = json_of(full_example_manifest());
  std::size_t taken = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char byte : {'\0', '"', '{', '}', '[', ',', ':', '0', '9', '-', '\\', 'e', '\x7f', '\xff'}) {
      std::string mutated = text;
      mutated[at] = byte;
      const Result<Manifest> manifest = parse(mutated);
      if (!manifest) continue;
      EXPECT_LE(manifest->segments.size(), 2u);
      ++taken;
    }
  }
  EXPECT_GT(taken, 0u);
}

}  // namespace
}  // namespace millrace::tdf
