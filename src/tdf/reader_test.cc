// Reading: the golden files of OpenTDF, and files of every form made by the rules (testing/tdf_files.h).
#include <gtest/gtest.h>

#include "testing/tdf_files.h"
#include "testing/tdf_readers.h"

namespace millrace::tdf {
namespace {

using namespace millrace::testing;

std::string sha256_hex(ByteView bytes) {
  Bytes digest(32);
  EXPECT_EQ(EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()), nullptr,
                       EVP_sha256(), nullptr),
            1);
  return hex_encode(digest);
}

constexpr OracleStyle kStyles[] = {{false, false}, {false, true}, {true, false}, {true, true}};

// Plaintext cut into pieces of the given sizes.
struct Cut {
  std::vector<std::size_t> sizes;
  Bytes plain() const {
    std::size_t total = 0;
    for (const std::size_t size : sizes) total += size;
    return noise_bytes(total, 31);
  }
  std::vector<Bytes> segments() const {
    const Bytes all = plain();
    std::vector<Bytes> parts;
    std::size_t at = 0;
    for (const std::size_t size : sizes) {
      parts.push_back(to_bytes(slice(all, at, size)));
      at += size;
    }
    return parts;
  }
};

TEST(TdfGolden, EveryRowOfTheTable) {
  const nlohmann::json table = nlohmann::json::parse(read_vector("expected.json"));
  std::size_t decrypted = 0;
  std::size_t refused = 0;
  for (const nlohmann::json& row : table.at("vectors")) {
    const std::string name = row.at("file");
    const std::string result = row.at("result");
    const Bytes file = vector_bytes(name);
    ASSERT_EQ(sha256_hex(file), row.at("sha256").get<std::string>()) << name;
    const MemoryReadAt in(file);
    if (result == "decrypts") {
      ++decrypted;
      const LocalKeyAccess access = access_with(row.at("key"));
      for (const TdfRead& read : read_every_way(file, access)) {
        ASSERT_FALSE(read.error) << name << "; " << read.way << ": " << describe(*read.error);
        ASSERT_EQ(read.released.size(), row.at("plaintext_bytes").get<std::size_t>()) << name << "; " << read.way;
        ASSERT_EQ(sha256_hex(read.released), row.at("plaintext_sha256").get<std::string>()) << name;
      }
      const Reader reader = *Reader::open(in, access);
      const bool legacy = row.at("hashes") == "legacy-hex";
      EXPECT_EQ(reader.manifest().version, legacy ? SpecVersion::k422 : SpecVersion::k430) << name;
      EXPECT_EQ(reader.metadata().value_or(""), row.value("encrypted_metadata", "")) << name;
      EXPECT_EQ(reader.manifest().assertions.empty(), !row.contains("assertions")) << name;
      EXPECT_EQ(reader.info().file_size, file.size());
      // Another key opens nothing.
      const bool first_key = row.at("key") == "keys/golden-r1-private.der";
      const LocalKeyAccess other =
          access_with(first_key ? "keys/legacy-mock-kas-rsa-private.der" : "keys/golden-r1-private.der");
      std::vector<AccessFailure> failures;
      const Result<Reader> wrong = Reader::open(in, other, {}, &failures);
      ASSERT_FALSE(wrong) << name;
      EXPECT_EQ(wrong.error().code, ErrorCode::kNotAuthentic) << name;
      EXPECT_EQ(failures.size(), reader.manifest().key_access.size()) << name;
    } else if (result == "must-fail") {
      ++refused;
      const LocalKeyAccess access = access_with(row.value("key", "keys/golden-r1-private.der"));
      const Result<Reader> reader = Reader::open(in, access);
      ASSERT_FALSE(reader) << name;
      const bool tampered = name == "java-sdk/fuzzTDF-sample.tdf";
      EXPECT_EQ(reader.error().code, tampered ? ErrorCode::kNotAuthentic : ErrorCode::kMalformed)
          << name << ": " << describe(reader.error());
    } else if (result == "parse-only") {
      EXPECT_TRUE(parse_manifest(file)) << name;
    } else {
      ASSERT_EQ(result, "structure-only") << name;
      const Result<Inspection> found = inspect(in);
      if (name.find("html") != std::string::npos) {
        ASSERT_FALSE(found) << name;
        EXPECT_EQ(recognize(file), FileKind::kHtmlTdf) << name;
        EXPECT_EQ(found.error().code, ErrorCode::kMalformed);
      } else {
        ASSERT_TRUE(found) << name << ": " << describe(found.error());
        EXPECT_EQ(found->payload_size, found->plain_size + 28 * found->manifest.segments.size()) << name;
        EXPECT_TRUE(policy_of(found->manifest)) << name;
      }
    }
  }
  EXPECT_EQ(decrypted, 10u);
  EXPECT_EQ(refused, 3u);
}

// What today's SDKs write: every kind of key, splits, alternatives, segments without sizes, assertions with three keys.
TEST(TdfGolden, FilesOfTheSdks) {
  const AssertionKeys assertion_keys =
      *parse_assertion_keys(as_bytes(read_vector("assertions/verification-keys.json")));
  for (const std::string maker : {"go", "js"}) {
    const nlohmann::json table = nlohmann::json::parse(read_vector("made-with-" + maker + "-sdk/expected.json"));
    ASSERT_GE(table.at("vectors").size(), 13u);
    for (const nlohmann::json& row : table.at("vectors")) {
      const std::string name = row.at("file");
      const Bytes file = vector_bytes(name);
      ASSERT_EQ(sha256_hex(file), row.at("sha256").get<std::string>()) << name;
      std::vector<std::string> key_files;
      if (row.contains("key")) key_files.push_back(row.at("key"));
      if (row.contains("keys")) {
        for (const nlohmann::json& key : row.at("keys")) key_files.push_back(key);
      }
      ReaderOptions options;
      if (row.contains("verification_keys")) options.assertion_keys = &assertion_keys;

      // Each key by itself opens alternatives, and nothing that needs all.
      for (const std::string& key : key_files) {
        const LocalKeyAccess one = access_with(key);
        const bool opens = key_files.size() == 1 || row.at("needs") == "any";
        const Result<Reader> reader = Reader::open(MemoryReadAt(file), one, options);
        EXPECT_EQ(reader.has_value(), opens) << name << ", " << key;
      }
      LocalKeyAccess access;
      for (const std::string& key : key_files) ASSERT_TRUE(access.add(vector_bytes(key)));
      for (const TdfRead& read : read_every_way(file, access, options)) {
        ASSERT_FALSE(read.error) << name << "; " << read.way << ": " << describe(*read.error);
        ASSERT_EQ(read.released.size(), row.at("plaintext_bytes").get<std::size_t>()) << name << "; " << read.way;
        ASSERT_EQ(sha256_hex(read.released), row.at("plaintext_sha256").get<std::string>()) << name;
      }
      const MemoryReadAt in(file);
      const Reader reader = *Reader::open(in, access, options);
      EXPECT_EQ(reader.info().segments, row.at("segments").get<std::uint64_t>()) << name;
      EXPECT_EQ(to_text(reader.manifest().segment_hash), row.at("segment_hash").get<std::string>()) << name;
      const bool legacy = row.at("hashes") == "legacy-hex";
      EXPECT_EQ(reader.manifest().version, legacy ? SpecVersion::k422 : SpecVersion::k430) << name;
      EXPECT_EQ(reader.metadata().value_or(""), row.value("encrypted_metadata", "")) << name;
      std::vector<std::string> ids;
      for (const Assertion& assertion : reader.manifest().assertions) ids.push_back(assertion.id);
      EXPECT_EQ(ids, row.value("assertions", std::vector<std::string>())) << name;
    }
  }
}

TEST(TdfReader, t09_EveryStyleOfHashes) {
  const Cut cut{{100, 100, 100, 41}};
  for (const OracleStyle& style : kStyles) {
    OracleFile file(cut.segments(), style);
    expect_reads(file.file(), ShareAccess(), cut.plain(), style.text());
    // A file says that it is old by saying nothing, or by a version below 4.3.
    if (style.legacy) {
      for (const char* version : {"", "4.2.2", "4.2.9"}) {
        file.manifest["schemaVersion"] = version;
        expect_reads(file.file(), ShareAccess(), cut.plain(), style.text() + " " + version);
      }
      file.manifest.erase("schemaVersion");
      file.manifest["payload"]["schemaVersion"] = "3.0.0";  // an old writer's; says nothing
      expect_reads(file.file(), ShareAccess(), cut.plain(), style.text());
    }
    file.manifest["schemaVersion"] = style.legacy ? "4.3.0" : "4.2.2";
    expect_refused(file.file(), ShareAccess(), ErrorCode::kNotAuthentic, cut.plain(), "the other version");
    file.manifest["schemaVersion"] = "5.0.0";
    expect_refused(file.file(), ShareAccess(), ErrorCode::kMalformed, cut.plain(), "version 5");
  }
}

TEST(TdfReader, t01_EmptyFilesOfBothKinds) {
  for (const OracleStyle& style : kStyles) {
    const OracleFile one_segment({Bytes{}}, style);
    ASSERT_EQ(one_segment.payload().size(), 28u);
    expect_reads(one_segment.file(), ShareAccess(), {}, style.text());
    const OracleFile no_segments({}, style);  // as the web SDK writes them
    ASSERT_TRUE(no_segments.payload().empty());
    expect_reads(no_segments.file(), ShareAccess(), {}, style.text());
    // Neither may have a byte more or less.
    for (const OracleFile& file : {one_segment, no_segments}) {
      Bytes payload = file.payload();
      payload.push_back(std::byte{0});
      expect_refused(zip_archive({{"0.payload", payload}, file.manifest_part()}), ShareAccess(),
                     ErrorCode::kNotAuthentic, {}, "a byte more");
    }
    const Bytes cut = to_bytes(slice(one_segment.payload(), 0, 27));
    expect_refused(zip_archive({{"0.payload", cut}, one_segment.manifest_part()}), ShareAccess(),
                   ErrorCode::kNotAuthentic, {}, "a byte less");
    expect_refused(zip_archive({{"0.payload", {}}, one_segment.manifest_part()}), ShareAccess(),
                   ErrorCode::kNotAuthentic, {}, "nothing");
  }
}

TEST(TdfReader, t07_SegmentsOfUnequalSize) {
  const std::vector<Cut> cuts = {
      {{100, 100, 0}},          // Java, when the length is a multiple of the segment size
      {{100, 0}},               //
      {{100, 37, 100, 100}},    // a short one in the middle
      {{5, 100, 1, 0, 64, 0}},  // anything goes
      {{0, 0, 3}},              //
      {{1, 1000, 70000, 3}},
  };
  for (const Cut& cut : cuts) {
    for (const OracleStyle& style : kStyles) {
      const Bytes file = OracleFile(cut.segments(), style).file();
      expect_reads(file, ShareAccess(), cut.plain(), style.text());
      const MemoryReadAt in(file);
      const Reader reader = *Reader::open(in, ShareAccess());
      EXPECT_EQ(reader.info().segments, cut.sizes.size());
      if (style.hs256) continue;
      // Every range, across the places where segments meet.
      const Bytes plain = cut.plain();
      const auto by_position = *reader.read_at();
      ASSERT_EQ(by_position->size(), plain.size());
      const std::size_t stride = plain.size() > 500 ? 97 : 1;
      for (std::size_t start = 0; start <= plain.size(); start += stride) {
        for (std::size_t n = 0; n <= plain.size() - start; n += 1 + n * stride / 3) {
          Bytes range(n);
          ASSERT_TRUE(by_position->read_at(start, range));
          ASSERT_TRUE(equal(range, slice(plain, start, n))) << start << " " << n;
        }
      }
      Bytes beyond(2);
      EXPECT_EQ(by_position->read_at(plain.size() - 1, beyond).error().code, ErrorCode::kInvalidArgument);
    }
  }
}

TEST(TdfReader, t06_SizesThatAreMissingAreTheDefaults) {
  const Cut cut{{100, 100, 100, 41}};
  for (const OracleStyle& style : kStyles) {
    OracleFile file(cut.segments(), style);
    for (std::size_t i = 0; i < 3; ++i) {
      file.table()[i].erase("segmentSize");
      if (i != 1) file.table()[i].erase("encryptedSegmentSize");
    }
    expect_reads(file.file(), ShareAccess(), cut.plain(), style.text());
    file.table()[3].erase("encryptedSegmentSize");  // a short one needs its size
    const auto code = style.legacy ? ErrorCode::kNotAuthentic : ErrorCode::kMalformed;
    expect_refused(file.file(), ShareAccess(), code, cut.plain(), style.text());
  }
}

TEST(TdfReader, WrongPlainSizeIsToleratedInOldFilesOnly) {
  const Cut cut{{100, 41}};
  for (const OracleStyle& style : kStyles) {
    OracleFile file(cut.segments(), style);
    file.table()[1]["segmentSize"] = 100;
    if (style.legacy) {
      expect_reads(file.file(), ShareAccess(), cut.plain(), style.text());
    } else {
      expect_refused(file.file(), ShareAccess(), ErrorCode::kMalformed, cut.plain(), style.text());
    }
  }
}

TEST(TdfReader, SplitsAreJoinedAndAlternativesReplaceEachOther) {
  const Cut cut{{100, 20}};
  OracleFile file(cut.segments(), {});
  const std::string policy = file.manifest["encryptionInformation"]["policy"];
  const Bytes one = noise_bytes(32, 5);
  const Bytes two = noise_bytes(32, 6);
  Bytes three(32);
  for (std::size_t i = 0; i < 32; ++i) three[i] = file.key[i] ^ one[i] ^ two[i];
  const Bytes wrong = noise_bytes(31, 7);
  file.access() = {OracleFile::key_access("a", one, policy), OracleFile::key_access("b", wrong, policy),
                   OracleFile::key_access("b", two, policy), OracleFile::key_access("c", three, policy)};
  expect_reads(file.file(), ShareAccess(), cut.plain(), "three splits, one with an alternative");
  file.access().erase(2);
  expect_refused(file.file(), ShareAccess(), ErrorCode::kNotAuthentic, cut.plain(), "a share is missing");
}

TEST(TdfReader, t11_WhatDoesNotMatterDoesNotMatter) {
  const Cut cut{{100, 20}};
  OracleFile file(cut.segments(), {});
  file.manifest["payload"].erase("mimeType");
  file.manifest["payload"]["tdf_spec_version"] = nullptr;
  file.manifest["somethingNew"] = {{"a", {1, 2, 3}}};
  auto& method = file.manifest["encryptionInformation"]["method"];
  method = {{"algorithm", "AES-256-GCM"}, {"IsStreamable", true}, {"iv", nullptr}};
  file.integrity()["segmentHash"] = "";
  file.integrity()["segmentHashAlg"] = "gmac";
  file.integrity()["rootSignature"]["alg"] = "hs256";
  file.access()[0].erase("sid");
  file.access()[0]["encryptedMetadata"] = "";
  expect_reads(file.file(), ShareAccess(), cut.plain(), "harmless");
  // A binding that is a string, as old files have it.
  file.access()[0]["policyBinding"] = file.access()[0]["policyBinding"]["hash"];
  expect_reads(file.file(), ShareAccess(), cut.plain(), "t10 binding as a string");
  // Other entries and the other order, as others have written them.
  expect_reads(zip_archive({file.manifest_part(), {"notes.txt", text_bytes("hello")}, file.payload_part()}),
               ShareAccess(), cut.plain(), "manifest first");
}

TEST(TdfInspect, TellsEverythingAboutTheContainer) {
  const Cut cut{{100, 20}};
  const OracleFile file(cut.segments(), {});
  const Bytes bytes = file.file();
  const MemoryReadAt in(bytes);
  const Inspection found = *inspect(in);
  EXPECT_EQ(found.file_size, bytes.size());
  EXPECT_EQ(found.payload_size, 120u + 56);
  EXPECT_EQ(found.plain_size, 120u);
  EXPECT_EQ(found.payload_offset, 30u + 9);
  EXPECT_FALSE(found.zip64);
  EXPECT_EQ(found.manifest_json, file.manifest.dump());
  EXPECT_EQ(found.manifest.mime_type, "text/plain");
  ASSERT_EQ(found.entries.size(), 2u);
  EXPECT_EQ(found.entries[0].name, "0.payload");
  EXPECT_EQ(found.entries[0].header_offset, 0u);
  EXPECT_EQ(found.entries[0].data_offset, found.payload_offset);
  EXPECT_EQ(found.entries[0].size, found.payload_size);
  EXPECT_EQ(found.entries[0].crc, Crc32::of(file.payload()).value());
  EXPECT_EQ(found.entries[1].name, "0.manifest.json");
  EXPECT_EQ(found.entries[1].size, found.manifest_json.size());

  const Reader reader = *Reader::open(in, ShareAccess());
  const Info info = reader.info();
  EXPECT_EQ(info.plain_size, 120u);
  EXPECT_EQ(info.file_size, bytes.size());
  EXPECT_EQ(info.segments, 2u);
  EXPECT_EQ(info.segment_size, 100u);
  EXPECT_EQ(info.manifest_size, found.manifest_json.size());
  EXPECT_FALSE(reader.metadata());
}

// CountingReadAt tells how much of a file was looked at.
class CountingReadAt final : public ReadAt {
 public:
  explicit CountingReadAt(ByteView bytes) : in_(bytes) {}
  Status read_at(std::uint64_t offset, ByteSpan dst) const override {
    largest_ = std::max(largest_, dst.size());
    return in_.read_at(offset, dst);
  }
  std::uint64_t size() const override { return in_.size(); }
  std::size_t largest() const { return largest_; }

 private:
  MemoryReadAt in_;
  mutable std::size_t largest_ = 0;
};

TEST(TdfInspect, g2_ManifestAboveTheLimitIsNotRead) {
  OracleFile file({noise_bytes(10)}, {});
  file.manifest["padding"] = std::string(200000, 'x');
  const Bytes bytes = file.file();
  const CountingReadAt in(bytes);
  ManifestLimits limits;
  limits.max_size = file.manifest.dump().size();
  ASSERT_TRUE(inspect(in, limits));
  limits.max_size -= 1;
  const CountingReadAt again(bytes);
  const Result<Inspection> found = inspect(again, limits);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kLimitExceeded);
  EXPECT_LT(again.largest(), 140000u);  // what the search for the directory takes
}

TEST(TdfRecognize, FirstBytes) {
  EXPECT_EQ(recognize(as_bytes(std::string_view("PK\3\4....", 8))), FileKind::kTdf);
  EXPECT_EQ(recognize(as_bytes("PK\3")), FileKind::kUnknown);
  EXPECT_EQ(recognize(as_bytes("PK\5\6")), FileKind::kUnknown);
  EXPECT_EQ(recognize(as_bytes("L1L\x01")), FileKind::kNanoTdf);
  EXPECT_EQ(recognize(as_bytes("<!DOCTYPE html>")), FileKind::kHtmlTdf);
  EXPECT_EQ(recognize(as_bytes(" \r\n\t<!doctype HTML>")), FileKind::kHtmlTdf);
  EXPECT_EQ(recognize(as_bytes("\n<HTML lang=\"en\">")), FileKind::kHtmlTdf);
  EXPECT_EQ(recognize(as_bytes("\xef\xbb\xbf<html>")), FileKind::kHtmlTdf);
  EXPECT_EQ(recognize(as_bytes("<?xml version=\"1.0\"?>")), FileKind::kUnknown);
  EXPECT_EQ(recognize(as_bytes("   ")), FileKind::kUnknown);
  EXPECT_EQ(recognize({}), FileKind::kUnknown);
}

TEST(TdfInspect, SaysWhatElseAFileIs) {
  const auto where = [](std::string_view text) {
    const MemoryReadAt in(as_bytes(text));
    const Result<Inspection> found = inspect(in);
    EXPECT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::kMalformed);
    return std::string(found.error().where);
  };
  EXPECT_NE(where("<html><body></body></html>").find("HTML"), std::string::npos);
  EXPECT_NE(where("L1L\x01\x02").find("NanoTDF"), std::string::npos);
  EXPECT_NE(where("hello").find("not a TDF"), std::string::npos);
  EXPECT_NE(where("").find("not a TDF"), std::string::npos);
}

}  // namespace
}  // namespace millrace::tdf
