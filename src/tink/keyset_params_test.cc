#include <gtest/gtest.h>

#include <set>

#include "tink/keyset_vectors.h"

namespace millrace::tink {
namespace {

constexpr std::uint32_t kMaxSegment = 2147483647;

StreamingParams gcm(std::uint32_t derived, std::uint32_t segment) {
  return {Construction::kAesGcmHkdf, derived, segment, HashType::kSha256, HashType::kSha256, 0};
}
StreamingParams ctr(std::uint32_t derived, std::uint32_t segment, HashType hash, std::uint32_t tag) {
  return {Construction::kAesCtrHmac, derived, segment, HashType::kSha256, hash, tag};
}

// The common ground that the cross-language tests of Tink pin down: the smallest segment is D + 25 bytes for
// AES-GCM-HKDF and D + T + 9 for AES-CTR-HMAC.
TEST(StreamingParams, SegmentSizeLimits) {
  for (const std::uint32_t derived : {16u, 32u}) {
    EXPECT_TRUE(validate(gcm(derived, derived + 25), derived));
    EXPECT_TRUE(validate(gcm(derived, kMaxSegment), derived));
    for (const std::uint32_t segment : {0u, 1u, derived + 24, kMaxSegment + 1, 0xffffffffu})
      expect_refused(validate(gcm(derived, segment), derived), ErrorCode::kInvalidArgument,
                     "streaming key: ciphertextSegmentSize");
    for (const std::uint32_t tag : {10u, 20u}) {
      EXPECT_TRUE(validate(ctr(derived, derived + tag + 9, HashType::kSha1, tag), derived));
      EXPECT_TRUE(validate(ctr(derived, kMaxSegment, HashType::kSha1, tag), derived));
      for (const std::uint32_t segment : {0u, derived + tag + 8, kMaxSegment + 1})
        expect_refused(validate(ctr(derived, segment, HashType::kSha1, tag), derived), ErrorCode::kInvalidArgument,
                       "streaming key: ciphertextSegmentSize");
    }
  }
}

TEST(StreamingParams, DerivedKeyIsAesWithoutAes192) {
  for (std::uint32_t derived = 0; derived < 70; ++derived) {
    const bool good = derived == 16 || derived == 32;
    EXPECT_EQ(validate(gcm(derived, 4096), 64).has_value(), good) << derived;
    EXPECT_EQ(validate(ctr(derived, 4096, HashType::kSha256, 32), 64).has_value(), good) << derived;
  }
}

TEST(StreamingParams, KeyMaterialIsAtLeastTheDerivedKey) {
  for (const std::uint32_t derived : {16u, 32u}) {
    for (const std::size_t ikm : {std::size_t{derived}, std::size_t{derived} + 1, std::size_t{48}, std::size_t{1000}})
      EXPECT_TRUE(validate(gcm(derived, 4096), ikm));
    for (const std::size_t ikm : {std::size_t{0}, std::size_t{derived} - 1})
      expect_refused(validate(gcm(derived, 4096), ikm), ErrorCode::kInvalidArgument,
                     "streaming key: keyValue: shorter than derivedKeySize");
  }
}

TEST(StreamingParams, TagIsTenBytesUpToTheDigest) {
  const std::pair<HashType, std::uint32_t> hashes[] = {
      {HashType::kSha1, 20}, {HashType::kSha256, 32}, {HashType::kSha512, 64}};
  for (const auto& [hash, digest] : hashes) {
    for (std::uint32_t tag = 0; tag < 70; ++tag) {
      const Status status = validate(ctr(16, 4096, hash, tag), 16);
      EXPECT_EQ(status.has_value(), tag >= 10 && tag <= digest) << tag;
      if (!status) {
        EXPECT_EQ(status.error().where, "streaming key: hmacParams.tagSize");
      }
    }
    expect_refused(validate(ctr(16, 4096, hash, 0xffffffff), 16), ErrorCode::kInvalidArgument,
                   "streaming key: hmacParams.tagSize");
  }
}

TEST(StreamingParams, HashesAreTheThreeThatUpstreamAllows) {
  StreamingParams params = ctr(16, 4096, HashType::kSha256, 16);
  for (int number = 0; number < 8; ++number) {
    const bool good = number == 1 || number == 3 || number == 4;  // SHA1, SHA256, SHA512 in Tink's HashType
    params.hkdf_hash = static_cast<HashType>(number);
    EXPECT_EQ(validate(params, 16).has_value(), good) << number;
    params.hkdf_hash = HashType::kSha256;
    params.hmac_hash = static_cast<HashType>(number);
    EXPECT_EQ(validate(params, 16).has_value(), good) << number;
    params.hmac_hash = HashType::kSha256;
  }
}

TEST(StreamingParams, ComparisonIgnoresWhatTheConstructionDoesNotUse) {
  StreamingParams a = gcm(16, 4096), b = gcm(16, 4096);
  b.hmac_tag_size = 99;
  b.hmac_hash = HashType::kSha1;
  EXPECT_TRUE(a == b);
  a.construction = b.construction = Construction::kAesCtrHmac;
  EXPECT_FALSE(a == b);
  const StreamingParams base = ctr(16, 4096, HashType::kSha256, 16);
  for (int field = 0; field < 6; ++field) {
    StreamingParams other = base;
    if (field == 0) other.construction = Construction::kAesGcmHkdf;
    if (field == 1) other.derived_key_size = 32;
    if (field == 2) other.ciphertext_segment_size = 4097;
    if (field == 3) other.hkdf_hash = HashType::kSha512;
    if (field == 4) other.hmac_hash = HashType::kSha512;
    if (field == 5) other.hmac_tag_size = 17;
    EXPECT_FALSE(base == other) << field;
  }
}

// The eight key formats as upstream serializes them: params, key size, no version.
TEST(Templates, AreThePublishedOnes) {
  struct Published {
    std::string_view name;
    StreamingParams params;
  };
  const Published published[] = {
      {"AES128_GCM_HKDF_4KB", gcm(16, 4096)},
      {"AES128_GCM_HKDF_1MB", gcm(16, 1048576)},
      {"AES256_GCM_HKDF_4KB", gcm(32, 4096)},
      {"AES256_GCM_HKDF_1MB", gcm(32, 1048576)},
      {"AES128_CTR_HMAC_SHA256_4KB", ctr(16, 4096, HashType::kSha256, 32)},
      {"AES128_CTR_HMAC_SHA256_1MB", ctr(16, 1048576, HashType::kSha256, 32)},
      {"AES256_CTR_HMAC_SHA256_4KB", ctr(32, 4096, HashType::kSha256, 32)},
      {"AES256_CTR_HMAC_SHA256_1MB", ctr(32, 1048576, HashType::kSha256, 32)},
  };
  EXPECT_EQ(templates().size(), std::size(published));
  for (const Published& p : published) {
    const Template* found = find_template(p.name);
    ASSERT_NE(found, nullptr) << p.name;
    EXPECT_EQ(found->name, p.name);
    EXPECT_TRUE(found->params == p.params) << p.name;
    EXPECT_TRUE(validate(found->params, found->params.derived_key_size));
  }
  for (const std::string_view name :
       {"", "AES128_GCM_HKDF", "aes128_gcm_hkdf_4kb", "Aes128GcmHkdf4KB", "AES256_GCM", "AES128_GCM_HKDF_4KB "})
    EXPECT_EQ(find_template(name), nullptr) << name;
}

}  // namespace
}  // namespace millrace::tink
