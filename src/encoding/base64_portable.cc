// base64 for every machine: plain C++, whatever the byte order, no alignment asked for.
//
// Tables do the work, and they are laid out so that nothing is left to do between the look-ups and one wide store.
// Encoding by pairs of digits (8 KiB) instead of single ones halves the look-ups; decoding by a table for each place in
// the group (4 KiB) instead of one for all saves the shifts and joins validity to the value. Both fit beside the data
// in L1. Zen 4, GCC 12: encoding 4.0 GB/s of payload, decoding 2.5, where a digit at a time gave 1.5 and 1.4. Loads and
// stores byte by byte lost a fifth at -O3 and two thirds at -O2; a pair table for decoding (64 Ki entries) would not
// stay in L1.

#include <array>
#include <cstdint>
#include <string_view>

#include "base/endian.h"
#include "encoding/base64_digits.h"
#include "encoding/base64_kernels.h"

namespace millrace::base64 {

namespace {

// Encoding goes by 12 bits: a table of the 4096 pairs of digits halves the look-ups. A pair is a little-endian number,
// first digit in bits 0-7, so that four of them make one store of eight characters.
using PairTable = std::array<std::uint16_t, 4096>;

constexpr PairTable pair_table_of(std::string_view digits) {
  PairTable pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = static_cast<std::uint16_t>(digits[i >> 6] | digits[i & 63] << 8);
  }
  return pairs;
}
constexpr PairTable kStandardPairs = pair_table_of(kStandardDigits);
constexpr PairTable kUrlSafePairs = pair_table_of(kUrlSafeDigits);

// Decoding has one table for each position in the group, with the value already where its bits belong when the group is
// read as a little-endian number (byte 0 of the output in bits 0-7). A foreign character has every position's top bit,
// so one test after the four look-ups finds it.
using GroupTable = std::array<std::array<std::uint32_t, 256>, 4>;
constexpr std::uint32_t kForeignGroup = 0x8000'0000;

constexpr GroupTable group_table_of(const std::array<std::uint8_t, 256>& values) {
  GroupTable table{};
  for (std::size_t c = 0; c < 256; ++c) {
    const std::uint32_t v = values[c];
    const bool foreign = v == kForeign;
    table[0][c] = foreign ? kForeignGroup : v << 2;
    table[1][c] = foreign ? kForeignGroup : v >> 4 | (v & 0x0f) << 12;
    table[2][c] = foreign ? kForeignGroup : v >> 2 << 8 | (v & 0x03) << 22;
    table[3][c] = foreign ? kForeignGroup : v << 16;
  }
  return table;
}
constexpr GroupTable kStandardGroups = group_table_of(kStandardValues);
constexpr GroupTable kUrlSafeGroups = group_table_of(kUrlSafeValues);

// group_of decodes the four characters in the low half of `text`, the first in bits 0-7.
inline std::uint32_t group_of(const GroupTable& table, std::uint64_t text) {
  return table[0][text & 0xff] | table[1][text >> 8 & 0xff] | table[2][text >> 16 & 0xff] | table[3][text >> 24 & 0xff];
}

// digits_of encodes the low 24 bits, the first byte on top, to four characters, the first in bits 0-7.
inline std::uint64_t digits_of(const PairTable& pairs, std::uint64_t group) {
  return pairs[group >> 12 & 0xfff] | static_cast<std::uint64_t>(pairs[group & 0xfff]) << 16;
}

inline std::uint64_t load_group(const std::byte* in) {
  return static_cast<std::uint64_t>(in[0]) << 16 | static_cast<std::uint64_t>(in[1]) << 8 |
         static_cast<std::uint64_t>(in[2]);
}

}  // namespace

void encode_portable(const std::byte* in, std::size_t groups, char* out, Base64Alphabet alphabet) {
  const PairTable& pairs = alphabet == Base64Alphabet::kStandard ? kStandardPairs : kUrlSafePairs;
  auto* text = reinterpret_cast<std::byte*>(out);
  // Two groups for one load, which takes two bytes of the third along, and one store.
  for (; groups >= 3; groups -= 2, in += 6, text += 8) {
    const auto bytes = load_be<std::uint64_t>(ByteView(in, 8));
    store_le(ByteSpan(text, 8), digits_of(pairs, bytes >> 40) | digits_of(pairs, bytes >> 16) << 32);
  }
  for (; groups > 0; --groups, in += 3, text += 4) {
    store_le(ByteSpan(text, 4), static_cast<std::uint32_t>(digits_of(pairs, load_group(in))));
  }
}

std::size_t decode_portable(const char* in, std::size_t groups, std::byte* out, Base64Alphabet alphabet) {
  const GroupTable& table = alphabet == Base64Alphabet::kStandard ? kStandardGroups : kUrlSafeGroups;
  const auto* text = reinterpret_cast<const std::byte*>(in);
  std::size_t done = 0;
  // Four groups for one test, two loads and two stores.
  for (; groups - done >= 4; done += 4, text += 16, out += 12) {
    const auto first = load_le<std::uint64_t>(ByteView(text, 8)),
               second = load_le<std::uint64_t>(ByteView(text + 8, 8));
    const std::uint64_t a = group_of(table, first), b = group_of(table, first >> 32);
    const std::uint64_t c = group_of(table, second), d = group_of(table, second >> 32);
    if (((a | b | c | d) & kForeignGroup) != 0) break;
    store_le(ByteSpan(out, 8), a | b << 24 | c << 48);
    store_le(ByteSpan(out + 8, 4), static_cast<std::uint32_t>(c >> 16 | d << 8));
  }
  for (; done < groups; ++done, text += 4, out += 3) {
    const std::uint32_t group = group_of(table, load_le<std::uint32_t>(ByteView(text, 4)));
    if ((group & kForeignGroup) != 0) break;
    for (std::size_t k = 0; k < 3; ++k) out[k] = static_cast<std::byte>(group >> (8 * k));
  }
  return done;
}

}  // namespace millrace::base64
