// What the x86 kernels share: the last step, which is one register of 128 bits for all of them.
#pragma once

#include <immintrin.h>

#include "checksum/crc_algebra.h"

namespace millrace::crc {

// reduce_x86 takes 128 bits modulo P by Barrett's method (see Reduction).
[[gnu::target("pclmul,sse4.1"), gnu::always_inline]] inline std::uint64_t reduce_x86(__m128i t, Reduction reduction) {
  const __m128i constants =
      _mm_set_epi64x(static_cast<long long>(reduction.polynomial), static_cast<long long>(reduction.mu));
  const __m128i quotient = _mm_clmulepi64_si128(t, constants, 0x00);  // in the low lane
  const __m128i product = _mm_clmulepi64_si128(quotient, constants, 0x10);
  std::uint64_t remainder = static_cast<std::uint64_t>(_mm_extract_epi64(_mm_xor_si128(t, product), 1));
  if (reduction.add_quotient) remainder ^= static_cast<std::uint64_t>(_mm_cvtsi128_si64(quotient));
  return remainder;
}

}  // namespace millrace::crc
