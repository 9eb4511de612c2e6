#if defined(__x86_64__)

#include <immintrin.h>

#include <array>
#include <cstdint>

#include "encoding/base64_digits.h"
#include "encoding/base64_kernels.h"

#define MILLRACE_AVX2 [[gnu::target("avx2")]]

namespace millrace::base64 {

namespace {

using Lane = std::array<std::uint8_t, 16>;  // a table of vpshufb: the same in both lanes

constexpr std::size_t kVectorGroups = 8;

// --- encoding

// Each group as b1 b0 b2 b1: both 16-bit halves then hold two digits' bits side by side.
constexpr Lane kSpread = {1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10};

// What to add to a value to get its digit, by run of the alphabet: see run_of().
struct EncodeTables {
  Lane offsets;
};
constexpr Lane offsets_of(std::string_view digits) {
  Lane offsets{};
  const auto offset = [&](std::size_t value) {
    return static_cast<std::uint8_t>(static_cast<std::size_t>(digits[value]) - value);
  };
  offsets[13] = offset(0);                                            // A-Z
  offsets[0] = offset(26);                                            // a-z
  for (std::size_t i = 1; i <= 12; ++i) offsets[i] = offset(51 + i);  // 0-9 and the last two, one entry each
  return offsets;
}
constexpr Lane kStandardOffsets = offsets_of(kStandardDigits), kUrlSafeOffsets = offsets_of(kUrlSafeDigits);

MILLRACE_AVX2 inline __m256i both_lanes(const Lane& table) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table.data())));
}

// --- decoding

struct DecodeTables {
  Lane low, high;                 // foreign when low[c & 15] & high[c >> 4] is not zero
  Lane roll;                      // what to add to c, by c >> 4
  std::uint8_t last, last_shift;  // digit 63 shares its row with others; it looks `last_shift` rows further
};

constexpr std::uint8_t kLastRow = 9;  // characters from 0x90 are foreign, so their row of `roll` is free

constexpr DecodeTables decode_tables_of(std::string_view digits) {
  const std::array<std::uint8_t, 256> values = values_of(digits);
  DecodeTables t{};
  t.last = static_cast<std::uint8_t>(digits[63]);
  t.last_shift = static_cast<std::uint8_t>(kLastRow - (t.last >> 4));
  t.roll[kLastRow] = static_cast<std::uint8_t>(63 - t.last);
  std::array<std::uint16_t, 16> foreign{};  // row -> set of low nibbles
  for (std::size_t c = 0; c < 256; ++c) {
    if (values[c] == kForeign) {
      foreign[c >> 4] = static_cast<std::uint16_t>(foreign[c >> 4] | 1u << (c & 15));
    } else if (values[c] != 63) {
      t.roll[c >> 4] = static_cast<std::uint8_t>(values[c] - c);
    }
  }
  std::uint8_t next = 1;
  for (std::size_t row = 0; row < 16; ++row) {
    for (std::size_t before = 0; before < row && t.high[row] == 0; ++before) {
      if (foreign[before] == foreign[row]) t.high[row] = t.high[before];
    }
    if (t.high[row] != 0) continue;
    t.high[row] = next;
    for (std::size_t low = 0; low < 16; ++low) {
      if ((foreign[row] >> low & 1) != 0) t.low[low] = static_cast<std::uint8_t>(t.low[low] | next);
    }
    next = static_cast<std::uint8_t>(next << 1);
  }
  return t;
}
constexpr DecodeTables kStandardTables = decode_tables_of(kStandardDigits);
constexpr DecodeTables kUrlSafeTables = decode_tables_of(kUrlSafeDigits);

constexpr Lane kPack = {2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, 0x80, 0x80, 0x80, 0x80};

}  // namespace

MILLRACE_AVX2 void encode_avx2(const std::byte* in, std::size_t groups, char* out, Base64Alphabet alphabet) {
  const __m256i offsets = both_lanes(alphabet == Base64Alphabet::kStandard ? kStandardOffsets : kUrlSafeOffsets);
  const __m256i spread = both_lanes(kSpread);
  // The second lane's load ends 4 bytes past the 24 used.
  for (; groups >= kVectorGroups + 2; groups -= kVectorGroups, in += 24, out += 32) {
    const __m256i bytes =
        _mm256_loadu2_m128i(reinterpret_cast<const __m128i*>(in + 12), reinterpret_cast<const __m128i*>(in));
    const __m256i s = _mm256_shuffle_epi8(bytes, spread);
    const __m256i even =
        _mm256_mulhi_epu16(_mm256_and_si256(s, _mm256_set1_epi32(0x0fc0fc00)), _mm256_set1_epi32(0x04000040));
    const __m256i odd =
        _mm256_mullo_epi16(_mm256_and_si256(s, _mm256_set1_epi32(0x003f03f0)), _mm256_set1_epi32(0x01000010));
    const __m256i values = _mm256_or_si256(even, odd);
    const __m256i upper = _mm256_and_si256(_mm256_cmpgt_epi8(_mm256_set1_epi8(26), values), _mm256_set1_epi8(13));
    const __m256i run = _mm256_or_si256(_mm256_subs_epu8(values, _mm256_set1_epi8(51)), upper);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_add_epi8(values, _mm256_shuffle_epi8(offsets, run)));
  }
  encode_portable(in, groups, out, alphabet);
}

MILLRACE_AVX2 std::size_t decode_avx2(const char* in, std::size_t groups, std::byte* out, Base64Alphabet alphabet) {
  const DecodeTables& tables = alphabet == Base64Alphabet::kStandard ? kStandardTables : kUrlSafeTables;
  const __m256i low = both_lanes(tables.low), high = both_lanes(tables.high), roll = both_lanes(tables.roll);
  const __m256i last = _mm256_set1_epi8(static_cast<char>(tables.last));
  const __m256i last_shift = _mm256_set1_epi8(static_cast<char>(tables.last_shift));
  const __m256i nibble = _mm256_set1_epi8(0x0f);
  std::size_t done = 0;
  // The store of 32 bytes ends 8 past the 24 that count.
  for (; groups - done >= kVectorGroups + 3; done += kVectorGroups, in += 32, out += 24) {
    const __m256i c = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in));
    const __m256i row = _mm256_and_si256(_mm256_srli_epi32(c, 4), nibble);
    const __m256i foreign_low = _mm256_shuffle_epi8(low, _mm256_and_si256(c, nibble));
    if (!_mm256_testz_si256(foreign_low, _mm256_shuffle_epi8(high, row))) break;
    const __m256i shift = _mm256_and_si256(_mm256_cmpeq_epi8(c, last), last_shift);
    const __m256i values = _mm256_add_epi8(c, _mm256_shuffle_epi8(roll, _mm256_add_epi8(row, shift)));
    const __m256i pairs = _mm256_maddubs_epi16(values, _mm256_set1_epi32(0x01400140));
    const __m256i packed =
        _mm256_shuffle_epi8(_mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000)), both_lanes(kPack));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                        _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7)));
  }
  return done + decode_portable(in, groups - done, out, alphabet);
}

}  // namespace millrace::base64

#endif
