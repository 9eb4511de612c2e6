// How much memory a small record costs, whatever the segment size of the key. A program of its own: it counts every
// allocation of the process that is not OpenSSL's.
#include <gtest/gtest.h>

#include "testing/live_memory.h"
#include "testing/segment_drivers.h"
#include "testing/tink_streams.h"

namespace millrace::tink {
namespace {

using namespace millrace::testing;

constexpr std::size_t kBudget = 16 * 1024;

std::vector<TestKey> keys(std::size_t n) {
  std::vector<TestKey> all;
  for (std::uint32_t i = 1; i <= n; ++i) {
    all.push_back({i, i % 2 == 1 ? gcm_params(16, 1048576) : ctr_params(16, 1048576), noise_bytes(16, i)});
  }
  return all;
}

TEST(TinkMemory, CountingSeesSmallAndLargeSlabs) {
  EXPECT_GE(cost([] { Slab::acquire(5000); }), 5000u);
  EXPECT_GE(cost([] { Slab::acquire(9 << 20); }), std::size_t{9} << 20);
}

TEST(TinkMemory, SmallRecordWithLargeSegmentsStaysSmallOnEverySide) {
  const Bytes plain = counter_bytes(300);
  for (const std::size_t candidates : {std::size_t{1}, std::size_t{2}, std::size_t{10}}) {
    const StreamingAead aead = make_aead(keys(candidates), static_cast<std::uint32_t>(candidates));
    Bytes stream(static_cast<std::size_t>(*aead.encrypted_size(300)));
    const ByteView data = as_bytes("aad");
    ASSERT_TRUE(aead.encrypt(plain, data, stream));  // and whatever is made once is made

    Bytes scratch(1000);
    for (const bool knows : {false, true}) {
      TestSource in(plain, {false, kUnlimited, knows, {}});
      EXPECT_LT(cost([&] {
                  const auto source = *aead.encrypt_source(in, data);
                  while (!source->pull(scratch)->empty()) {
                  }
                }),
                kBudget);
      TestSource sealed(stream, {false, kUnlimited, knows, {}});
      EXPECT_LT(cost([&] {
                  const auto source = *aead.decrypt_source(sealed, data);
                  std::size_t total = 0;
                  while (const std::size_t n = source->pull(scratch)->size()) total += n;
                  EXPECT_EQ(total, 300u);
                }),
                kBudget)
          << candidates;
    }
    TestSink out({1000, {}});
    EXPECT_LT(cost([&] {
                const auto sink = *aead.encrypt_sink(out, data);
                ASSERT_TRUE(sink->write(plain) && sink->finish());
              }),
              kBudget);
    TestSink opened({1000, {}});
    EXPECT_LT(cost([&] {
                const auto sink = *aead.decrypt_sink(opened, data);
                ASSERT_TRUE(sink->write(stream) && sink->finish());
              }),
              kBudget)
        << candidates;
    EXPECT_EQ(opened.bytes(), plain);

    Bytes record(stream.size());
    EXPECT_LT(cost([&] { ASSERT_TRUE(aead.encrypt(plain, data, record)); }), kBudget);
    Bytes back(stream.size());
    EXPECT_LT(cost([&] { ASSERT_TRUE(aead.decrypt(stream, data, back)); }), kBudget);
    const MemoryReadAt at(stream);
    EXPECT_LT(cost([&] {
                const auto reader = *aead.decrypt_read_at(at, data);
                ASSERT_TRUE(reader->read_at(0, ByteSpan(back).first(300)));
              }),
              kBudget);
    EXPECT_LT(cost([&] { ASSERT_TRUE(aead.verify_at(at, data, 1)); }), kBudget);
  }
}

// One batch in work, and at most as much again for its output where it cannot be made in place.
TEST(TinkMemory, LargeStreamsTakeBoundedMemory) {
  for (const std::uint32_t segment : {std::uint32_t{4096}, std::uint32_t{65536}, std::uint32_t{1048576}}) {
    const StreamingAead aead = make_aead({1, gcm_params(16, segment), noise_bytes(16)});
    const Bytes plain = noise_bytes(5000000);
    const std::size_t batch = std::max<std::size_t>(segment, kStreamBuffer);
    Bytes scratch(1000);
    for (const bool knows : {false, true}) {
      TestSource in(plain, {false, kUnlimited, knows, {}});
      // A buffer of 1 MiB and more is rounded up to whole huge pages.
      EXPECT_LT(cost([&] {
                  const auto source = *aead.encrypt_source(in, {});
                  while (!source->pull(scratch)->empty()) {
                  }
                }),
                2 * batch + (std::size_t{2} << 20))
          << segment << " " << knows;
    }
  }
}

// AES-GCM-HKDF seals a known length by pieces: a segment of 16 MiB costs no more than one of 1 MiB.
TEST(TinkMemory, EncryptingAKnownLengthIsFlatInTheSegment) {
  const Bytes plain = noise_bytes(std::size_t{20} << 20);
  const MemoryReadAt in(plain);
  Bytes scratch(kStreamBuffer);
  for (const std::uint32_t segment : {std::uint32_t{1} << 20, std::uint32_t{1} << 24}) {
    const StreamingAead aead = make_aead({1, gcm_params(16, segment), noise_bytes(16)});
    TestSource source(plain, {false, kUnlimited, true, {}});
    EXPECT_LT(cost([&] {
                const auto sealed = *aead.encrypt_source(source, {});
                while (!sealed->pull(scratch)->empty()) {
                }
              }),
              std::size_t{1} << 20)
        << segment;
    const TestWriteAt out(static_cast<std::size_t>(*aead.encrypted_size(plain.size())));
    EXPECT_LT(cost([&] { ASSERT_TRUE(aead.encrypt_at(in, out, {}, 2)); }), std::size_t{3} << 20) << segment;
    Bytes back(StreamingAead::max_decrypted_size(out.bytes().size()));
    ASSERT_EQ(*aead.decrypt(out.bytes(), {}, back), plain.size());
    back.resize(plain.size());
    EXPECT_TRUE(back == plain);
  }
}

}  // namespace
}  // namespace millrace::tink
