// Vector512: folding in 512-bit registers (see crc_fold.h), for the kernels that use them.
#pragma once

#include <immintrin.h>

#define MILLRACE_FOLD_TARGET [[gnu::target("vpclmulqdq,pclmul,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]]
#include "checksum/crc_fold.h"
#include "checksum/crc_x86.h"

namespace millrace::crc {

namespace {

#define FOLD \
  [[gnu::target("vpclmulqdq,pclmul,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi"), gnu::always_inline]] static inline

// The unmasked forms of these intrinsics start from an undefined register, about which GCC 12 warns. A mask of all ones
// is optimized away.
constexpr __mmask8 kEvery = 0xff;

struct Vector512 {
  using Register = __m512i;
  static constexpr std::size_t kBytes = 64;
  static constexpr std::size_t kAccumulators = 6;

  FOLD Register load(const void* p) { return _mm512_loadu_si512(p); }
  FOLD Register zero() { return _mm512_setzero_si512(); }
  FOLD Register add(Register a, Register b) { return _mm512_xor_si512(a, b); }
  FOLD Register multipliers(const Multiplier* p) { return load(p); }
  FOLD Register multiplier(Multiplier m) {
    return _mm512_maskz_broadcast_i64x2(
        kEvery, _mm_set_epi64x(static_cast<long long>(m.second), static_cast<long long>(m.first)));
  }
  FOLD Register multiply_add(Register v, Register m, Register w) {
    constexpr int kXorOfThree = 0x96;
    return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(v, m, 0x00), _mm512_clmulepi64_epi128(v, m, 0x11), w,
                                     kXorOfThree);
  }
  FOLD Register first_bytes(std::uint64_t lane) {
    return _mm512_zextsi128_si512(_mm_cvtsi64_si128(static_cast<long long>(lane)));
  }

  struct Split {
    Register before;
    Register after;
  };
  FOLD Split split(Register v, std::size_t n) {
    alignas(64) static constexpr auto kIndex = [] {
      std::array<std::uint8_t, 64> index{};
      for (std::uint8_t i = 0; i < 64; ++i) index[i] = i;
      return index;
    }();
    const __m512i turned = _mm512_add_epi8(load(kIndex.data()), _mm512_set1_epi8(static_cast<char>(n)));
    const __mmask64 not_wrapped = ~std::uint64_t{0} >> n;
    return {_mm512_maskz_permutexvar_epi8(~not_wrapped, turned, v),  // uses the index modulo 64
            _mm512_maskz_permutexvar_epi8(not_wrapped, turned, v)};
  }

  FOLD std::uint64_t reduce(Register v, Reduction reduction) {
    const __m256i half =
        _mm256_xor_si256(_mm512_maskz_extracti64x4_epi64(kEvery, v, 0), _mm512_maskz_extracti64x4_epi64(kEvery, v, 1));
    return reduce_x86(_mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1)), reduction);
  }
};

#undef FOLD

}  // namespace

}  // namespace millrace::crc
