// The kernel "x86-vaes256": AVX2 with VAES and VPCLMULQDQ, for processors without AVX-512 (Zen 3, Alder Lake and
// later). Here are only the vectors of two blocks and their operations; what is done with them is in the .inc files,
// beginning with aes_x86_rounds.inc. With 16 registers the eight vectors of a chunk leave too few for GHASH, and
// compilers spill; chunks of four vectors spill less and were slower all the same, because four AES chains do not fill
// the units.
#include <immintrin.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/cpu.h"
#include "crypto/aes_x86_kernels.h"
#include "millrace/secret.h"

#define MILLRACE_AES_TARGET "avx2,vaes,vpclmulqdq,aes,pclmul"
#define MR_KERNEL [[gnu::target(MILLRACE_AES_TARGET)]]
#define MR_INLINE [[gnu::target(MILLRACE_AES_TARGET), gnu::always_inline]] inline

namespace millrace {

namespace {

using Vec = __m256i;
constexpr std::size_t kLanes = 2;      // blocks in a vector
constexpr std::size_t kChunkVecs = 8;  // vectors at work at once

MR_INLINE Vec load(const std::byte* p) { return _mm256_loadu_si256(reinterpret_cast<const Vec*>(p)); }
MR_INLINE void store(std::byte* p, Vec v) { _mm256_storeu_si256(reinterpret_cast<Vec*>(p), v); }

// The first n < 32 bytes, the others zero; nothing behind them is touched. AVX2 has no byte masks, so they go through
// a buffer, which is cleansed: the empty assembler statement keeps the compiler from dropping that store.
struct PartBuffer {
  alignas(32) std::byte bytes[32] = {};
};
MR_INLINE void cleanse(PartBuffer& b) {
  store(b.bytes, _mm256_setzero_si256());
  __asm__ volatile("" : : "r"(b.bytes) : "memory");
}
MR_INLINE Vec load_part(const std::byte* p, std::size_t n) {
  PartBuffer b;
  std::memcpy(b.bytes, p, n);
  const Vec v = load(b.bytes);
  cleanse(b);
  return v;
}
MR_INLINE void store_part(std::byte* p, std::size_t n, Vec v) {
  PartBuffer b;
  store(b.bytes, v);
  std::memcpy(p, b.bytes, n);
  cleanse(b);
}
MR_INLINE Vec keep_part(Vec v, std::size_t n) {
  const Vec index = _mm256_set_epi8(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11,
                                    10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  return _mm256_and_si256(v, _mm256_cmpgt_epi8(_mm256_set1_epi8(static_cast<char>(n)), index));
}

MR_INLINE Vec zero() { return _mm256_setzero_si256(); }
MR_INLINE Vec broadcast(__m128i v) { return _mm256_broadcastsi128_si256(v); }
MR_INLINE Vec lane_zero(__m128i v) { return _mm256_zextsi128_si256(v); }
MR_INLINE __m128i first_lane(Vec v) { return _mm256_castsi256_si128(v); }
MR_INLINE Vec from_lanes(const __m128i (&b)[kLanes]) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(b[0]), b[1], 1);
}
MR_INLINE __m128i xor_of_lanes(Vec v) {
  return _mm_xor_si128(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
}

MR_INLINE Vec bxor(Vec a, Vec b) { return _mm256_xor_si256(a, b); }
MR_INLINE Vec xor3(Vec a, Vec b, Vec c) { return _mm256_xor_si256(_mm256_xor_si256(a, b), c); }
MR_INLINE Vec add32(Vec a, Vec b) { return _mm256_add_epi32(a, b); }
MR_INLINE Vec shuffle_bytes(Vec v, Vec order) { return _mm256_shuffle_epi8(v, order); }
MR_INLINE Vec swap_halves(Vec v) { return _mm256_shuffle_epi32(v, 0x4e); }
MR_INLINE Vec low_halves(Vec a, Vec b) { return _mm256_unpacklo_epi64(a, b); }
MR_INLINE Vec high_halves(Vec a, Vec b) { return _mm256_unpackhi_epi64(a, b); }

MR_INLINE Vec aes_round(Vec state, Vec key) { return _mm256_aesenc_epi128(state, key); }
MR_INLINE Vec aes_last_round(Vec state, Vec key) { return _mm256_aesenclast_epi128(state, key); }
template <int kHalves>
MR_INLINE Vec clmul(Vec a, Vec b) {
  return _mm256_clmulepi64_epi128(a, b, kHalves);
}

// 0, 1: the distance of each lane's counter from the first one's.
MR_INLINE Vec lane_numbers() { return _mm256_set_epi32(0, 0, 0, 1, 0, 0, 0, 0); }

bool runnable() {
  const CpuFeatures& f = cpu();
  return f.avx2 && f.vaes && f.vpclmulqdq && f.aes && f.pclmul;
}

}  // namespace

}  // namespace millrace

#include "crypto/aes_x86_rounds.inc"
//
#include "crypto/aes_x86_chunks.inc"
//
#include "crypto/aes_x86_gcm.inc"
//
#include "crypto/aes_x86_ctr.inc"

namespace millrace {

constexpr AesGcmKernel kAesGcmVaes256 = gcm_kernel("x86-vaes256");
constexpr AesCtrKernel kAesCtrVaes256 = ctr_kernel("x86-vaes256");

}  // namespace millrace
