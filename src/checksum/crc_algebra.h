// The arithmetic behind every CRC constant in this folder, for the compiler to evaluate.
//
// A CRC treats bytes as a polynomial over GF(2), the first bit received being the highest coefficient, and keeps its
// remainder modulo P. "Reflected" means that the lowest bit of a register is the highest power. Here everything is a
// *lane*: 64 bits in which bit i stands for x^(63-i).
//
// One width is enough. A CRC of 32 bits with polynomial P is a CRC of 64 bits with P * x^32: from
//   (A mod P) * x^32 = (A * x^32) mod (P * x^32)
// its remainder has zeros in the lower powers, and because those are the upper bits of a lane, the lane simply is the
// 32-bit register extended by zeros. So is the lane of P * x^32 the reflected 32-bit polynomial. All formulas below and
// all kernels that fold are written once, for degree 64, and no step of them asks how wide the CRC is.
#pragma once

#include <cstdint>

namespace millrace::crc {

// times_x multiplies by x modulo the polynomial, without a branch: the bits of a CRC are random.
constexpr std::uint64_t times_x(std::uint64_t a, std::uint64_t polynomial) {
  return (a >> 1) ^ (polynomial & (0 - (a & 1)));
}

// multiply returns a * b modulo the polynomial, by Horner's rule from the highest power of b.
constexpr std::uint64_t multiply(std::uint64_t a, std::uint64_t b, std::uint64_t polynomial) {
  std::uint64_t product = 0;
  for (int i = 0; i < 64; ++i) {
    product = times_x(product, polynomial) ^ (a & (0 - (b >> i & 1)));
  }
  return product;
}

// x_to_the returns x^n modulo the polynomial.
constexpr std::uint64_t x_to_the(std::uint64_t n, std::uint64_t polynomial) {
  std::uint64_t power = std::uint64_t{1} << 63;   // x^0
  std::uint64_t square = std::uint64_t{1} << 62;  // x^(2^k)
  for (; n != 0; n >>= 1) {
    if ((n & 1) != 0) power = multiply(power, square, polynomial);
    square = multiply(square, square, polynomial);
  }
  return power;
}

// Multiplier holds what moves a block of 128 bits forward. A block is two lanes, H * x^64 + L, H being the first eight
// bytes. The carry-less product of two lanes has 127 bits, so that in a reflected register of 128 it appears
// multiplied by x; hence the exponents:
//   block * x^bits = H * x^(bits+63) * x + L * x^(bits-1) * x
struct Multiplier {
  std::uint64_t first;   // x^(bits+63) mod P, for the first eight bytes
  std::uint64_t second;  // x^(bits-1) mod P, for the last eight
};
constexpr Multiplier multiplier(std::uint64_t bits, std::uint64_t polynomial) {
  return {x_to_the(bits + 63, polynomial), x_to_the(bits - 1, polynomial)};
}

// Reduction holds the constants of Barrett's method, which takes 128 bits T = H * x^64 + L modulo P:
//   q = floor(H * mu / x^64) with mu = floor(x^128 / P),   T mod P = L + q * P mod x^64
// Both have 65 bits with a leading one. They are kept shifted by one, the leading one in bit 0, which undoes the factor
// of x above; the bit that falls off at the other end is the coefficient of x^0. That of mu has no influence on q. That
// of P is one for a CRC of 64 bits, and its share of q * P, which is q, must be added; for shorter ones it is zero.
struct Reduction {
  std::uint64_t mu;
  std::uint64_t polynomial;
  bool add_quotient;
};
constexpr Reduction reduction(std::uint64_t polynomial) {
  // Long division of x^128 by P: after the leading one has been taken off, the remainder is P's tail, and each further
  // coefficient of the quotient is the bit that leaves the register.
  std::uint64_t mu = 1;
  std::uint64_t remainder = polynomial;
  for (int i = 1; i < 64; ++i) {
    mu |= (remainder & 1) << i;
    remainder = times_x(remainder, polynomial);
  }
  return {mu, polynomial << 1 | 1, (polynomial >> 63) != 0};
}

}  // namespace millrace::crc
