// Which of several keys opens a stream, and how little of it is read to find out.
#include "tink/key_choice.h"

#include <gtest/gtest.h>

#include "testing/segment_drivers.h"
#include "testing/tink_streams.h"

namespace millrace::tink {
namespace {

using namespace millrace::testing;

// Keys of both constructions, both header sizes and different segment sizes, the largest first.
std::vector<TestKey> mixed_keys() {
  return {{1, gcm_params(16, 1048576), noise_bytes(16, 1)}, {2, gcm_params(32, 1048576), noise_bytes(32, 2)},
          {3, ctr_params(16, 4096), noise_bytes(16, 3)},    {4, gcm_params(16, 64), noise_bytes(16, 4)},
          {5, ctr_params(32, 128, 10), noise_bytes(32, 5)}, {6, gcm_params(16, 300), noise_bytes(16, 6)}};
}

Bytes stream_of(const TestKey& key, const Bytes& plain, std::uint32_t offset = 0) {
  const StreamingAead aead = make_aead(key, offset);
  Bytes out(static_cast<std::size_t>(*aead.encrypted_size(plain.size())));
  EXPECT_TRUE(aead.encrypt(plain, as_bytes("aad"), out));
  return out;
}

// read_to_choose chooses a key for the stream and returns how many bytes were read for it.
std::size_t read_to_choose(const std::vector<TestKey>& keys, const Bytes& stream, std::uint32_t expected_id,
                           std::size_t step = kUnlimited) {
  const std::vector<UsableKey> usable = usable_keys(keys);
  KeyChoice choice(usable, 0, as_bytes("aad"));
  TestSource in(stream, {false, step, false, {}});
  const Result<StreamStart> start = read_head(choice, in);
  EXPECT_TRUE(start);
  EXPECT_TRUE(choice.chosen() != nullptr && choice.chosen()->id == expected_id);
  return in.delivered();
}

TEST(KeyChoice, OneKeyReadsTheHeaderOnly) {
  for (const TestKey& key : mixed_keys()) {
    const Bytes stream = stream_of(key, noise_bytes(5000));
    EXPECT_EQ(read_to_choose({key}, stream, key.id), header_size(key.params));
    EXPECT_EQ(read_to_choose({key}, stream, key.id, 1), header_size(key.params));
  }
}

TEST(KeyChoice, ReadsNoFurtherThanTheFirstSegmentOfTheKey) {
  const std::vector<TestKey> keys = mixed_keys();
  const Bytes plain = noise_bytes(3000000);
  EXPECT_EQ(read_to_choose(keys, stream_of(keys[3], plain), 4), 64u + 1);  // the smallest is tried first
  EXPECT_EQ(read_to_choose(keys, stream_of(keys[5], plain), 6), 300u + 1);
  EXPECT_EQ(read_to_choose(keys, stream_of(keys[2], plain), 3), 4096u + 1);
  EXPECT_EQ(read_to_choose(keys, stream_of(keys[0], plain), 1), 4096u + 1);  // the last standing needs no trial
  EXPECT_EQ(read_to_choose(keys, stream_of(keys[4], plain), 5), 128u + 1);   // of two with 40 bytes of header
  EXPECT_EQ(read_to_choose(keys, stream_of(keys[1], plain), 2), 128u + 1);
  EXPECT_EQ(read_to_choose(keys, stream_of(keys[3], noise_bytes(10)), 4), 50u);  // the stream ends first
}

TEST(KeyChoice, s08_EveryKeyOfTheSetInEveryWay) {
  const std::vector<TestKey> keys = mixed_keys();
  const StreamingAead aead = make_aead(keys, 2);
  for (const TestKey& key : keys) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{24}, std::size_t{25}, std::size_t{276},
                                   std::size_t{5000}, std::size_t{1100000}}) {
      const Bytes plain = noise_bytes(size);
      const Bytes stream = stream_of(key, plain);
      for (const std::size_t step : {std::size_t{1}, std::size_t{4095}, kUnlimited}) {
        if (step == 1 && size > 5000) continue;
        for (const bool lends : {false, true}) {
          TestSource in(stream, {lends, step, lends, {}});
          const auto decrypting = *aead.decrypt_source(in, as_bytes("aad"), lends ? 2 : 1);
          EXPECT_EQ(decrypting->info().key_id, 0u);
          const Outcome opened = drain(*decrypting, 7000);
          ASSERT_FALSE(opened.error) << key.id << " " << size << " " << describe(*opened.error);
          ASSERT_TRUE(opened.bytes == plain) << key.id;
          EXPECT_EQ(decrypting->info().key_id, key.id);
        }
        TestSink sink;
        const Outcome pushed = push(**aead.decrypt_sink(sink, as_bytes("aad")), stream, step, step == 4095);
        ASSERT_FALSE(pushed.error);
        ASSERT_TRUE(sink.bytes() == plain);
      }
      const MemoryReadAt at(stream);
      EXPECT_EQ(aead.inspect(at, as_bytes("aad"))->key_id, key.id);
      EXPECT_EQ(aead.verify_at(at, as_bytes("aad"), 2)->plain_size, size);
    }
  }
}

TEST(KeyChoice, PrimaryEncrypts) {
  const std::vector<TestKey> keys = mixed_keys();
  for (const TestKey& key : keys) {
    const StreamingAead aead = make_aead(keys, key.id);
    Bytes stream(static_cast<std::size_t>(*aead.encrypted_size(100)));
    ASSERT_TRUE(aead.encrypt(noise_bytes(100), as_bytes("aad"), stream));
    Bytes out(200);
    EXPECT_EQ(*make_aead(key).decrypt(stream, as_bytes("aad"), out), 100u);
  }
}

TEST(KeyChoice, NoneFitsIsOneClearError) {
  const std::vector<TestKey> keys = mixed_keys();
  const StreamingAead aead = make_aead(keys, 1);
  for (const TestKey& made_by :
       {TestKey{9, gcm_params(16, 64), noise_bytes(16, 50)}, TestKey{9, gcm_params(32, 4096), noise_bytes(32, 51)}}) {
    const Bytes stream = stream_of(made_by, noise_bytes(2000));
    TestSource in(stream, {});
    const Outcome outcome = drain(**aead.decrypt_source(in, as_bytes("aad")), 1000);
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->code, ErrorCode::kNotAuthentic);
    EXPECT_EQ(outcome.error->where, kFirstSegmentRefused);
    EXPECT_EQ(outcome.error->offset, 0u);
    EXPECT_TRUE(outcome.sticky);
    EXPECT_TRUE(outcome.bytes.empty());
  }
  // No key has a header of this size.
  const StreamingAead small = make_aead({mixed_keys()[0], mixed_keys()[2]}, 1);
  const Bytes stream = stream_of(keys[1], noise_bytes(100));
  EXPECT_EQ(small.inspect(MemoryReadAt(stream), as_bytes("aad")).error().where, kFirstSegmentRefused);
}

TEST(KeyChoice, DamageBehindTheFirstSegmentIsNotAKeyThatIsMissing) {
  const std::vector<TestKey> keys = mixed_keys();
  const StreamingAead aead = make_aead(keys, 1);
  Bytes stream = stream_of(keys[3], noise_bytes(500));
  stream[130] ^= std::byte{1};
  TestSource in(stream, {});
  const Outcome outcome = drain(**aead.decrypt_source(in, as_bytes("aad")), 1000);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->offset, 128u);
  EXPECT_NE(outcome.error->where, kFirstSegmentRefused);
  EXPECT_EQ(outcome.bytes.size(), 24u + 48u);
}

TEST(KeyChoice, FailedReadsWhileChoosingKeepTheirCause) {
  const std::vector<TestKey> keys = mixed_keys();
  const StreamingAead aead = make_aead(keys, 1);
  const Bytes stream = stream_of(keys[2], noise_bytes(6000));
  for (std::size_t at = 0; at < 4200; at += at < 80 ? 1 : 97) {
    for (const std::size_t step : {std::size_t{100}, kUnlimited}) {
      TestSource in(stream, {false, step, false, at});
      const Outcome outcome = drain(**aead.decrypt_source(in, as_bytes("aad")), 1000);
      ASSERT_TRUE(outcome.error);
      ASSERT_TRUE(same(*outcome.error, Error{ErrorCode::kIo, "test source", at, EIO})) << at;
      ASSERT_TRUE(outcome.sticky && !in.pulled_after_error());
    }
    const TestReadAt bad(stream, at);
    ASSERT_EQ(aead.inspect(bad, as_bytes("aad")).error().detail, EIO) << at;
  }
}

TEST(KeyChoice, FirstSegmentOffsetWithSeveralKeys) {
  const std::vector<TestKey> keys = mixed_keys();
  for (const std::uint32_t offset : {1u, 8u, 23u}) {
    const StreamingAead aead = make_aead(keys, 1, offset);
    for (const TestKey& key : keys) {
      const Bytes plain = noise_bytes(5000);
      const Bytes stream = stream_of(key, plain, offset);
      TestSource in(stream, {});
      const Outcome outcome = drain(**aead.decrypt_source(in, as_bytes("aad")), 1000);
      ASSERT_FALSE(outcome.error) << key.id << " " << offset;
      ASSERT_EQ(outcome.bytes, plain);
    }
  }
}

}  // namespace
}  // namespace millrace::tink
