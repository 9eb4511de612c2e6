// TdfCipher: known answers, and the case list and the attack list of the engine over it.
#include "tdf/tdf_cipher.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "millrace/base64.h"
#include "testing/segment_cases.h"
#include "testing/segment_drivers.h"
#include "testing/tdf_cipher.h"

namespace millrace::tdf {
namespace {

using namespace millrace::testing;

constexpr SegmentHash kBothHashes[] = {SegmentHash::kGmac, SegmentHash::kHs256};

Bytes unhex(const std::string& hex) {
  Bytes bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

Bytes unbase64(const std::string& text) {
  Bytes bytes(base64_decoded_capacity(text.size()));
  bytes.resize(*base64_decode(text, bytes));
  return bytes;
}

std::vector<SegmentFormat> formats(ByteView plain) {
  return {tdf_format(SegmentHash::kGmac, 36, 0, plain), tdf_format(SegmentHash::kHs256, 36, 39, plain),
          tdf_format(SegmentHash::kGmac, 5000, 59, plain)};
}

// The rows of constructed-kats.json: sealed with its nonces, byte for byte, and opened with its hashes.
TEST(TdfCipher, KnownSegmentsAndHashes) {
  std::ifstream in(MILLRACE_TEST_VECTORS "/opentdf/constructed-kats.json");
  const nlohmann::json kats = nlohmann::json::parse(in);
  const Bytes key = unhex(kats.at("dek"));
  const auto nonces_10 = [](std::uint32_t index, ByteSpan nonce) -> Status {
    for (std::size_t i = 0; i < nonce.size(); ++i) nonce[i] = static_cast<std::byte>(0x10 * (index + 1) + i);
    return Ok{};
  };
  const auto nonces_30 = [](std::uint32_t, ByteSpan nonce) -> Status {
    for (std::size_t i = 0; i < nonce.size(); ++i) nonce[i] = static_cast<std::byte>(0x30 + i);
    return Ok{};
  };
  struct Row {
    const char* name;
    std::vector<std::string> plain;
    Status (*make_nonce)(std::uint32_t, ByteSpan);
  };
  const std::vector<Row> rows = {{"payload_two_segments_hello_world", {"hello ", "world\n"}, nonces_10},
                                 {"payload_one_empty_segment", {""}, nonces_30}};
  for (const Row& row : rows) {
    for (const SegmentHash hash : kBothHashes) {
      TdfCipher::Options options;
      options.hash = hash;
      options.make_nonce = row.make_nonce;
      const SegmentLayout layout = *TdfCipher::layout_of(0, 6);
      const auto sealing = *TdfCipher::create(key, layout, options);
      std::vector<SegmentRecord> table;
      const nlohmann::json& segments = kats.at(row.name).at("segments");
      ASSERT_EQ(segments.size(), row.plain.size());
      Bytes payload;
      for (std::size_t i = 0; i < segments.size(); ++i) {
        const Bytes bytes = unhex(segments[i].at("bytes"));
        const Bytes kept = unbase64(segments[i].at(hash == SegmentHash::kGmac ? "gmac_hash_430" : "hs256_hash_430"));
        const Last last = i + 1 == segments.size() ? Last::kYes : Last::kNo;
        const auto index = static_cast<std::uint32_t>(i);
        Bytes sealed(bytes.size());
        ASSERT_TRUE(sealing->seal(index, last, as_bytes(row.plain[i]), sealed));
        EXPECT_EQ(sealed, bytes);
        append(payload, bytes);
        const SegmentRecord record = *sealing->table().get(index);
        EXPECT_TRUE(equal(ByteView(record.hash).first(hash_size(hash)), kept));
        EXPECT_TRUE(is_zero(ByteView(record.hash).subspan(hash_size(hash))));
        EXPECT_EQ(record.plain_size, row.plain[i].size());
        table.emplace_back();
        std::copy(kept.begin(), kept.end(), table.back().hash.begin());
      }
      EXPECT_EQ(sealing->payload_crc(), Crc32::of(payload));

      const auto opening = *TdfCipher::create(key, layout, options, table);
      for (std::size_t i = 0; i < segments.size(); ++i) {
        Bytes plain(row.plain[i].size());
        ASSERT_TRUE(opening->open(static_cast<std::uint32_t>(i), i + 1 == segments.size() ? Last::kYes : Last::kNo,
                                  unhex(segments[i].at("bytes")), plain));
        EXPECT_EQ(as_text(plain), row.plain[i]);
      }
    }
  }
}

TEST(TdfCipher, EveryDriverSealsTheSameBytesAndTheSameTable) {
  for (const std::size_t size : {0u, 1u, 35u, 36u, 37u, 72u, 73u, 1000u, 4999u, 5000u, 5001u, 10000u, 123456u}) {
    const Bytes plain = noise_bytes(size);
    for (const SegmentFormat& format : formats(plain)) {
      const Bytes expected = seal_by_loop(format, plain);
      for (const Driver& driver : seal_drivers()) {
        for (const bool knows : {false, true}) {
          if (knows && driver.shape != Shape::kPull) continue;
          const auto cipher = format.cipher();
          const auto& tdf = static_cast<const TdfCipher&>(*cipher);
          const Supply supply{!knows, knows ? kUnlimited : std::size_t{61}, knows, {}};
          const Outcome outcome = run_seal(driver, format, tdf, plain, {supply, 1000, {}, {}});
          ASSERT_FALSE(outcome.error) << format.name << " " << driver.text();
          ASSERT_TRUE(outcome.bytes == expected) << format.name << " size " << size << " " << driver.text();
          ASSERT_TRUE(outcome.sticky) << format.name << " " << driver.text();
          ASSERT_EQ(tdf.table().size(), *format.layout.segment_count(size));
          ASSERT_EQ(tdf.payload_crc(), Crc32::of(ByteView(expected).subspan(format.header.size())));
        }
      }
    }
  }
}

TEST(TdfCipher, PiecesMakeTheSameBytesAndTheSameTable) {
  const std::size_t piece = kFilePieceSize;  // what transform_at seals by pieces is larger
  for (const auto& [segment, sizes] : std::vector<std::pair<std::size_t, std::vector<std::size_t>>>{
           {36, {0, 1, 35, 36, 37, 72, 500}}, {piece + 1000, {0, 1, piece, piece + 1000, 2 * piece, 3 * piece}}}) {
    for (const std::size_t size : sizes) {
      const Bytes plain = noise_bytes(size);
      for (const SegmentHash hash : kBothHashes) {
        const SegmentFormat format = tdf_format(hash, segment, 39, plain);
        const Bytes expected = seal_by_loop(format, plain);
        const auto check = [&](const char* way, const auto& seal) {
          const auto cipher = format.cipher();
          const Bytes sealed = seal(SegmentStage(*cipher, Direction::kSeal));
          ASSERT_TRUE(sealed == expected) << way << " " << format.name << " " << size;
          const auto& tdf = static_cast<const TdfCipher&>(*cipher);
          ASSERT_EQ(tdf.payload_crc(), Crc32::of(ByteView(expected).subspan(39)));
          Bytes by_loop;
          Bytes by_pieces;
          const auto whole = format.cipher();
          std::uint32_t index = 0;
          std::size_t at = 0;
          for (const std::size_t n : plain_segments(format.layout, size)) {
            Bytes out(n + kSegmentOverhead);
            ASSERT_TRUE(whole->seal(index, Last::kNo, slice(plain, at, n), out));
            append(by_loop, static_cast<const TdfCipher&>(*whole).table().get(index)->hash);
            append(by_pieces, tdf.table().get(index)->hash);
            at += n;
            ++index;
          }
          ASSERT_EQ(by_pieces, by_loop) << way << " " << format.name << " " << size;
          ASSERT_EQ(tdf.table().size(), index);
        };
        for (const bool knows : {false, true}) {
          check("source", [&](const SegmentStage& stage) {
            TestSource in(plain, {!knows, std::size_t{5001}, knows, {}});
            PieceSource source(stage, format.header, in);
            return drain(source, 4096).bytes;
          });
          check("sink", [&](const SegmentStage& stage) {
            TestSink out;
            PieceSink sink(stage, format.header, knows ? std::optional<std::uint64_t>(size) : std::nullopt, out);
            EXPECT_FALSE(push(sink, plain, 4001, knows).error);
            return out.bytes();
          });
        }
        check("positions", [&](const SegmentStage& stage) {
          const TestReadAt in(plain);
          const TestWriteAt out(expected.size());
          EXPECT_TRUE(transform_at(stage, format.header, in, &out, 2));
          return out.bytes();
        });
      }
    }
  }
}

TEST(TdfCipher, EveryDriverOpensEverySize) {
  for (const std::size_t size : {0u, 1u, 35u, 36u, 37u, 72u, 73u, 1000u, 5000u, 5001u, 123456u}) {
    const Bytes plain = noise_bytes(size);
    for (const SegmentFormat& format : formats(plain)) {
      const Bytes stream = seal_by_loop(format, plain);
      for (const Driver& driver : open_drivers()) {
        for (const bool knows : {false, true}) {
          if (knows && driver.shape != Shape::kPull) continue;
          const Supply supply{!knows, knows ? kUnlimited : std::size_t{61}, knows, {}};
          const Outcome outcome = run_open(driver, format, stream, {supply, 1000, {}, {}});
          ASSERT_FALSE(outcome.error) << format.name << " " << driver.text() << ": " << describe(*outcome.error);
          ASSERT_TRUE(outcome.bytes == plain) << format.name << " size " << size << " " << driver.text();
          ASSERT_TRUE(outcome.sticky) << format.name << " " << driver.text();
        }
      }
    }
  }
}

// Nothing but the table says in which order segments come and where they end.
TEST(TdfCipher, EveryDecryptorRefusesTheAttackList) {
  for (const std::size_t size : {36u * 3 + 17, 36u * 4, 5000u * 3 + 1, 5000u * 4}) {
    const Bytes plain = noise_bytes(size);
    for (const SegmentFormat& format : formats(plain)) {
      if (size / format.layout.plain_capacity(0) < 3 || size / format.layout.plain_capacity(0) > 4) continue;
      const Bytes stream = seal_by_loop(format, plain);
      for (const Attack& attack : attacks(format, stream)) {
        if (attack.name.starts_with("header bit") && attack.name != "header bit 0") continue;
        const Opened expected = open_by_loop(format, attack.stream);
        ASSERT_FALSE(expected.whole) << attack.name;
        ASSERT_TRUE(is_prefix(expected.plain, plain)) << attack.name;
        for (const Driver& driver : open_drivers()) {
          const Outcome outcome =
              run_open(driver, format, attack.stream, {{false, kUnlimited, true, {}}, 1000, {}, {}});
          const auto place = [&] { return format.name + "; " + attack.name + "; " + driver.text(); };
          ASSERT_TRUE(outcome.error) << place();
          ASSERT_EQ(outcome.error->code, ErrorCode::kNotAuthentic) << place();
          ASSERT_TRUE(outcome.sticky) << place();
          ASSERT_EQ(outcome.bytes, driver.streams() ? expected.plain : Bytes{}) << place();
        }
      }
    }
  }
}

TEST(TdfCipher, EveryBitOfASegmentAndOfItsHash) {
  for (const SegmentHash hash : kBothHashes) {
    const Bytes plain = noise_bytes(20);
    const SegmentFormat format = tdf_format(hash, 36, 0, plain);
    const Bytes stream = seal_by_loop(format, plain);
    const auto sealing = format.cipher();
    Bytes sealed(stream.size());
    ASSERT_TRUE(sealing->seal(0, Last::kYes, plain, sealed));
    std::vector<SegmentRecord> table = static_cast<const TdfCipher&>(*sealing).table().records();
    TdfCipher::Options options;
    options.hash = hash;
    const auto refuses = [&](ByteView segment, const std::vector<SegmentRecord>& expected) {
      const auto cipher = *TdfCipher::create(tdf_key(), format.layout, options, expected);
      Bytes out(segment.size() - kSegmentOverhead, std::byte{0xcc});
      const Status status = cipher->open(0, Last::kYes, segment, out);
      return !status && status.error().code == ErrorCode::kNotAuthentic && is_zero(out) &&
             status.error().where.find("tamper") != std::string_view::npos;
    };
    ASSERT_FALSE(refuses(sealed, table));
    for (std::size_t bit = 0; bit < 8 * sealed.size(); ++bit) {
      sealed[bit / 8] ^= std::byte{1} << (bit % 8);
      ASSERT_TRUE(refuses(sealed, table)) << bit;
      sealed[bit / 8] ^= std::byte{1} << (bit % 8);
    }
    for (std::size_t bit = 0; bit < 8 * hash_size(hash); ++bit) {
      table[0].hash[bit / 8] ^= std::byte{1} << (bit % 8);
      ASSERT_TRUE(refuses(sealed, table)) << bit;
      table[0].hash[bit / 8] ^= std::byte{1} << (bit % 8);
    }
    ASSERT_TRUE(refuses(sealed, {}));                    // a segment that the table does not have
    ASSERT_TRUE(refuses(sealed, {table[0], table[0]}));  // more segments in the table
  }
}

// Nonces are random, and never the same twice: not in one file, not when a segment is sealed again.
TEST(TdfCipher, t04_NoNonceComesTwice) {
  const auto cipher = *TdfCipher::create(tdf_key(), *TdfCipher::layout_of(0, 16), {});
  std::set<std::string> nonces;
  Bytes out(16 + kSegmentOverhead);
  for (std::uint32_t i = 0; i < 2000; ++i) {
    for (int again = 0; again < 2; ++again) {
      ASSERT_TRUE(cipher->seal(i, Last::kNo, noise_bytes(16), out));
      ASSERT_TRUE(nonces.insert(std::string(as_text(ByteView(out).first(kGcmNonceSize)))).second);
    }
  }
}

TEST(TdfCipher, SegmentBeyondTheLimitIsRefusedAndNothingIsLeftOfIt) {
  TdfCipher::Options options;
  options.max_segments = 2;
  options.too_many = Error{ErrorCode::kLimitExceeded, "manifest size", 7, 32};
  const auto cipher = *TdfCipher::create(tdf_key(), *TdfCipher::layout_of(0, 16), options);
  const Bytes plain = noise_bytes(16);
  Bytes out(plain.size() + kSegmentOverhead);
  ASSERT_TRUE(cipher->seal(1, Last::kNo, plain, out));
  std::fill(out.begin(), out.end(), std::byte{0xcc});
  const Status status = cipher->seal(2, Last::kNo, plain, out);
  ASSERT_FALSE(status);
  EXPECT_TRUE(same(status.error(), options.too_many));
  EXPECT_TRUE(is_zero(out));
  EXPECT_EQ(cipher->table().size(), 2u);
}

TEST(TdfCipher, t03_OneFewerThan2To32SegmentsUnderAKey) {
  const SegmentLayout layout = *TdfCipher::layout_of(59, 16384);
  EXPECT_EQ(*layout.segment_count(kMaxSegments * 16384), kMaxSegments);
  EXPECT_EQ(layout.segment_count(kMaxSegments * 16384 + 1).error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(*layout.cipher_size(std::uint64_t{65} << 30),
            59 + (std::uint64_t{65} << 30) + (std::uint64_t{65} << 16) * 28);
}

}  // namespace
}  // namespace millrace::tdf
