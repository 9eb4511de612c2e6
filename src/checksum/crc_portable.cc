// Slicing-by-16 (M. E. Kounavis, F. L. Berry, "Novel Table Lookup-Based Algorithms for High-Performance CRC
// Generation", IEEE Transactions on Computers 57(11), 2008).
//
// table[0][b] is the register after byte b; table[k][b] is that after b and k zero bytes. By linearity, sixteen bytes
// need sixteen independent lookups and one xor of all, where the bytewise loop waits for sixteen lookups in turn.
#include <array>
#include <bit>
#include <cstring>

#include "checksum/crc_algebra.h"
#include "checksum/crc_kernels.h"

namespace millrace::crc {

namespace {

constexpr std::size_t kSlices = 16;

template <class Crc>
constexpr auto make_tables() {
  using Word = typename Crc::Value;
  std::array<std::array<Word, 256>, kSlices> tables{};
  for (std::uint64_t b = 0; b < 256; ++b) {
    std::uint64_t r = b;
    for (int bit = 0; bit < 8; ++bit) r = times_x(r, kPolynomial<Crc>);
    tables[0][b] = static_cast<Word>(r);
  }
  for (std::size_t k = 1; k < kSlices; ++k) {
    for (std::size_t b = 0; b < 256; ++b) {
      const Word before = tables[k - 1][b];
      tables[k][b] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}
template <class Crc>
constexpr auto kTables = make_tables<Crc>();

std::uint64_t load_word(const std::byte* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

// slices sums the lookups of the eight bytes of `word`, of which the last is followed by `after` more bytes.
template <class Crc>
typename Crc::Value slices(std::uint64_t word, std::size_t after) {
  typename Crc::Value sum = 0;
  for (std::size_t i = 0; i < 8; ++i) sum ^= kTables<Crc>[after + 7 - i][word >> (8 * i) & 0xff];
  return sum;
}

}  // namespace

template <class Crc>
typename Crc::Value extend_portable(typename Crc::Value crc, ByteView bytes) {
  using Word = typename Crc::Value;
  Word r = static_cast<Word>(~crc);
  const std::byte* p = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 16; left -= 16, p += 16) {
    r = slices<Crc>(load_word(p) ^ r, 8) ^ slices<Crc>(load_word(p + 8), 0);
  }
  if (left >= 8) {
    const std::uint64_t word = load_word(p) ^ r;
    r = slices<Crc>(word, 0);
    left -= 8;
    p += 8;
  }
  for (; left > 0; --left, ++p) r = (r >> 8) ^ kTables<Crc>[0][(r ^ static_cast<Word>(*p)) & 0xff];
  return static_cast<Word>(~r);
}

#define INSTANTIATE(Crc) template Crc::Value extend_portable<Crc>(Crc::Value, ByteView);
MILLRACE_FOR_EACH_CRC(INSTANTIATE)

}  // namespace millrace::crc
