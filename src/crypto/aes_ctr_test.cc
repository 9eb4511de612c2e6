#include "crypto/aes_ctr.h"

#include <thread>

#include "crypto/testing.h"

namespace millrace {
namespace {

using testing::Bytes;
using testing::from_hex;
using testing::GuardedBuffer;
using testing::Random;

class AesCtrKernels : public ::testing::TestWithParam<std::tuple<std::string_view, std::size_t>> {
 protected:
  Bytes key_ = Random(1).bytes(std::get<1>(GetParam()));
  AesCtr ctr_ = *AesCtr::create_with(std::get<0>(GetParam()), key_);
};

INSTANTIATE_TEST_SUITE_P(All, AesCtrKernels,
                         ::testing::Combine(::testing::ValuesIn(aes_ctr_kernel_names()),
                                            ::testing::Values(std::size_t{16}, std::size_t{32})));

TEST_P(AesCtrKernels, EveryLengthAgreesWithOpenssl) {
  Random random(2);
  const Bytes text = random.bytes(4096);
  Bytes memory(4096 + 64);
  for (std::size_t n = 0; n <= text.size(); ++n) {
    const Bytes counter = random.bytes(16);
    const Bytes expected = testing::oracle_ctr(key_, counter, ByteView(text).last(n));
    const ByteSpan out = ByteSpan(memory).subspan(random.below(64), n);
    ASSERT_TRUE(ctr_.apply(counter, ByteView(text).last(n), out));
    ASSERT_TRUE(testing::equal(out, expected)) << n;
    ASSERT_TRUE(ctr_.apply(counter, out, out));
    ASSERT_TRUE(testing::equal(out, ByteView(text).last(n))) << n;
  }
}

// The carry goes through any number of bytes, at any place of the text, also around from all ones to zero.
TEST_P(AesCtrKernels, CarriesThroughTheWholeCounter) {
  Random random(3);
  const Bytes text = random.bytes(40000);
  for (std::size_t carried = 1; carried <= 16; ++carried) {
    for (const std::size_t before : {1u, 2u, 5u, 31u, 32u, 33u, 250u, 256u, 700u, 1500u}) {
      Bytes counter = random.bytes(16 - carried);
      counter.resize(16, std::byte{0xff});
      // back by `before` blocks, within the low two bytes
      const std::size_t low = 0xffff - before;
      if (carried >= 2) {
        counter[14] = static_cast<std::byte>(low >> 8);
        counter[15] = static_cast<std::byte>(low);
      }
      for (const std::size_t n : {16u, 333u, 9000u, 40000u}) {
        Bytes out(n);
        ASSERT_TRUE(ctr_.apply(counter, ByteView(text).first(n), out));
        ASSERT_TRUE(out == testing::oracle_ctr(key_, counter, ByteView(text).first(n))) << carried << " " << before;
      }
    }
  }
}

TEST_P(AesCtrKernels, LongTextsFromEveryLowByte) {
  Random random(4);
  const Bytes text = random.bytes(20000);
  for (std::size_t low = 0; low < 256; ++low) {
    Bytes counter = random.bytes(16);
    counter[15] = static_cast<std::byte>(low);
    Bytes out(text.size());
    ASSERT_TRUE(ctr_.apply(counter, text, out));
    ASSERT_TRUE(out == testing::oracle_ctr(key_, counter, text)) << low;
  }
  const Bytes counter(16);
  const Bytes large = random.bytes((2 << 20) + 77);
  Bytes out(large.size());
  ASSERT_TRUE(ctr_.apply(counter, large, out));
  ASSERT_TRUE(out == testing::oracle_ctr(key_, counter, large));
}

TEST_P(AesCtrKernels, TouchesNoByteOutsideItsBuffers) {
  Random random(5);
  GuardedBuffer in(16384);
  GuardedBuffer out(16384);
  const Bytes counter = random.bytes(16);
  const auto run = [&](ByteSpan from, ByteSpan to) {
    random.fill(from);
    const Bytes expected = testing::oracle_ctr(key_, counter, from);
    ASSERT_TRUE(ctr_.apply(counter, from, to));
    ASSERT_TRUE(testing::equal(to, expected)) << from.size();
  };
  for (std::size_t n = 0; n <= 1100; ++n) {
    run(in.back(n), out.back(n));
    run(in.front(n), out.front(n));
  }
  run(in.back(16384), out.back(16384));
}

TEST_P(AesCtrKernels, OneKeyServesManyThreads) {
  constexpr std::size_t kThreads = 8;
  std::vector<int> bad(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Random random(static_cast<std::uint32_t>(100 + t));
      for (int i = 0; i < 60; ++i) {
        const Bytes counter = random.bytes(16);
        const Bytes text = random.bytes(random.below(20000));
        Bytes out(text.size());
        bad[t] += !ctr_.apply(counter, text, out) || out != testing::oracle_ctr(key_, counter, text);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(bad, std::vector<int>(kThreads));
}

// NIST SP 800-38A, F.5.1 and F.5.5.
TEST(AesCtr, KnownAnswers) {
  const Bytes counter = from_hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
  const Bytes text = from_hex(
      "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
      "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710");
  const Bytes key128 = from_hex("2b7e151628aed2a6abf7158809cf4f3c");
  const Bytes key256 = from_hex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4");
  const Bytes with128 = from_hex(
      "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
      "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee");
  const Bytes with256 = from_hex(
      "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
      "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6");
  for (const std::string_view kernel : aes_ctr_kernel_names()) {
    Bytes out(64);
    ASSERT_TRUE(AesCtr::create_with(kernel, key128)->apply(counter, text, out));
    EXPECT_EQ(out, with128) << kernel;
    ASSERT_TRUE(AesCtr::create_with(kernel, key256)->apply(counter, text, out));
    EXPECT_EQ(out, with256) << kernel;
  }
}

// FIPS 197, C.1 and C.3, through the key stream of one block.
TEST(AesCtr, TheKeyStreamIsTheCipherOfTheCounterBlock) {
  const Bytes block = from_hex("00112233445566778899aabbccddeeff");
  const Bytes key = from_hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
  for (const std::string_view kernel : aes_ctr_kernel_names()) {
    Bytes out(16);
    ASSERT_TRUE(AesCtr::create_with(kernel, ByteView(key).first(16))->apply(block, Bytes(16), out));
    EXPECT_EQ(out, from_hex("69c4e0d86a7b0430d8cdb78070b4c55a")) << kernel;
    ASSERT_TRUE(AesCtr::create_with(kernel, key)->apply(block, Bytes(16), out));
    EXPECT_EQ(out, from_hex("8ea2b7ca516745bfeafc49904b496089")) << kernel;
  }
}

TEST(AesCtr, OtherKeySizesAndKernelsAreRefused) {
  for (std::size_t n = 0; n <= 64; ++n) ASSERT_EQ(AesCtr::create(Bytes(n)).has_value(), n == 16 || n == 32) << n;
  EXPECT_EQ(AesCtr::create_with("x86-vaes1024", Bytes(16)).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace millrace
