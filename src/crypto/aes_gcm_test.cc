#include "crypto/aes_gcm.h"

#include <thread>

#include "crypto/testing.h"
#include "millrace/secret.h"

namespace millrace {
namespace {

using testing::Bytes;
using testing::GuardedBuffer;
using testing::OracleGcm;
using testing::Random;

// Every kernel that this machine can run, with both key sizes.
class AesGcmKernels : public ::testing::TestWithParam<std::tuple<std::string_view, std::size_t>> {
 protected:
  Bytes key_ = Random(1).bytes(std::get<1>(GetParam()));
  AesGcm gcm_ = *AesGcm::create_with(std::get<0>(GetParam()), key_);
  OracleGcm oracle_{key_};
};

INSTANTIATE_TEST_SUITE_P(All, AesGcmKernels,
                         ::testing::Combine(::testing::ValuesIn(aes_gcm_kernel_names()),
                                            ::testing::Values(std::size_t{16}, std::size_t{32})));

TEST_P(AesGcmKernels, EveryLengthAgreesWithOpenssl) {
  Random random(2);
  const Bytes plaintext = random.bytes(4096);
  Bytes sealed(4096 + 16 + 64);
  Bytes opened(4096 + 64);
  for (std::size_t n = 0; n <= plaintext.size(); ++n) {
    const Bytes nonce = random.bytes(12);
    const Bytes associated = random.bytes(random.below(40));
    const ByteView text = ByteView(plaintext).last(n);
    const Bytes expected = oracle_.seal(nonce, associated, text);
    const ByteSpan out = ByteSpan(sealed).subspan(random.below(64), n + 16);
    ASSERT_TRUE(gcm_.seal(nonce, associated, text, out));
    ASSERT_TRUE(testing::equal(out, expected)) << n;
    const ByteSpan back = ByteSpan(opened).subspan(random.below(64), n);
    ASSERT_TRUE(gcm_.open(nonce, associated, out, back));
    ASSERT_TRUE(testing::equal(back, text)) << n;
  }
}

TEST_P(AesGcmKernels, InPlaceAtEveryAlignment) {
  Random random(3);
  for (const std::size_t n :
       {1u, 15u, 16u, 17u, 255u, 256u, 257u, 300u, 511u, 512u, 513u, 1023u, 4096u, 9000u, 20000u}) {
    for (std::size_t offset = 0; offset<64; offset += n> 1000 ? 7 : 1) {
      const Bytes nonce = random.bytes(12);
      const Bytes plaintext = random.bytes(n);
      const Bytes expected = oracle_.seal(nonce, {}, plaintext);
      Bytes memory(offset + n + 16);
      const ByteSpan buffer = ByteSpan(memory).subspan(offset);
      std::copy(plaintext.begin(), plaintext.end(), buffer.begin());
      ASSERT_TRUE(gcm_.seal(nonce, {}, buffer.first(n), buffer));
      ASSERT_TRUE(testing::equal(buffer, expected)) << n << " at " << offset;
      ASSERT_TRUE(gcm_.open(nonce, {}, buffer, buffer.first(n)));
      ASSERT_TRUE(testing::equal(buffer.first(n), plaintext)) << n << " at " << offset;
    }
  }
}

TEST_P(AesGcmKernels, AssociatedDataOfManyLengths) {
  Random random(4);
  std::vector<std::size_t> sizes(301);
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = i;
  for (const std::size_t large : {511u, 512u, 513u, 1024u, 4095u, 65537u, 1u << 20}) sizes.push_back(large);
  for (const std::size_t size : sizes) {
    const Bytes nonce = random.bytes(12);
    const Bytes associated = random.bytes(size);
    const Bytes plaintext = random.bytes(random.below(600));
    Bytes sealed(plaintext.size() + 16);
    ASSERT_TRUE(gcm_.seal(nonce, associated, plaintext, sealed));
    ASSERT_EQ(sealed, oracle_.seal(nonce, associated, plaintext)) << size;
    Bytes opened(plaintext.size());
    ASSERT_TRUE(gcm_.open(nonce, associated, sealed, opened));
    ASSERT_EQ(opened, plaintext) << size;
  }
}

// Long enough that the 32-bit counter carries out of its second byte, and that every path of the long loops runs.
TEST_P(AesGcmKernels, LongMessages) {
  Random random(5);
  std::vector<std::size_t> sizes = {
      8191, 8192, 8193, 12288, 12800, 16384, 65536, 131072, 262144, 1 << 20, (1 << 20) + 32 * 16 + 5};
  for (int i = 0; i < 12; ++i) sizes.push_back(random.below(3 << 20));
  for (const std::size_t n : sizes) {
    const Bytes nonce = random.bytes(12);
    const Bytes associated = random.bytes(random.below(20));
    const Bytes plaintext = random.bytes(n);
    Bytes sealed(n + 16);
    ASSERT_TRUE(gcm_.seal(nonce, associated, plaintext, sealed));
    ASSERT_TRUE(sealed == oracle_.seal(nonce, associated, plaintext)) << n;
    ASSERT_TRUE(gcm_.open(nonce, associated, sealed, ByteSpan(sealed).first(n)));
    ASSERT_TRUE(testing::equal(ByteView(sealed).first(n), plaintext)) << n;
  }
}

TEST_P(AesGcmKernels, TouchesNoByteOutsideItsBuffers) {
  Random random(6);
  GuardedBuffer in(16384);
  GuardedBuffer out(16384 + 16);
  GuardedBuffer associated(16384);
  const Bytes nonce = random.bytes(12);
  const auto run = [&](std::size_t n, std::size_t a, bool back) {
    const ByteSpan text = back ? in.back(n) : in.front(n);
    const ByteSpan sealed = back ? out.back(n + 16) : out.front(n + 16);
    const ByteSpan data = back ? associated.back(a) : associated.front(a);
    random.fill(text);
    random.fill(data);
    const Bytes expected = oracle_.seal(nonce, data, text);
    ASSERT_TRUE(gcm_.seal(nonce, data, text, sealed));
    ASSERT_TRUE(testing::equal(sealed, expected)) << n;
    ASSERT_TRUE(gcm_.open(nonce, data, sealed, text));  // sealed here ends or begins at the page
    ASSERT_TRUE(gcm_.open(nonce, data, sealed, sealed.first(n)));
    ASSERT_TRUE(testing::equal(sealed.first(n), text)) << n;
  };
  for (std::size_t n = 0; n <= 1100; ++n) {
    run(n, n % 70, true);
    run(n, n % 70, false);
  }
  for (const std::size_t n : {4095u, 4096u, 4097u, 8192u, 8704u, 12345u, 16384u}) {
    run(n, n, true);
    run(n, n, false);
  }
}

TEST_P(AesGcmKernels, EveryFlippedBitIsRefusedAndTheOutputZeroed) {
  Random random(7);
  const Bytes nonce = random.bytes(12);
  const Bytes associated = random.bytes(21);
  const Bytes plaintext = random.bytes(100);
  Bytes sealed(116);
  ASSERT_TRUE(gcm_.seal(nonce, associated, plaintext, sealed));
  const auto refused = [&](ByteView n, ByteView a, ByteView s) {
    Bytes out(100, std::byte{0x55});
    const Status status = gcm_.open(n, a, s, out);
    return !status && status.error().code == ErrorCode::kNotAuthentic && testing::all_zero(out);
  };
  for (std::size_t bit = 0; bit < 8 * sealed.size(); ++bit) {
    Bytes changed = sealed;
    changed[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    ASSERT_TRUE(refused(nonce, associated, changed)) << bit;
    ASSERT_FALSE(gcm_.open(nonce, associated, changed, ByteSpan(changed).first(100)));
    ASSERT_TRUE(testing::all_zero(ByteView(changed).first(100))) << bit;
  }
  for (std::size_t bit = 0; bit < 8 * nonce.size(); ++bit) {
    Bytes changed = nonce;
    changed[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    ASSERT_TRUE(refused(changed, associated, sealed)) << bit;
  }
  for (std::size_t bit = 0; bit < 8 * associated.size(); ++bit) {
    Bytes changed = associated;
    changed[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    ASSERT_TRUE(refused(nonce, changed, sealed)) << bit;
  }
  ASSERT_TRUE(refused(nonce, ByteView(associated).first(20), sealed));
  Bytes opened(100);
  ASSERT_TRUE(gcm_.open(nonce, associated, sealed, opened));
  EXPECT_EQ(opened, plaintext);
}

// A long message that fails at its end, after all of it was decrypted in place.
TEST_P(AesGcmKernels, ALongForgeryIsZeroed) {
  Random random(8);
  const Bytes nonce = random.bytes(12);
  Bytes sealed(100000 + 16);
  ASSERT_TRUE(gcm_.seal(nonce, {}, random.bytes(100000), sealed));
  sealed[70000] ^= std::byte{0x10};
  const Status status = gcm_.open(nonce, {}, sealed, ByteSpan(sealed).first(100000));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kNotAuthentic);
  EXPECT_TRUE(testing::all_zero(ByteView(sealed).first(100000)));
}

TEST_P(AesGcmKernels, OneKeyServesManyThreads) {
  constexpr std::size_t kThreads = 8;
  std::vector<int> bad(kThreads);
  std::vector<std::thread> threads;
  const AesGcm& gcm = gcm_;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Random random(static_cast<std::uint32_t>(100 + t));
      OracleGcm oracle(key_);
      GcmSealer sealer;
      for (int i = 0; i < 60; ++i) {
        const Bytes nonce = random.bytes(12);
        const Bytes plaintext = random.bytes(random.below(20000));
        const Bytes expected = oracle.seal(nonce, {}, plaintext);
        Bytes sealed(plaintext.size() + 16);
        bad[t] += !gcm.seal(nonce, {}, plaintext, sealed) || sealed != expected;
        Bytes pieces(plaintext.size() + 16);
        bad[t] += !sealer.start(gcm, nonce, {}) ||
                  !sealer.update(plaintext, ByteSpan(pieces).first(plaintext.size())) ||
                  !sealer.finish(ByteSpan(pieces).last(16)) || pieces != expected;
        bad[t] += !gcm.open(nonce, {}, sealed, ByteSpan(sealed).first(plaintext.size()));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(bad, std::vector<int>(kThreads));
}

TEST_P(AesGcmKernels, MovedKeysKeepWorking) {
  AesGcm moved = std::move(gcm_);
  gcm_ = *AesGcm::create(Bytes(32));
  gcm_ = std::move(moved);
  const Bytes nonce(12);
  Bytes sealed(5 + 16);
  ASSERT_TRUE(gcm_.seal(nonce, {}, as_bytes("hello"), sealed));
  EXPECT_EQ(sealed, oracle_.seal(nonce, {}, as_bytes("hello")));
}

// NIST's published test cases 13 and 14 (256-bit key of zeros): independent of OpenSSL.
TEST(AesGcm, KnownAnswers) {
  for (const std::string_view kernel : aes_gcm_kernel_names()) {
    const AesGcm gcm = *AesGcm::create_with(kernel, Bytes(32));
    Bytes tag(16);
    ASSERT_TRUE(gcm.seal(Bytes(12), {}, {}, tag));
    EXPECT_EQ(tag, testing::from_hex("530f8afbc74536b9a963b4f1c4cb738b")) << kernel;
    Bytes sealed(32);
    ASSERT_TRUE(gcm.seal(Bytes(12), {}, Bytes(16), sealed));
    EXPECT_EQ(sealed, testing::from_hex("cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919")) << kernel;
  }
}

TEST(AesGcm, OtherKeySizesAreRefused) {
  for (std::size_t n = 0; n <= 64; ++n) {
    const Result<AesGcm> gcm = AesGcm::create(Bytes(n));
    ASSERT_EQ(gcm.has_value(), n == 16 || n == 32) << n;
    if (!gcm) {
      EXPECT_EQ(gcm.error().code, ErrorCode::kInvalidArgument);
    }
  }
}

TEST(AesGcm, UnknownKernelsAreRefused) {
  EXPECT_EQ(AesGcm::create_with("x86-vaes1024", Bytes(16)).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(AesGcm::create_with("portable", Bytes(16)));
}

TEST(AesGcm, TheLimitIsThatOfTheCounter) {
  // 2^32 - 2 blocks are left when the counter starts at 2 and must not come back to 0.
  EXPECT_EQ(kGcmMaxMessageSize, (std::uint64_t{0x100000000} - 2) * 16);
}

}  // namespace
}  // namespace millrace
