// CRC-32C with both units that the processor has for it: carry-less multiplication in the vector unit and the crc32
// instruction in the integer unit, at the same time in one loop.
//
// Multiplication alone is bound by one 512-bit multiplication every two cycles, two of them for 64 bytes: 16 bytes a
// cycle (AMD Zen 4 and 5). crc32 takes 8 bytes a cycle and gives its result after three, so it wants three streams.
// Each turn of the loop gives four vectors to the multiplier and kWords words to each stream, from a block that is laid
// out as
//
//   | stream 0 | stream 1 | stream 2 |           vectors            |
//
// At the end of a block each stream's register is multiplied by the power of x that moves it to the end of the vectors,
// and the accumulators go on, across the streams of the next block, by another one. All lengths are fixed, so all
// multipliers are constants, and nothing is reduced before the last block. To mix the two units is P. Cawley's idea
// ("Faster CRC32-C on x86", and his generator fast-crc32); there the split is made once over the whole message, which
// needs powers of x computed for its length, and the combination of separately reduced parts.
//
// The loop touches four places at once, which the prefetchers of the hardware lose whenever a block ends: from memory
// it ran at less than half the speed of multiplication alone. So it asks for the next block itself, line after line.
//
// Zen 4, 3.7 GHz, GB/s at 64 KiB, 1 MiB and 64 MiB:
//   multiplication alone                   57   56   32
//   2, 3, 4, 5 words a turn, no prefetch   62, 71, 67, 50 at 64 KiB; 13 at 64 MiB
//   3 words, prefetch, 16 turns            65   66   30       (32 turns: 66 67 31; 64: 64 65 25; 128: 62 56 25)
#if defined(__x86_64__)

#include <cstring>

#include "base/cpu.h"
#include "checksum/crc_x86_vector512.h"

namespace millrace::crc {

namespace {

constexpr std::size_t kTurns = 16;
constexpr std::size_t kWords = 3;
constexpr std::size_t kStream = 8 * kWords * kTurns;
constexpr std::size_t kRow = 4 * Vector512::kBytes;
constexpr std::size_t kBlock = 3 * kStream + kRow * kTurns;

constexpr std::uint64_t kP = kPolynomial<Crc32c>;

// A register is a lane whose bits stand before what follows. The streams are added to the first 128 bits of the last
// row of vectors; `after` is the number of bytes from the end of a stream to the end of those 128 bits.
constexpr std::uint64_t stream_multiplier(std::size_t after) { return x_to_the(8 * after - 65, kP); }
constexpr std::size_t kAfterLast = kRow * (kTurns - 1) + 16;
constexpr std::uint64_t kStreams[] = {stream_multiplier(kAfterLast + 2 * kStream),
                                      stream_multiplier(kAfterLast + kStream), stream_multiplier(kAfterLast)};
constexpr Multiplier kNextRow = multiplier(8 * kRow, kP);
constexpr Multiplier kNextBlock = multiplier(8 * (kRow + 3 * kStream), kP);

#define HYBRID_TARGET gnu::target("vpclmulqdq,pclmul,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,sse4.2")

[[HYBRID_TARGET, gnu::always_inline]] inline std::uint64_t crc32q(std::uint64_t r, const std::byte* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return _mm_crc32_u64(r, word);
}

[[HYBRID_TARGET, gnu::always_inline]] inline __m128i moved(std::uint64_t r, std::uint64_t multiplier) {
  return _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<long long>(r)),
                              _mm_cvtsi64_si128(static_cast<long long>(multiplier)), 0x00);
}

// extend_blocks requires n >= kBlock and takes as many blocks as there are.
[[HYBRID_TARGET]] std::uint32_t extend_blocks(std::uint32_t crc, const std::byte* p, std::size_t blocks) {
  using V = Vector512;
  const __m512i next_row = V::multiplier(kNextRow);
  const __m512i next_block = V::multiplier(kNextBlock);
  __m512i a0 = V::zero();
  __m512i a1 = V::zero();
  __m512i a2 = V::zero();
  __m512i a3 = V::zero();
  std::uint64_t s0 = static_cast<std::uint32_t>(~crc);
  for (; blocks > 0; --blocks, p += kBlock) {
    const std::byte* stream = p;
    const std::byte* row = p + 3 * kStream;
    __m512i ahead = next_block;
    auto next = reinterpret_cast<std::uintptr_t>(p) + kBlock;  // not a pointer: after the last block there is nothing
    std::uint64_t s1 = 0;
    std::uint64_t s2 = 0;
    for (std::size_t turn = 0; turn < kTurns; ++turn, stream += 8 * kWords, row += kRow) {
      a0 = V::multiply_add(a0, ahead, V::load(row));
      a1 = V::multiply_add(a1, ahead, V::load(row + 64));
      a2 = V::multiply_add(a2, ahead, V::load(row + 128));
      a3 = V::multiply_add(a3, ahead, V::load(row + 192));
      for (std::size_t w = 0; w < kWords; ++w) {
        s0 = crc32q(s0, stream + 8 * w);
        s1 = crc32q(s1, stream + kStream + 8 * w);
        s2 = crc32q(s2, stream + 2 * kStream + 8 * w);
      }
      for (std::size_t i = 0; i < kBlock / kTurns; i += 64)
        _mm_prefetch(reinterpret_cast<const char*>(next + i), _MM_HINT_T0);
      next += kBlock / kTurns;
      ahead = next_row;
    }
    const __m128i streams =
        _mm_xor_si128(_mm_xor_si128(moved(s0, kStreams[0]), moved(s1, kStreams[1])), moved(s2, kStreams[2]));
    a0 = V::add(a0, _mm512_zextsi128_si512(streams));
    s0 = 0;
  }
  const Multiplier* const end = kToEnd<Crc32c, kRow / 16>.data();
  __m512i sum = V::multiply_add(a0, V::multipliers(end), V::zero());
  sum = V::multiply_add(a1, V::multipliers(end + 4), sum);
  sum = V::multiply_add(a2, V::multipliers(end + 8), sum);
  sum = V::multiply_add(a3, V::multipliers(end + 12), sum);
  return static_cast<std::uint32_t>(~V::reduce(sum, kReduction<Crc32c>));
}

}  // namespace

bool crc32q_runs() { return vpclmul512_runs() && cpu().sse42; }

std::uint32_t extend_crc32q(std::uint32_t crc, ByteView bytes) {
  const std::size_t blocks = bytes.size() / kBlock;
  if (blocks == 0) return extend_vpclmul512<Crc32c>(crc, bytes);
  crc = extend_blocks(crc, bytes.data(), blocks);
  return extend_vpclmul512<Crc32c>(crc, bytes.subspan(blocks * kBlock));
}

}  // namespace millrace::crc

#endif
