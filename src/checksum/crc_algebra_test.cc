// The constants of the kernels against published ones, and against plain long division of polynomials that are written
// with their highest power first.
#include "checksum/crc_algebra.h"

#include <gtest/gtest.h>

#include <vector>

#include "checksum/crc_kernels.h"
#include "checksum/crc_reference.h"

namespace millrace::crc {
namespace {

// x_to_the counts the powers of P * x^32 for the short CRCs, so x^n mod P is 32 higher there, and publications keep 33
// bits.
constexpr std::uint64_t published32(std::uint64_t n, std::uint64_t polynomial) {
  return x_to_the(n + 32, polynomial) << 1;
}
constexpr std::uint64_t kLow33 = (std::uint64_t{1} << 33) - 1;

// V. Gopal et al. (Intel, 2009), appendix: R1 to R5, u' and P' of the gzip polynomial, bit-reflected.
TEST(CrcAlgebra, ConstantsOfTheIntelPaper) {
  constexpr std::uint64_t kP = kPolynomial<Crc32>;
  EXPECT_EQ(published32(4 * 128 + 32, kP), 0x154442bd4u);
  EXPECT_EQ(published32(4 * 128 - 32, kP), 0x1c6e41596u);
  EXPECT_EQ(published32(128 + 32, kP), 0x1751997d0u);
  EXPECT_EQ(published32(128 - 32, kP), 0x0ccaa009eu);
  EXPECT_EQ(published32(64, kP), 0x163cd6124u);
  EXPECT_EQ(reduction(kP).mu & kLow33, 0x1f7011641u);
  EXPECT_EQ(reduction(kP).polynomial, 0x1db710641u);
}

// The same of the Castagnoli polynomial, as in the Linux kernel's CRC code for s390 and in Chromium's zlib.
TEST(CrcAlgebra, PublishedConstantsOfCrc32c) {
  constexpr std::uint64_t kP = kPolynomial<Crc32c>;
  EXPECT_EQ(published32(4 * 128 + 32, kP), 0x0740eef02u);
  EXPECT_EQ(published32(4 * 128 - 32, kP), 0x09e4addf8u);
  EXPECT_EQ(published32(128 + 32, kP), 0x0f20c0dfeu);
  EXPECT_EQ(published32(128 - 32, kP), 0x14cd00bd6u);
  EXPECT_EQ(published32(64, kP), 0x0dd45aab8u);
  EXPECT_EQ(reduction(kP).mu & kLow33, 0x0dea713f1u);
  EXPECT_EQ(reduction(kP).polynomial, 0x105ec76f1u);
}

// As in crc64fast-nvme and in the Linux kernel's crc64-neon: folding by 128, 256 and 512 bits, and Barrett's constants.
TEST(CrcAlgebra, PublishedConstantsOfCrc64Nvme) {
  constexpr std::uint64_t kP = kPolynomial<Crc64Nvme>;
  EXPECT_EQ(multiplier(128, kP).second, 0x21e9761e252621acu);
  EXPECT_EQ(multiplier(128, kP).first, 0xeadc41fd2ba3d420u);
  EXPECT_EQ(multiplier(256, kP).second, 0xe1e0bb9d45d7a44cu);
  EXPECT_EQ(multiplier(256, kP).first, 0xb0bc2e589204f500u);
  EXPECT_EQ(multiplier(512, kP).second, 0x62242240ace5045au);
  EXPECT_EQ(multiplier(512, kP).first, 0x0c32cdb31e18a84au);
  EXPECT_EQ(reduction(kP).mu, 0x27ecfa329aef9f77u);
  EXPECT_EQ(reduction(kP).polynomial, 0x34d926535897936bu);
}

template <class Crc>
class CrcAlgebraTest : public testing::Test {};
using Crcs = testing::Types<Crc32, Crc32c, Crc64Nvme>;
TYPED_TEST_SUITE(CrcAlgebraTest, Crcs);

// modulus is P without its x^64, highest power in the highest bit: the published polynomial moved to the top.
template <class Crc>
constexpr std::uint64_t modulus() {
  constexpr std::uint64_t kPublished = crc_reference::Definition<Crc>::kPolynomial;
  return kPublished << (64 - 8 * sizeof(typename Crc::Value));
}

TYPED_TEST(CrcAlgebraTest, PowersOfXByShifting) {
  std::uint64_t power = 1;
  for (std::uint64_t n = 0; n < 5000; ++n) {
    ASSERT_EQ(x_to_the(n, kPolynomial<TypeParam>), crc_reference::reversed(power)) << n;
    const bool carry = power >> 63 != 0;
    power = power << 1 ^ (carry ? modulus<TypeParam>() : 0);
  }
}

TYPED_TEST(CrcAlgebraTest, MuByLongDivision) {
  // x^128 divided by P: the dividend's coefficients from x^128 down.
  std::vector<bool> dividend(129, false);
  dividend[0] = true;
  std::uint64_t mu = 0;  // the quotient's coefficients of x^64 .. x^1, that of x^64 in bit 0
  for (std::size_t i = 0; i < 64; ++i) {
    if (!dividend[i]) continue;
    mu |= std::uint64_t{1} << i;
    for (std::size_t k = 1; k <= 64; ++k) {
      if ((modulus<TypeParam>() >> (64 - k) & 1) != 0) dividend[i + k] = !dividend[i + k];
    }
  }
  EXPECT_EQ(reduction(kPolynomial<TypeParam>).mu, mu);
  EXPECT_EQ(reduction(kPolynomial<TypeParam>).add_quotient, sizeof(typename TypeParam::Value) == 8);
}

TYPED_TEST(CrcAlgebraTest, MultiplicationByTheSchoolMethod) {
  std::uint64_t seed = 1;
  const auto random = [&] { return seed = seed * 6364136223846793005u + 1442695040888963407u; };
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t a = random();
    const std::uint64_t b = random();
    std::uint64_t product = 0;
    std::uint64_t shifted = a;  // highest power first
    for (int i = 0; i < 64; ++i) {
      if ((b >> i & 1) != 0) product ^= shifted;
      shifted = shifted << 1 ^ (shifted >> 63 != 0 ? modulus<TypeParam>() : 0);
    }
    using crc_reference::reversed;
    ASSERT_EQ(multiply(reversed(a), reversed(b), kPolynomial<TypeParam>), reversed(product));
  }
}

}  // namespace
}  // namespace millrace::crc
