// base64 with AVX-512 VBMI: whole vectors in, whole vectors out.
//
// VBMI has the two instructions base64 wants. vpermb is a table of 64 bytes indexed by the low 6 bits of each byte,
// which is the alphabet itself, without ranges or offsets; vpmultishiftqb picks eight bits from any eight places of a
// 64-bit lane, which is the split of 24 bits into four digits (the top two bits it brings along are the ones vpermb
// ignores). Decoding is vpermi2b, a table of 128 bytes: digits become values, everything else 0xff, and characters past
// 127, which alias into the table, still carry their own top bit. So value | character has the top bit exactly where
// something is foreign; one vpternlogd collects that for a vector, one vpmovb2m a block. Two multiply-adds join the
// four values.
//
//   encode, 64 digits:  3/4 load, vpermb or vpermi2b (groups spread to 4 bytes), vpmultishiftqb, vpermb, store
//   decode, 64 digits:  load, vpermi2b, vpternlogd, vpmaddubsw, vpmaddwd, 3/4 vpermi2b (groups packed), 3/4 store
//
// Mula and Lemire ("Base64 encoding and decoding at almost the speed of a memory copy", 2019) give both sequences for
// one vector: 48 bytes on one side, 64 on the other, so every load of the encoder and every store of the decoder
// straddles what its neighbour covers. Here a block is their common multiple, 192 bytes <-> 256 digits. Each vector is
// loaded and stored once, and the spreading or packing permutation takes its bytes from two neighbours: vpermi2b costs
// what vpermb does, the decoder needs three for four vectors of digits, and all stores can be aligned. That makes
// decoding 1.10 to 1.16 times as fast as the one-vector form in L1 and L2 (45.5 against 41.5 GB/s of payload at 256
// KiB, Zen 4); encoding is equal there, since both are bound by one store in two cycles. And it gives both directions
// what they need beyond the cache: full lines for non-temporal stores, where a plain store first reads the line it will
// overwrite. 48 MiB of payload, Zen 4, median of 31 alternating runs: encoding 10.9 -> 15.9 GB/s where memcpy of as
// many characters reaches 8.5, decoding 13.2 -> 16.5.
//
// Tried and left out: a piece in L1, then copied out by non-temporal stores (serves every alignment; decoding equal,
// but encoding lost a quarter of the gain and more); software prefetch of the next piece of that (half the speed); the
// scalar kernel for the ends of texts (up to 48 bytes a masked step takes 2.4 ns to encode and 6 ns to decode, which is
// what the scalar kernel needs for 4 and 9 bytes).

#if defined(__x86_64__)

// GCC 12 reports the deliberately undefined operand inside its own AVX-512 intrinsics as ours (its bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include <array>
#include <cstdint>

#include "encoding/base64_digits.h"
#include "encoding/base64_kernels.h"

#define MILLRACE_VBMI [[gnu::target("avx512f,avx512bw,avx512vbmi")]]

namespace millrace::base64 {

namespace {

constexpr std::size_t kVectorGroups = 16;  // 48 bytes <-> 64 digits: what one permutation can do
constexpr std::size_t kBlockGroups = 64;   // 192 bytes <-> 256 digits: whole vectors on both sides

// From 4 KiB of digits the few steps that align the stores pay.
constexpr std::size_t kAlignGroups = 1024;
// Output of this size goes past the cache. Reading the output back at once, as a consumer might, breaks even at 12 to
// 16 MiB on a core with a 32 MiB L3; below, in-cache stores are up to twice as fast. The size of the L3 is not asked
// for: virtual machines report the host's (this one said 320 MiB).
constexpr std::size_t kPastCache = std::size_t{16} << 20;

struct alignas(64) Table {
  std::array<std::uint8_t, 64> at;
};

// --- tables of the encoder

// Where output vector v of a block finds its bytes, counted from byte `base` of the block: each group b0 b1 b2 becomes
// the four bytes b1 b0 b2 b1, in which every digit is a run of six bits.
constexpr Table spread_table(std::size_t v, std::size_t base) {
  constexpr std::array<std::size_t, 4> kOrder = {1, 0, 2, 1};
  Table table{};
  for (std::size_t i = 0; i < 64; ++i) {
    table.at[i] = static_cast<std::uint8_t>(48 * v + i / 4 * 3 + kOrder[i % 4] - base);
  }
  return table;
}
constexpr Table kSpread0 = spread_table(0, 0);
constexpr Table kSpread1 = spread_table(1, 0);
constexpr Table kSpread2 = spread_table(2, 64);
constexpr Table kSpread3 = spread_table(3, 128);

// The lowest bit of each digit in b1 | b0 << 8 | b2 << 16 | b1 << 24, for the two groups of a 64-bit lane.
constexpr Table shift_table() {
  constexpr std::array<std::size_t, 4> kLowestBit = {10, 4, 22, 16};
  Table table{};
  for (std::size_t i = 0; i < 64; ++i) table.at[i] = static_cast<std::uint8_t>(kLowestBit[i % 4] + i % 8 / 4 * 32);
  return table;
}
constexpr Table kShifts = shift_table();

constexpr Table digit_table(std::string_view digits) {
  Table table{};
  for (std::size_t i = 0; i < 64; ++i) table.at[i] = static_cast<std::uint8_t>(digits[i]);
  return table;
}
constexpr Table kStandardDigitTable = digit_table(kStandardDigits);
constexpr Table kUrlSafeDigitTable = digit_table(kUrlSafeDigits);

// --- tables of the decoder

constexpr Table value_table(const std::array<std::uint8_t, 256>& values, std::size_t first) {
  Table table{};
  for (std::size_t i = 0; i < 64; ++i) table.at[i] = values[first + i];
  return table;
}
struct ValueTables {
  Table low, high;  // of characters 0-63 and 64-127
};
constexpr ValueTables kStandardValueTables = {value_table(kStandardValues, 0), value_table(kStandardValues, 64)};
constexpr ValueTables kUrlSafeValueTables = {value_table(kUrlSafeValues, 0), value_table(kUrlSafeValues, 64)};

// Where output vector v of a block finds its bytes in the joined vectors v and v + 1: a group is a little-endian 32-bit
// number there, its first byte in bits 16-23.
constexpr Table pack_table(std::size_t v) {
  Table table{};
  for (std::size_t i = 0; i < 64; ++i) {
    const std::size_t byte = 64 * v + i;
    table.at[i] = static_cast<std::uint8_t>(byte / 3 * 4 + (2 - byte % 3) - 64 * v);
  }
  return table;
}
constexpr Table kPack0 = pack_table(0);
constexpr Table kPack1 = pack_table(1);
constexpr Table kPack2 = pack_table(2);

// --- both

MILLRACE_VBMI inline __m512i load(const void* p) { return _mm512_loadu_si512(p); }
MILLRACE_VBMI inline __m512i load(const Table& table) { return _mm512_load_si512(table.at.data()); }

enum class Stores { kPlain, kNonTemporal };

template <Stores kStores>
MILLRACE_VBMI inline void store(void* p, __m512i v) {
  if constexpr (kStores == Stores::kNonTemporal) {
    _mm512_stream_si512(static_cast<__m512i*>(p), v);
  } else {
    _mm512_storeu_si512(p, v);
  }
}

constexpr __mmask64 first_bytes(std::size_t n) { return n == 64 ? ~__mmask64{0} : (__mmask64{1} << n) - 1; }

inline std::size_t bytes_to_alignment(const void* p) { return -reinterpret_cast<std::uintptr_t>(p) & 63; }

struct Encoder {
  __m512i spread0, spread1, spread2, spread3, shifts, digits;

  MILLRACE_VBMI explicit Encoder(Base64Alphabet alphabet)
      : spread0(load(kSpread0)),
        spread1(load(kSpread1)),
        spread2(load(kSpread2)),
        spread3(load(kSpread3)),
        shifts(load(kShifts)),
        digits(load(alphabet == Base64Alphabet::kStandard ? kStandardDigitTable : kUrlSafeDigitTable)) {}

  MILLRACE_VBMI __m512i digits_of_spread(__m512i groups) const {
    return _mm512_permutexvar_epi8(_mm512_multishift_epi64_epi8(shifts, groups), digits);
  }

  // Up to kVectorGroups groups; masked-out bytes are neither read nor written, so they may lie on a page that is not
  // there.
  MILLRACE_VBMI void step(const std::byte* in, std::size_t groups, char* out) const {
    const __m512i bytes = _mm512_maskz_loadu_epi8(first_bytes(3 * groups), in);
    const __m512i text = digits_of_spread(_mm512_permutexvar_epi8(spread0, bytes));
    _mm512_mask_storeu_epi8(out, first_bytes(4 * groups), text);
  }

  MILLRACE_VBMI void steps(const std::byte* in, std::size_t groups, char* out) const {
    for (; groups >= kVectorGroups; groups -= kVectorGroups, in += 48, out += 64) step(in, kVectorGroups, out);
    if (groups > 0) step(in, groups, out);
  }

  template <Stores kStores>
  MILLRACE_VBMI void blocks(const std::byte* in, std::size_t count, char* out) const {
    for (; count > 0; --count, in += 192, out += 256) {
      const __m512i a = load(in), b = load(in + 64), c = load(in + 128);
      store<kStores>(out, digits_of_spread(_mm512_permutexvar_epi8(spread0, a)));
      store<kStores>(out + 64, digits_of_spread(_mm512_permutex2var_epi8(a, spread1, b)));
      store<kStores>(out + 128, digits_of_spread(_mm512_permutex2var_epi8(b, spread2, c)));
      store<kStores>(out + 192, digits_of_spread(_mm512_permutexvar_epi8(spread3, c)));
    }
  }
};

struct Decoder {
  __m512i low, high, pack0, pack1, pack2;

  MILLRACE_VBMI explicit Decoder(const ValueTables& values)
      : low(load(values.low)), high(load(values.high)), pack0(load(kPack0)), pack1(load(kPack1)), pack2(load(kPack2)) {}

  MILLRACE_VBMI __m512i values(__m512i text) const { return _mm512_permutex2var_epi8(low, text, high); }

  // a << 18 | b << 12 | c << 6 | d in every 32-bit lane, in two steps: (a << 6 | b, c << 6 | d), then the halves.
  MILLRACE_VBMI static __m512i join(__m512i values) {
    const __m512i halves = _mm512_maddubs_epi16(values, _mm512_set1_epi16(0x0140));
    return _mm512_madd_epi16(halves, _mm512_set1_epi32(0x00011000));
  }

  // Up to kVectorGroups groups; returns how many there are before the first with a foreign character. The masked-out
  // characters are zero, which is foreign, so the answer is right for a short vector too.
  MILLRACE_VBMI std::size_t step(const char* in, std::size_t groups, std::byte* out) const {
    const __m512i text = _mm512_maskz_loadu_epi8(first_bytes(4 * groups), in);
    const __m512i v = values(text);
    const __mmask64 foreign = _mm512_movepi8_mask(_mm512_or_si512(text, v));
    _mm512_mask_storeu_epi8(out, first_bytes(3 * groups), _mm512_permutexvar_epi8(pack0, join(v)));
    return foreign == 0 ? groups : static_cast<std::size_t>(__builtin_ctzll(foreign)) / 4;
  }

  // The same for any number of groups.
  MILLRACE_VBMI std::size_t steps(const char* in, std::size_t groups, std::byte* out) const {
    std::size_t done = 0;
    for (; groups - done >= kVectorGroups; done += kVectorGroups, in += 64, out += 48) {
      const std::size_t good = step(in, kVectorGroups, out);
      if (good < kVectorGroups) return done + good;
    }
    return done == groups ? done : done + step(in, groups - done, out);
  }

  // Returns how many blocks there are before the first with a foreign character.
  template <Stores kStores>
  MILLRACE_VBMI std::size_t blocks(const char* in, std::size_t count, std::byte* out) const {
    for (std::size_t done = 0; done < count; ++done, in += 256, out += 192) {
      const __m512i a = load(in), b = load(in + 64), c = load(in + 128), d = load(in + 192);
      const __m512i va = values(a), vb = values(b), vc = values(c), vd = values(d);
      constexpr int kOrOfThree = 0xfe;
      const __m512i ab = _mm512_ternarylogic_epi32(_mm512_or_si512(a, va), b, vb, kOrOfThree);
      const __m512i abc = _mm512_ternarylogic_epi32(ab, c, vc, kOrOfThree);
      if (_mm512_movepi8_mask(_mm512_ternarylogic_epi32(abc, d, vd, kOrOfThree)) != 0) return done;
      const __m512i ja = join(va), jb = join(vb), jc = join(vc), jd = join(vd);
      store<kStores>(out, _mm512_permutex2var_epi8(ja, pack0, jb));
      store<kStores>(out + 64, _mm512_permutex2var_epi8(jb, pack1, jc));
      store<kStores>(out + 128, _mm512_permutex2var_epi8(jc, pack2, jd));
    }
    return count;
  }
};

}  // namespace

MILLRACE_VBMI void encode_avx512vbmi(const std::byte* in, std::size_t groups, char* out, Base64Alphabet alphabet) {
  const Encoder encoder(alphabet);
  // Digits come in fours, so only an output at a multiple of four can be aligned.
  if (groups >= kAlignGroups && bytes_to_alignment(out) % 4 == 0) {
    const std::size_t head = bytes_to_alignment(out) / 4;
    encoder.steps(in, head, out);
    groups -= head, in += 3 * head, out += 4 * head;
  }
  const std::size_t blocks = groups / kBlockGroups;
  if (4 * groups >= kPastCache && bytes_to_alignment(out) == 0) {
    encoder.blocks<Stores::kNonTemporal>(in, blocks, out);
    _mm_sfence();  // whoever is handed the text next must see it
  } else {
    encoder.blocks<Stores::kPlain>(in, blocks, out);
  }
  encoder.steps(in + 192 * blocks, groups % kBlockGroups, out + 256 * blocks);
}

MILLRACE_VBMI std::size_t decode_avx512vbmi(const char* in, std::size_t groups, std::byte* out,
                                            Base64Alphabet alphabet) {
  const Decoder decoder(alphabet == Base64Alphabet::kStandard ? kStandardValueTables : kUrlSafeValueTables);
  // Three times 43 is 1 modulo 64, so that many groups bring the output to a multiple of 64 wherever it starts.
  const std::size_t head = groups >= kAlignGroups ? bytes_to_alignment(out) * 43 % 64 : 0;
  std::size_t done = decoder.steps(in, head, out);
  // After a foreign character in the head the first block is not taken, and the steps at the end stop where it is.
  const std::size_t blocks = (groups - done) / kBlockGroups;
  const char* text = in + 4 * done;
  std::byte* bytes = out + 3 * done;
  if (3 * groups >= kPastCache) {
    done += kBlockGroups * decoder.blocks<Stores::kNonTemporal>(text, blocks, bytes);
    _mm_sfence();
  } else {
    done += kBlockGroups * decoder.blocks<Stores::kPlain>(text, blocks, bytes);
  }
  // What is left after all blocks, or up to the foreign character in the block that was not taken.
  return done + decoder.steps(in + 4 * done, groups - done, out + 3 * done);
}

}  // namespace millrace::base64

#endif
