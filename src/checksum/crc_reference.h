// The oracle of the CRC tests: one bit at a time from the published, unreflected polynomial, and zero bytes by a
// matrix. It shares nothing with the code it judges.
#pragma once

#include <array>
#include <cstdint>

#include "millrace/checksum.h"

namespace millrace::crc_reference {

template <class Crc>
struct Definition;
template <>
struct Definition<Crc32> {
  static constexpr std::uint32_t kPolynomial = 0x04c11db7;
  static constexpr std::uint32_t kCheck = 0xcbf43926;
};
template <>
struct Definition<Crc32c> {
  static constexpr std::uint32_t kPolynomial = 0x1edc6f41;
  static constexpr std::uint32_t kCheck = 0xe3069283;
};
template <>
struct Definition<Crc64Nvme> {
  static constexpr std::uint64_t kPolynomial = 0xad93d23594c93659;
  static constexpr std::uint64_t kCheck = 0xae8b14860a799888;
};

template <class Word>
constexpr Word reversed(Word word) {
  Word out = 0;
  for (unsigned i = 0; i < 8 * sizeof(Word); ++i)
    out |= static_cast<Word>((word >> i & 1) << (8 * sizeof(Word) - 1 - i));
  return out;
}

template <class Crc>
typename Crc::Value next(typename Crc::Value crc, std::byte byte) {
  using Word = typename Crc::Value;
  constexpr Word kReversed = reversed(Definition<Crc>::kPolynomial);
  Word r = static_cast<Word>(~crc ^ static_cast<Word>(byte));
  for (int bit = 0; bit < 8; ++bit) r = (r & 1) != 0 ? (r >> 1) ^ kReversed : r >> 1;
  return static_cast<Word>(~r);
}

template <class Crc>
typename Crc::Value extend(typename Crc::Value crc, ByteView bytes) {
  for (const std::byte byte : bytes) crc = next<Crc>(crc, byte);
  return crc;
}

// append_zeros returns the CRC after n zero bytes: the matrix of one zero bit, raised to the power 8n.
template <class Crc>
typename Crc::Value append_zeros(typename Crc::Value crc, std::uint64_t n) {
  using Word = typename Crc::Value;
  constexpr std::size_t kBits = 8 * sizeof(Word);
  using Matrix = std::array<Word, kBits>;  // column i is the image of bit i
  const auto apply = [](const Matrix& m, Word v) {
    Word out = 0;
    for (std::size_t i = 0; v != 0; v >>= 1, ++i) out ^= (v & 1) != 0 ? m[i] : Word{0};
    return out;
  };
  Matrix power;
  power[0] = reversed(Definition<Crc>::kPolynomial);
  for (std::size_t i = 1; i < kBits; ++i) power[i] = Word{1} << (i - 1);
  const auto square = [&] {
    Matrix out;
    for (std::size_t i = 0; i < kBits; ++i) out[i] = apply(power, power[i]);
    power = out;
  };
  for (int i = 0; i < 3; ++i) square();
  Word r = static_cast<Word>(~crc);
  for (; n != 0; n >>= 1, square()) {
    if ((n & 1) != 0) r = apply(power, r);
  }
  return static_cast<Word>(~r);
}

}  // namespace millrace::crc_reference
