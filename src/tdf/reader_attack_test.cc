// One attack list for whole files, every way to read them: the code, the word that tells what was found, and that
// nothing but a true beginning of the plaintext came out.
#include <gtest/gtest.h>

#include "testing/tdf_files.h"
#include "testing/tdf_readers.h"

namespace millrace::tdf {
namespace {

using namespace millrace::testing;

constexpr OracleStyle kStyles[] = {{false, false}, {false, true}, {true, false}, {true, true}};
const ShareAccess kAccess;

const Bytes kPlain = noise_bytes(341, 31);

OracleFile good_file(const OracleStyle& style = {}) {
  return OracleFile({to_bytes(slice(kPlain, 0, 100)), to_bytes(slice(kPlain, 100, 100)),
                     to_bytes(slice(kPlain, 200, 100)), to_bytes(slice(kPlain, 300, 41))},
                    style);
}

void expect_tampered(const Bytes& file, const std::string& word, const std::string& what) {
  const Error error = expect_refused(file, kAccess, ErrorCode::kNotAuthentic, kPlain, what);
  EXPECT_NE(error.where.find("tamper"), std::string_view::npos) << what << ": " << error.where;
  EXPECT_NE(error.where.find(word), std::string_view::npos) << what << ": " << error.where;
}
void expect_malformed(const Bytes& file, const std::string& what) {
  expect_refused(file, kAccess, ErrorCode::kMalformed, kPlain, what);
}

TEST(TdfAttack, t08_RootSignatureThatTakesNoKeyIsRefused) {
  for (const OracleStyle& style : kStyles) {
    OracleFile file = good_file(style);
    Bytes aggregate;
    for (const Bytes& segment : file.segments) append(aggregate, file.hash_of(segment));
    const Bytes last = to_bytes(ByteView(aggregate).last(16));
    for (const char* name : {"GMAC", "gmac"}) {
      file.integrity()["rootSignature"] = {{"alg", name}, {"sig", file.encoded(last)}};
      expect_tampered(file.file(), "root", style.text());
    }
    file = good_file(style);
    for (const char* name : {"HS512", "none", "HMAC", "HS256 "}) {
      file.integrity()["rootSignature"]["alg"] = name;
      expect_tampered(file.file(), "root", style.text() + " " + name);
    }
    file.integrity()["rootSignature"]["alg"] = "";
    expect_malformed(file.file(), style.text());
    file.integrity()["rootSignature"].erase("alg");
    expect_malformed(file.file(), style.text());
    file.integrity().erase("rootSignature");
    expect_malformed(file.file(), style.text());
  }
}

TEST(TdfAttack, RootSignatureAndHashesInEveryDamagedForm) {
  for (const OracleStyle& style : kStyles) {
    const auto damage = [&](const std::string& text) {
      std::vector<std::string> list = {"", "AAAA", text.substr(0, text.size() - 4), text + "AAAA",
                                       std::string(" ") + text};
      std::string changed = text;
      changed[0] = changed[0] == 'A' ? 'B' : 'A';
      list.push_back(changed);
      // What the cross-SDK suite does: the last three characters of the decoded value become letters.
      Bytes decoded(base64_decoded_capacity(text.size()));
      decoded.resize(*base64_decode(text, decoded));
      for (std::size_t i = 1; i <= 3; ++i) decoded[decoded.size() - i] = static_cast<std::byte>('z');
      list.push_back(base64_encode(decoded));
      if (style.legacy) {  // the digits in capitals: the same bytes, another text under the root
        Bytes again(base64_decoded_capacity(text.size()));
        again.resize(*base64_decode(text, again));
        for (std::byte& b : again) b = static_cast<std::byte>(std::toupper(static_cast<int>(b)));
        list.push_back(base64_encode(again));
      }
      return list;
    };
    OracleFile file = good_file(style);
    const std::string root = file.integrity()["rootSignature"]["sig"];
    for (const std::string& text : damage(root)) {
      file.integrity()["rootSignature"]["sig"] = text;
      expect_tampered(file.file(), "root", style.text() + " root " + text);
    }
    for (const std::size_t i : {std::size_t{0}, std::size_t{3}}) {
      file = good_file(style);
      const std::string hash = file.table()[i]["hash"];
      for (const std::string& text : damage(hash)) {
        file.table()[i]["hash"] = text;
        expect_tampered(file.file(), "signature", style.text() + " hash " + text);
      }
      file.table()[i]["hash"] = nullptr;
      expect_malformed(file.file(), style.text());
      file.table()[i].erase("hash");
      expect_malformed(file.file(), style.text());
    }
    file = good_file(style);
    file.integrity()["segmentHashAlg"] = style.hs256 ? "GMAC" : "HS256";
    expect_tampered(file.file(), "signature", style.text() + ", the other hash");
    file.integrity()["segmentHashAlg"] = "CRC32";
    expect_malformed(file.file(), style.text());
  }
}

TEST(TdfAttack, SegmentsDroppedSwappedRepeatedAppended) {
  for (const OracleStyle& style : kStyles) {
    const OracleFile good = good_file(style);
    using Order = std::vector<std::size_t>;
    for (const Order& order : {Order{1, 0, 2, 3}, Order{0, 1, 3, 2}, Order{0, 1, 2}, Order{1, 2, 3}, Order{0, 2, 3},
                               Order{0, 0, 1, 2, 3}, Order{0, 1, 2, 3, 3}, Order{0, 1, 2, 3, 0}, Order{0}, Order{}}) {
      OracleFile payload_only = good;
      OracleFile both = good;
      payload_only.segments.clear();
      both.segments.clear();
      both.table() = nlohmann::json::array();
      OracleFile good_copy = good;
      std::string text = style.text();
      for (const std::size_t i : order) {
        payload_only.segments.push_back(good.segments[i]);
        both.segments.push_back(good.segments[i]);
        both.table().push_back(good_copy.table()[i]);
        text += ' ';
        text += std::to_string(i);
      }
      expect_tampered(payload_only.file(), "segment", text);
      expect_tampered(both.file(), "root", text + ", table too");
    }
    // The sum is right, the borders are not.
    OracleFile moved = good;
    moved.table()[0] = {{"hash", moved.table()[0]["hash"]}, {"segmentSize", 101}, {"encryptedSegmentSize", 129}};
    moved.table()[1] = {{"hash", moved.table()[1]["hash"]}, {"segmentSize", 99}, {"encryptedSegmentSize", 127}};
    expect_tampered(moved.file(), "segment signature", style.text());
    // Bytes behind the last segment, and one too few.
    Bytes payload = good.payload();
    payload.push_back(std::byte{1});
    expect_tampered(zip_archive({{"0.payload", payload}, good.manifest_part()}), "segment", style.text());
    payload.resize(payload.size() - 2);
    expect_tampered(zip_archive({{"0.payload", payload}, good.manifest_part()}), "segment", style.text());
  }
}

TEST(TdfAttack, t12_SegmentsBeforeABadOneAreDeliveredAndNoMore) {
  for (const OracleStyle& style : kStyles) {
    for (std::size_t bad = 0; bad < 4; ++bad) {
      for (const std::size_t place : {std::size_t{0}, std::size_t{11}, std::size_t{12}, std::size_t{30}}) {
        OracleFile file = good_file(style);
        file.segments[bad][place] ^= std::byte{0x10};
        const Bytes bytes = file.file();
        for (const TdfRead& read : read_every_way(bytes, kAccess)) {
          ASSERT_TRUE(read.error);
          EXPECT_EQ(read.error->code, ErrorCode::kNotAuthentic);
          const bool streams = read.way.starts_with("source");
          EXPECT_TRUE(equal(read.released, slice(kPlain, 0, streams ? bad * 100 : 0))) << read.way;
          // The offset is that of the segment in the file.
          if (read.way != "read_at") {
            EXPECT_EQ(read.error->offset, 39 + bad * 128) << read.way;
          }
        }
      }
    }
  }
}

TEST(TdfAttack, t05_SizesThatAreNone) {
  for (const OracleStyle& style : kStyles) {
    for (const char* size :
         {"-1", "-129", "0", "1", "27", "128.5", "1.28e2", "\"128\"", "true", "[]", "9223372036854775808",
          "18446744073709551744", "1e400", "9007199254740992", "00128", "0x80"}) {
      OracleFile file = good_file(style);
      file.table()[1]["encryptedSegmentSize"] = "SIZE";
      std::string text = file.manifest.dump();
      text.replace(text.find("\"SIZE\""), 6, size);
      const Bytes bytes = zip_archive({file.payload_part(), {"0.manifest.json", text_bytes(text)}});
      const std::vector<TdfRead> reads = read_every_way(bytes, kAccess);
      ASSERT_TRUE(reads.front().error) << size;
      EXPECT_EQ(reads.front().way, "open") << size;
      EXPECT_TRUE(reads.front().error->code == ErrorCode::kMalformed ||
                  reads.front().error->code == ErrorCode::kLimitExceeded)
          << size << ": " << describe(*reads.front().error);
    }
    // A possible size that is not that of the payload, up to the most that is allowed at all.
    for (const std::uint64_t size : {std::uint64_t{28}, std::uint64_t{129}, std::uint64_t{16} << 20}) {
      OracleFile file = good_file(style);
      file.table()[1] = {{"hash", file.table()[1]["hash"]}, {"segmentSize", size - 28}, {"encryptedSegmentSize", size}};
      expect_tampered(file.file(), "payload size", std::to_string(size));
    }
    for (const auto& [plain, cipher] : std::vector<std::pair<std::string, std::string>>{
             {"0", "28"}, {"100", "129"}, {"-100", "-72"}, {"\"100\"", "128"}, {"null", "128"}}) {
      OracleFile file = good_file(style);
      file.integrity()["segmentSizeDefault"] = "PLAIN";
      file.integrity()["encryptedSegmentSizeDefault"] = "CIPHER";
      std::string text = file.manifest.dump();
      text.replace(text.find("\"PLAIN\""), 7, plain);
      text.replace(text.find("\"CIPHER\""), 8, cipher);
      if (style.legacy && cipher == "129") continue;  // old files are not held to it
      expect_malformed(zip_archive({file.payload_part(), {"0.manifest.json", text_bytes(text)}}), plain + " " + cipher);
    }
  }
}

TEST(TdfAttack, KeyAccessAndPolicyChanged) {
  OracleFile file = good_file();
  const std::string policy = file.manifest["encryptionInformation"]["policy"];
  for (const std::string& changed :
       {base64_encode(as_bytes(R"({"uuid":"0f0e0d0c-0b0a-4908-8706-050403020100","body":{}})")), policy + "=",
        policy.substr(0, policy.size() - 1), std::string("!") + policy}) {
    file.manifest["encryptionInformation"]["policy"] = changed;
    expect_tampered(file.file(), "policy", changed);
  }
  file = good_file();
  const std::string hash = file.access()[0]["policyBinding"]["hash"];
  for (const std::string& changed :
       {std::string("b'") + hash + "'", std::string(), std::string("AAAA"), hash.substr(4), hash + "AAAA"}) {
    file.access()[0]["policyBinding"]["hash"] = changed;
    expect_tampered(file.file(), "policy binding", changed);
  }
  file.access()[0]["policyBinding"] = {{"alg", "none"}, {"hash", hash}};
  expect_refused(file.file(), kAccess, ErrorCode::kNotAuthentic, kPlain, "binding by no algorithm");
  // Another file's key with its own right binding: the root signature does not hold.
  file = good_file();
  file.access()[0] = OracleFile::key_access("", noise_bytes(32, 1), policy);
  expect_tampered(file.file(), "root", "another key");
  file.access()[0]["wrappedKey"] = "AAAA";
  expect_refused(file.file(), kAccess, ErrorCode::kNotAuthentic, kPlain, "a short key");
  file.access() = nlohmann::json::array();
  expect_malformed(file.file(), "no key access");
}

TEST(TdfAttack, g6_WhatTwoReadersCouldReadDifferently) {
  const OracleFile good = good_file();
  const std::string json = good.manifest.dump();
  const auto with = [&](const std::string& text) {
    return zip_archive({good.payload_part(), {"0.manifest.json", text_bytes(text)}});
  };
  ASSERT_NO_FATAL_FAILURE(expect_reads(with(json), kAccess, kPlain, "good"));
  // A member twice, at each level.
  expect_malformed(with(R"({"schemaVersion":"4.3.0",)" + json.substr(1)), "schemaVersion twice");
  std::string twice = json;
  twice.insert(twice.find(R"("hash":")"), R"("hash":"AAAA",)");
  expect_malformed(with(twice), "hash twice");
  // And what is no JSON document.
  expect_malformed(with(json + "x"), "bytes behind the JSON");
  expect_malformed(with(json.substr(0, json.size() - 1)), "JSON cut");
  expect_malformed(with(""), "no JSON");
  expect_malformed(with("[]"), "an array");
  expect_malformed(with("null"), "null");
  // Entries twice, renamed, missing.
  expect_malformed(zip_archive({good.payload_part(), good.manifest_part(), good.manifest_part()}), "manifest twice");
  expect_malformed(zip_archive({good.payload_part(), good.payload_part(), good.manifest_part()}), "payload twice");
  expect_malformed(zip_archive({good.manifest_part()}), "no payload");
  expect_malformed(zip_archive({good.payload_part()}), "no manifest");
  expect_malformed(zip_archive({good.payload_part(), {"manifest.json", text_bytes(json)}}), "other name");
  OracleFile elsewhere = good;
  elsewhere.manifest["payload"]["url"] = "1.payload";
  expect_malformed(
      zip_archive({elsewhere.payload_part(), elsewhere.manifest_part(), {"1.payload", elsewhere.payload()}}), "url");
  OracleFile open = good;
  open.manifest["payload"]["isEncrypted"] = false;
  expect_malformed(open.file(), "not encrypted");
}

TEST(TdfAttack, ContainerThatDoesNotHoldTogether) {
  const OracleFile good = good_file();
  const auto archive = [&](auto change_payload, auto change_manifest) {
    ZipPart payload = good.payload_part();
    ZipPart manifest = good.manifest_part();
    change_payload(payload);
    change_manifest(manifest);
    return zip_archive({payload, manifest});
  };
  const auto none = [](ZipPart&) {};
  for (const std::uint16_t method : {std::uint16_t{8}, std::uint16_t{93}}) {
    expect_malformed(archive([&](ZipPart& p) { p.method = method; }, none), "payload compressed");
    expect_malformed(archive(none, [&](ZipPart& p) { p.method = method; }), "manifest compressed");
  }
  expect_malformed(archive([](ZipPart& p) { p.flags = 1; }, none), "payload encrypted the ZIP way");
  expect_malformed(archive(none, [](ZipPart& p) { p.flags = 1; }), "manifest encrypted the ZIP way");
  expect_malformed(archive(none, [](ZipPart& p) { p.crc_error = 1; }), "manifest checksum");
  for (const std::int64_t error : {std::int64_t{1}, std::int64_t{100}, std::int64_t{0x7fffffff}}) {
    expect_malformed(archive([&](ZipPart& p) { p.size_error = error; }, none), "payload over the next entry");
    expect_malformed(archive(none, [&](ZipPart& p) { p.size_error = error; }), "manifest over the directory");
    expect_malformed(archive(none, [&](ZipPart& p) { p.offset_error = error; }), "manifest elsewhere");
  }
  expect_malformed(archive(none, [&](ZipPart& p) { p.offset_error = -static_cast<std::int64_t>(39 + 453); }),
                   "both at one place");
  // The payload's checksum is of the archive; segments prove themselves.
  expect_reads(archive([](ZipPart& p) { p.crc_error = 1; }, none), kAccess, kPlain, "payload checksum");
  expect_tampered(archive([](ZipPart& p) { p.size_error = -1; }, none), "payload size", "payload shorter");
}

TEST(TdfAttack, EveryPrefixAndBytesBehindTheEnd) {
  const Bytes file = good_file().file();
  const MemoryReadAt whole(file);
  ASSERT_TRUE(Reader::open(whole, kAccess));
  for (std::size_t size = 0; size < file.size(); ++size) {
    const MemoryReadAt in(slice(file, 0, size));
    const Result<Reader> reader = Reader::open(in, kAccess);
    ASSERT_FALSE(reader) << size;
    ASSERT_EQ(reader.error().code, ErrorCode::kMalformed) << size << ": " << describe(reader.error());
  }
  for (const std::size_t more : {std::size_t{1}, std::size_t{22}, std::size_t{70000}}) {
    Bytes longer = file;
    longer.resize(file.size() + more);
    expect_malformed(longer, std::to_string(more) + " bytes more");
  }
}

// A changed byte is found, or it was one that says nothing (a time stamp, a kid): the plaintext is never another.
TEST(TdfAttack, NoChangedByteChangesThePlaintext) {
  for (const OracleStyle& style : {kStyles[0], kStyles[3]}) {
    Bytes file = OracleFile({to_bytes(slice(kPlain, 0, 30)), to_bytes(slice(kPlain, 30, 11))}, style, 30).file();
    const Bytes plain = to_bytes(slice(kPlain, 0, 41));
    std::size_t refused = 0;
    for (std::size_t i = 0; i < file.size(); ++i) {
      const std::byte mask = std::byte{1} << (i % 8);
      file[i] ^= mask;
      const MemoryReadAt in(file);
      const Result<Reader> reader = Reader::open(in, kAccess);
      MemorySink out;
      bool read = reader.has_value();
      if (read) read = pump(*reader->source(), out).has_value();
      if (read) {
        ASSERT_TRUE(equal(out.bytes(), plain)) << i;
      } else {
        ++refused;
        ASSERT_TRUE(is_prefix(out.bytes(), plain)) << i;
      }
      file[i] ^= mask;
    }
    EXPECT_GT(refused, file.size() / 2);
  }
}

// A hostile table costs no more than a real one.
TEST(TdfAttack, t05_LimitsOfTheTable) {
  OracleFile file = good_file();
  ReaderOptions options;
  options.limits.max_segments = 3;
  EXPECT_EQ(expect_refused(file.file(), kAccess, ErrorCode::kLimitExceeded, kPlain, "segments", options).code,
            ErrorCode::kLimitExceeded);
  options = {};
  options.limits.max_segment_size = 127;
  expect_refused(file.file(), kAccess, ErrorCode::kLimitExceeded, kPlain, "segment size", options);
  options.limits.max_segment_size = 128;
  expect_reads(file.file(), kAccess, kPlain, "segment size", options);
}

}  // namespace
}  // namespace millrace::tdf
