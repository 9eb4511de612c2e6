// The kernel "x86-vaes512": AVX-512 with VAES and VPCLMULQDQ (Ice Lake, Zen 4 and later). Here are only the vectors of
// four blocks and their operations; what is done with them is in the .inc files, beginning with aes_x86_rounds.inc.
//
// A carry-less multiplication of 512 bits costs Zen 4 and Zen 5 as much as one of 128, so this width is worth 1.3 to
// 1.4 times the 256-bit kernel in GCM, though AES itself gains nothing from it on Zen 4.

// GCC 12 warns of the undefined operands inside its own AVX-512 header (its bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/cpu.h"
#include "crypto/aes_x86_kernels.h"
#include "millrace/secret.h"

#define MILLRACE_AES_TARGET "avx512f,avx512bw,avx512vl,avx512dq,vaes,vpclmulqdq,aes,pclmul,avx2,bmi2"
#define MR_KERNEL [[gnu::target(MILLRACE_AES_TARGET)]]
#define MR_INLINE [[gnu::target(MILLRACE_AES_TARGET), gnu::always_inline]] inline

namespace millrace {

namespace {

using Vec = __m512i;
constexpr std::size_t kLanes = 4;      // blocks in a vector
constexpr std::size_t kChunkVecs = 8;  // vectors at work at once

MR_INLINE Vec load(const std::byte* p) { return _mm512_loadu_si512(p); }
MR_INLINE void store(std::byte* p, Vec v) { _mm512_storeu_si512(p, v); }

MR_INLINE __mmask64 first_bytes(std::size_t n) { return _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(n)); }
// The first n < 64 bytes, the others zero; nothing behind them is touched.
MR_INLINE Vec load_part(const std::byte* p, std::size_t n) { return _mm512_maskz_loadu_epi8(first_bytes(n), p); }
MR_INLINE void store_part(std::byte* p, std::size_t n, Vec v) { _mm512_mask_storeu_epi8(p, first_bytes(n), v); }
MR_INLINE Vec keep_part(Vec v, std::size_t n) { return _mm512_maskz_mov_epi8(first_bytes(n), v); }

MR_INLINE Vec zero() { return _mm512_setzero_si512(); }
MR_INLINE Vec broadcast(__m128i v) { return _mm512_broadcast_i32x4(v); }
MR_INLINE Vec lane_zero(__m128i v) { return _mm512_zextsi128_si512(v); }
MR_INLINE __m128i first_lane(Vec v) { return _mm512_castsi512_si128(v); }
MR_INLINE Vec from_lanes(const __m128i (&b)[kLanes]) {
  const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(b[0]), b[1], 1);
  const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(b[2]), b[3], 1);
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
MR_INLINE __m128i xor_of_lanes(Vec v) {
  const __m256i half = _mm256_xor_si256(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
  return _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

MR_INLINE Vec bxor(Vec a, Vec b) { return _mm512_xor_si512(a, b); }
MR_INLINE Vec xor3(Vec a, Vec b, Vec c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
MR_INLINE Vec add32(Vec a, Vec b) { return _mm512_add_epi32(a, b); }
MR_INLINE Vec shuffle_bytes(Vec v, Vec order) { return _mm512_shuffle_epi8(v, order); }
MR_INLINE Vec swap_halves(Vec v) { return _mm512_shuffle_epi32(v, _MM_PERM_BADC); }
MR_INLINE Vec low_halves(Vec a, Vec b) { return _mm512_unpacklo_epi64(a, b); }
MR_INLINE Vec high_halves(Vec a, Vec b) { return _mm512_unpackhi_epi64(a, b); }

MR_INLINE Vec aes_round(Vec state, Vec key) { return _mm512_aesenc_epi128(state, key); }
MR_INLINE Vec aes_last_round(Vec state, Vec key) { return _mm512_aesenclast_epi128(state, key); }
template <int kHalves>
MR_INLINE Vec clmul(Vec a, Vec b) {
  return _mm512_clmulepi64_epi128(a, b, kHalves);
}

// 0, 1, 2, 3: the distance of each lane's counter from the first one's.
MR_INLINE Vec lane_numbers() { return _mm512_set_epi32(0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0); }

bool runnable() {
  const CpuFeatures& f = cpu();
  return f.avx512f && f.avx512bw && f.avx512vl && f.avx512dq && f.vaes && f.vpclmulqdq && f.aes && f.pclmul && f.avx2 &&
         f.bmi2;
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

constexpr AesGcmKernel kAesGcmVaes512 = gcm_kernel("x86-vaes512");
constexpr AesCtrKernel kAesCtrVaes512 = ctr_kernel("x86-vaes512");

}  // namespace millrace
