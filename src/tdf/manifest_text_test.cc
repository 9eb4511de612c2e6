// Writing manifests: the order of the Go SDK, exact sizes in advance, and what is written is read back.
#include "tdf/manifest_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tdf/assertion_json.h"
#include "tdf/manifest_examples.h"
#include "testing/tdf_vectors.h"

namespace millrace::tdf {
namespace {

template <class T>
T must(Result<T> result) {
  if (!result) ADD_FAILURE() << describe(result.error());
  return result ? *std::move(result) : T{};
}

constexpr SegmentHash kHashes[] = {SegmentHash::kGmac, SegmentHash::kHs256};
constexpr SpecVersion kVersions[] = {SpecVersion::k422, SpecVersion::k430};

TEST(ManifestText, AFileOfTheGoSdkIsWrittenBackByteForByte) {
  const std::string text = testing::manifest_text_of(testing::read_vector("platform/sample.tdf"));
  EXPECT_EQ(must(to_json(must(parse_manifest(as_bytes(text))))), text);
}

TEST(ManifestText, WhatIsWrittenIsReadBack) {
  for (const SegmentHash hash : kHashes) {
    for (const SpecVersion version : kVersions) {
      for (const Manifest& manifest : {example_manifest(hash, version), full_example_manifest(hash, version)}) {
        const std::string text = must(to_json(manifest));
        EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; }));
        const Manifest read = must(parse_manifest(as_bytes(text)));
        EXPECT_EQ(read.version, version);
        EXPECT_EQ(read.schema_version, manifest.schema_version);
        EXPECT_EQ(read.payload_url, manifest.payload_url);
        EXPECT_EQ(read.mime_type, manifest.mime_type);
        EXPECT_EQ(read.policy, manifest.policy);
        EXPECT_EQ(read.segment_hash, hash);
        EXPECT_EQ(read.root_algorithm, manifest.root_algorithm);
        EXPECT_EQ(read.root_signature, manifest.root_signature);
        EXPECT_EQ(read.default_plain_size, manifest.default_plain_size);
        EXPECT_EQ(read.default_cipher_size, manifest.default_cipher_size);
        ASSERT_EQ(read.segments.size(), manifest.segments.size());
        for (std::size_t i = 0; i < read.segments.size(); ++i) {
          EXPECT_EQ(read.segments[i].plain_size, manifest.segments[i].plain_size);
          EXPECT_EQ(read.segments[i].cipher_size, manifest.segments[i].cipher_size);
          EXPECT_EQ(read.segments[i].hash, manifest.segments[i].hash);
          EXPECT_TRUE(read.segments[i].hash_is_valid);
        }
        EXPECT_EQ(must(to_json(read)), text);  // key access objects and assertions too
      }
    }
  }
}

TEST(ManifestText, WhatOldKeyAccessObjectsLackIsAdded) {
  Manifest manifest = example_manifest();
  manifest.key_access[0].binding_algorithm.clear();
  manifest.key_access[0].schema_version.clear();
  EXPECT_EQ(must(to_json(manifest)), must(to_json(example_manifest())));
}

TEST(ManifestText, TheFormOfOldFilesHasNoVersion) {
  EXPECT_EQ(must(to_json(example_manifest(SegmentHash::kGmac, SpecVersion::k422))).find("4.3.0"), std::string::npos);
}

// What an assertion's signature is over does not depend on whether it was just made or read from the file.
TEST(ManifestText, TheCanonicalFormIsTheSameBeforeWritingAndAfterReading) {
  const Manifest manifest = full_example_manifest();
  const Manifest read = must(parse_manifest(as_bytes(must(to_json(manifest)))));
  ASSERT_EQ(read.assertions.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.assertions[i].canonical, must(canonical_assertion(manifest.assertions[i])));
  }
  EXPECT_EQ(read.assertions[1].canonical,
            R"({"appliesToState":"unencrypted","id":"example-2","scope":"tdo","statement":{"format":"json",)"
            R"("value":"{\"level\":\"secr\\u00e9t\"}"},"type":"handling"})");
}

TEST(ManifestText, TheSizeIsKnownInAdvance) {
  std::mt19937_64 random(42);
  for (int round = 0; round < 400; ++round) {
    const SegmentHash hash = kHashes[random() % 2];
    const SpecVersion version = kVersions[random() % 2];
    Manifest manifest = round % 2 == 0 ? example_manifest(hash, version) : full_example_manifest(hash, version);
    // Sizes of every number of digits, of 1 to 17 bits more or less.
    manifest.default_plain_size = 1 + random() % (std::uint64_t{1} << (1 + random() % 40));
    manifest.default_cipher_size = manifest.default_plain_size + 28;
    const std::uint64_t last = random() % (manifest.default_plain_size + 1);
    const std::size_t count = random() % 20;
    const std::uint64_t size = must(json_size(manifest, count, last));
    manifest.segments.assign(count, example_segment(manifest.default_plain_size, 1));
    if (count > 0) manifest.segments.back() = example_segment(last, 2);
    EXPECT_EQ(must(to_json(manifest)).size(), size) << count << " segments, the last of " << last;
  }
}

TEST(ManifestText, SizesAtEachNumberOfDigits) {
  std::vector<std::uint64_t> sizes = {0, (std::uint64_t{1} << 53) - 29};
  for (std::uint64_t power = 10; power < std::uint64_t{1} << 53; power *= 10) {
    for (const std::uint64_t size : {power - 29, power - 28, power - 27, power - 1, power}) {
      if (size < power + 1) sizes.push_back(size);
    }
  }
  for (const std::uint64_t size : sizes) {
    std::string text;
    append_segment(text, example_segment(size, 1), SegmentHash::kGmac, SpecVersion::k430);
    EXPECT_EQ(text.size(), segment_text_size(size, SegmentHash::kGmac, SpecVersion::k430)) << size;
  }
}

TEST(ManifestText, WhatNoManifestCanHoldIsRefused) {
  const auto refused = [](auto change) {
    Manifest manifest = full_example_manifest();
    change(manifest);
    const Result<std::string> json = to_json(manifest);
    return !json && json.error().code == ErrorCode::kInvalidArgument;
  };
  EXPECT_FALSE(refused([](Manifest&) {}));
  EXPECT_TRUE(refused([](Manifest& m) { m.mime_type = "\xff"; }));
  EXPECT_TRUE(refused([](Manifest& m) { m.key_access[1].kid = "\xc0\xaf"; }));
  EXPECT_TRUE(refused([](Manifest& m) { m.assertions[0].statement.value = "\xed\xa0\x80"; }));
  EXPECT_TRUE(refused([](Manifest& m) { m.key_access.clear(); }));
  EXPECT_TRUE(refused([](Manifest& m) { m.segments[0].cipher_size += 1; }));
  EXPECT_TRUE(refused([](Manifest& m) { m.segments[0].hash_is_valid = false; }));
  EXPECT_TRUE(refused([](Manifest& m) { m.default_cipher_size -= 1; }));
  EXPECT_TRUE(refused([](Manifest& m) { m.segments[0] = example_segment((std::uint64_t{1} << 53) - 28, 0); }));
  EXPECT_FALSE(refused([](Manifest& m) { m.segments[0] = example_segment((std::uint64_t{1} << 53) - 29, 0); }));
}

TEST(ManifestText, NamesOfVersionsAndHashes) {
  EXPECT_EQ(to_text(SpecVersion::k422), "4.2.2");
  EXPECT_EQ(to_text(SpecVersion::k430), "4.3.0");
  EXPECT_EQ(to_text(SegmentHash::kGmac), "GMAC");
  EXPECT_EQ(to_text(SegmentHash::kHs256), "HS256");
}

}  // namespace
}  // namespace millrace::tdf
