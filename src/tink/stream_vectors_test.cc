// The golden streams, through every driver in both directions.
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include "testing/segment_drivers.h"
#include "testing/tink_streams.h"

namespace millrace::tink {
namespace {

using namespace millrace::testing;

std::string sha256_hex(ByteView bytes) {
  unsigned char digest[32];
  EXPECT_EQ(EVP_Digest(bytes.data(), bytes.size(), digest, nullptr, EVP_sha256(), nullptr), 1);
  std::string hex;
  for (const unsigned char b : digest) {
    hex += "0123456789abcdef"[b >> 4];
    hex += "0123456789abcdef"[b & 15];
  }
  return hex;
}

std::vector<StreamVector> valid_streams() {
  std::vector<StreamVector> all;
  for (const char* file : {"aes_gcm_hkdf_streaming.json", "aes_ctr_hmac_streaming.json", "streams_generated.json"}) {
    for (StreamVector& v : load_streams(file)) all.push_back(std::move(v));
  }
  return all;
}

// The steps of one run: all for small streams, those that matter for large ones.
std::vector<std::size_t> steps_of(const StreamVector& v, const Driver& driver) {
  const std::size_t segment = v.key.params.ciphertext_segment_size;
  if (!driver.streams()) return {kUnlimited};
  if (v.plaintext->size() > 100000) {
    if (driver.threads > 1) return {segment};
    return {4097, segment - 1, segment, segment + 1};
  }
  if (driver.threads > 1) return {1, 4096, segment};
  return {1, 7, 4095, 4096, 4097, segment - 1, segment, segment + 1};
}

TEST(TinkVectors, SealingReproducesEveryStream) {
  const std::vector<StreamVector> vectors = valid_streams();
  ASSERT_EQ(vectors.size(), 8u + 6u + 99u);
  for (const StreamVector& v : vectors) {
    ASSERT_TRUE(v.valid) << v.id;
    const SegmentFormat format = tink_format(v.key, v.offset, v.header, v.associated_data);
    ASSERT_EQ(*format.layout.segment_count(v.plaintext->size()), v.segments) << v.id;
    const auto cipher = format.cipher();
    Bytes expected;
    if (v.ciphertext) {
      expected = *v.ciphertext;
    } else {
      // The digest vouches for the stream that every driver is then compared with.
      expected = seal_by_loop(format, *v.plaintext);
      ASSERT_EQ(expected.size(), v.ciphertext_length) << v.id;
      ASSERT_EQ(sha256_hex(expected), v.ciphertext_sha256_hex) << v.id;
    }
    const bool gcm = v.key.params.construction == Construction::kAesGcmHkdf;
    ASSERT_EQ(can_seal_pieces(*cipher, v.plaintext->size()), gcm) << v.id;
    ASSERT_FALSE(can_seal_pieces(*cipher, std::nullopt)) << v.id;  // the last flag is sealed
    for (const std::size_t step : {std::size_t{1001}, kUnlimited}) {
      if (!gcm) continue;
      TestSource in(*v.plaintext, {false, kUnlimited, true, {}});
      PieceSource sealed(SegmentStage(*cipher, Direction::kSeal), format.header, in);
      const Outcome outcome = drain(sealed, step);
      ASSERT_FALSE(outcome.error) << v.id;
      ASSERT_TRUE(outcome.bytes == expected) << v.id << " by pieces, step " << step;
    }
    for (const Driver& driver : seal_drivers()) {
      for (const std::size_t step : steps_of(v, driver)) {
        for (const bool knows : {false, true}) {
          if (knows && driver.shape != Shape::kPull) continue;
          const Supply supply{!knows, driver.shape == Shape::kPull ? step : kUnlimited, knows, {}};
          const Outcome outcome = run_seal(driver, format, *cipher, *v.plaintext, {supply, step, {}, {}});
          ASSERT_FALSE(outcome.error) << v.id << " " << driver.text();
          ASSERT_TRUE(outcome.bytes == expected) << v.id << " " << driver.text() << " step " << step;
          ASSERT_TRUE(outcome.sticky) << v.id << " " << driver.text();
        }
      }
    }
  }
}

TEST(TinkVectors, EveryStreamOpens) {
  for (const StreamVector& v : valid_streams()) {
    const SegmentFormat format = tink_format(v.key, v.offset, v.header, v.associated_data);
    const Bytes stream = v.ciphertext ? *v.ciphertext : seal_by_loop(format, *v.plaintext);
    for (const Driver& driver : open_drivers()) {
      for (const std::size_t step : steps_of(v, driver)) {
        for (const bool knows : {false, true}) {
          if (knows && driver.shape != Shape::kPull) continue;
          const Supply supply{!knows, driver.shape == Shape::kPull ? step : kUnlimited, knows, {}};
          const Outcome outcome = run_open(driver, format, stream, {supply, step, {}, {}});
          ASSERT_FALSE(outcome.error) << v.id << " " << driver.text() << ": " << describe(*outcome.error);
          ASSERT_TRUE(outcome.bytes == *v.plaintext) << v.id << " " << driver.text() << " step " << step;
          ASSERT_TRUE(outcome.sticky) << v.id << " " << driver.text();
        }
      }
    }
    const StreamingAead aead = make_aead(v.key, v.offset);
    const StreamInfo info = *aead.inspect(MemoryReadAt(stream), v.associated_data);
    EXPECT_EQ(info.key_id, v.key.id);
    EXPECT_EQ(info.segments, v.segments) << v.id;
    EXPECT_EQ(info.plain_size, v.plaintext->size()) << v.id;
    Bytes plain(StreamingAead::max_decrypted_size(stream.size()));
    ASSERT_EQ(*aead.decrypt(stream, v.associated_data, plain), v.plaintext->size()) << v.id;
    plain.resize(v.plaintext->size());
    ASSERT_TRUE(plain == *v.plaintext) << v.id;
  }
}

TEST(TinkVectors, RandomAccessToEveryRangeOfTheSmallOnes) {
  int small = 0;
  for (const StreamVector& v : valid_streams()) {
    if (!v.ciphertext || v.plaintext->size() > 80) continue;
    ++small;
    const StreamingAead aead = make_aead(v.key, v.offset);
    const MemoryReadAt in(*v.ciphertext);
    const auto reader = aead.decrypt_read_at(in, v.associated_data);
    ASSERT_TRUE(reader) << v.id;
    const std::size_t size = v.plaintext->size();
    ASSERT_EQ((*reader)->size(), size);
    for (std::size_t start = 0; start <= size; ++start) {
      for (std::size_t n = 0; n <= size - start; ++n) {
        Bytes dst(n);
        ASSERT_TRUE((*reader)->read_at(start, dst));
        ASSERT_TRUE(equal(dst, slice(*v.plaintext, start, n)));
      }
      Bytes beyond(size - start + 1);
      ASSERT_EQ((*reader)->read_at(start, beyond).error().code, ErrorCode::kInvalidArgument);
    }
  }
  EXPECT_GT(small, 25);
}

TEST(TinkVectors, EveryInvalidStreamIsRefusedByEveryDecryptor) {
  const std::vector<StreamVector> vectors = load_streams("streams_invalid.json");
  ASSERT_EQ(vectors.size(), 67u);
  int refused = 0;
  for (const StreamVector& v : vectors) {
    const SegmentFormat format = tink_format(v.key, v.offset, v.header, v.associated_data);
    const Opened expected = open_by_loop(format, *v.ciphertext);
    ASSERT_EQ(expected.whole, v.valid) << v.id;
    if (v.valid) {
      ASSERT_TRUE(v.decrypt_only);
      ASSERT_EQ(expected.plain, *v.plaintext) << v.id;
    }
    const bool size_byte = v.id.find("header-length-byte") != std::string::npos;
    refused += !v.valid;
    for (const Driver& driver : open_drivers()) {
      for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
        for (const bool knows : {false, true}) {
          const Outcome outcome = run_open(driver, format, *v.ciphertext, {{knows, step, knows, {}}, step, {}, {}});
          ASSERT_EQ(!outcome.error, v.valid) << v.id << " " << driver.text();
          ASSERT_TRUE(outcome.sticky) << v.id << " " << driver.text();
          if (outcome.error) {
            ASSERT_EQ(outcome.error->code, size_byte ? ErrorCode::kMalformed : ErrorCode::kNotAuthentic)
                << v.id << " " << driver.text();
          }
          if (v.valid || driver.streams()) {
            ASSERT_EQ(outcome.bytes, expected.plain) << v.id << " " << driver.text();
          } else {
            ASSERT_TRUE(outcome.bytes.empty());
          }
        }
      }
    }
    const StreamingAead aead = make_aead(v.key, v.offset);
    Bytes plain(StreamingAead::max_decrypted_size(v.ciphertext->size()), std::byte{0xcc});
    ASSERT_EQ(aead.decrypt(*v.ciphertext, v.associated_data, plain).has_value(), v.valid) << v.id;
    ASSERT_TRUE(v.valid || is_zero(plain)) << v.id;
  }
  EXPECT_EQ(refused, 65);
}

// What the streaming drivers released of some of them, by hand: 24 bytes of plaintext in segment 0, 48 in the others.
TEST(TinkVectors, ReleasedBeforeTheFault) {
  const std::map<std::string, std::size_t> released = {
      {"gcm-empty-input", 0},
      {"gcm-header-only", 0},
      {"gcm-cut-to-one-segment", 0},
      {"gcm-cut-to-two-segments", 24},
      {"gcm-cut-after-one-byte-of-second-segment", 24},
      {"gcm-segments-1-2-swapped", 24},
      {"gcm-segment-1-duplicated", 72},
      {"gcm-trailing-byte-after-full-last", 72},
      {"gcm-trailing-byte-after-full-only-segment", 0},
      {"gcm-trailing-segment-after-full-last", 72},
      {"gcm-last-without-flag", 72},
      {"gcm-flag-on-first-of-two", 0},
  };
  std::size_t seen = 0;
  for (const StreamVector& v : load_streams("streams_invalid.json")) {
    for (const auto& [name, bytes] : released) {
      if (v.id != "streams_invalid.json \"" + name + "\"") continue;
      ++seen;
      const SegmentFormat format = tink_format(v.key, v.offset, v.header, v.associated_data);
      for (const Driver& driver : open_drivers()) {
        if (driver.streams()) {
          EXPECT_EQ(run_open(driver, format, *v.ciphertext).bytes.size(), bytes) << name << " " << driver.text();
        }
      }
    }
  }
  EXPECT_EQ(seen, released.size());
}

TEST(TinkVectors, KeysetsOpenTheirCiphertexts) {
  std::ifstream in(MILLRACE_TEST_VECTORS "/tink/keysets.json");
  ASSERT_TRUE(in.good());
  int opened = 0;
  int refused = 0;
  const nlohmann::json all = nlohmann::json::parse(in);
  for (const nlohmann::json& entry : all.at("vectors")) {
    const std::string json = entry.at("json");
    const Result<Keyset> keyset = Keyset::parse(as_bytes(json));
    ASSERT_TRUE(keyset);
    const Result<StreamingAead> aead = StreamingAead::create(*keyset);
    ASSERT_TRUE(aead);
    for (const nlohmann::json& item : entry.at("ciphertexts")) {
      const Bytes stream = hex_bytes(item.at("ciphertext_hex"));
      const Bytes aad = item.contains("aad_hex") ? hex_bytes(item.at("aad_hex"))
                                                 : to_bytes(as_bytes(item.at("aad_ascii").get<std::string>()));
      const bool valid = item.at("result") == "valid";
      Bytes expected;
      if (valid && item.contains("plaintext_hex")) {
        expected = hex_bytes(item.at("plaintext_hex"));
      } else if (valid && item.contains("plaintext_generator")) {
        expected = counter_bytes(item.at("plaintext_generator").at("length").get<std::size_t>());
      } else {
        ASSERT_FALSE(valid) << entry.at("id");
      }
      (valid ? opened : refused) += 1;

      for (const unsigned threads : {1u, 2u}) {
        TestSource source(stream, {false, 1, false, {}});
        const auto decrypting = *aead->decrypt_source(source, aad, threads);
        const Outcome outcome = drain(*decrypting, 1000);
        ASSERT_EQ(!outcome.error, valid) << entry.at("id");
        ASSERT_EQ(outcome.bytes, expected) << entry.at("id");
        ASSERT_TRUE(outcome.sticky);
        const TestWriteAt out(valid ? expected.size() : stream.size());
        ASSERT_EQ(aead->decrypt_at(MemoryReadAt(stream), out, aad, threads).has_value(), valid);
        if (valid) {
          ASSERT_EQ(out.bytes(), expected);
        }
        ASSERT_EQ(aead->verify_at(MemoryReadAt(stream), aad, threads).has_value(), valid);
      }
      TestSink sink;
      const auto decrypting = *aead->decrypt_sink(sink, aad);
      ASSERT_EQ(!push(*decrypting, stream, 7, false).error, valid) << entry.at("id");
      ASSERT_EQ(sink.bytes(), expected) << entry.at("id");
      Bytes plain(StreamingAead::max_decrypted_size(stream.size()));
      const Result<std::size_t> size = aead->decrypt(stream, aad, plain);
      ASSERT_EQ(size.has_value(), valid);
      if (size) {
        plain.resize(*size);
        ASSERT_EQ(plain, expected);
      }
      const MemoryReadAt at(stream);
      ASSERT_EQ(aead->decrypt_read_at(at, aad).has_value(), valid);
      if (valid) {
        const StreamInfo info = *aead->inspect(at, aad);
        ASSERT_EQ(info.plain_size, expected.size());
      }
    }
  }
  EXPECT_GT(opened, 15);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace millrace::tink
