// Folding (crc_fold.h) with VPCLMULQDQ in 256-bit registers, for processors that have it without AVX-512: AMD Zen 3,
// Intel Alder Lake and later client parts.
//
// Zen 4, 3.7 GHz, GB/s at 64 B, 256 B, 4 KiB, 64 KiB: 11.3, 21.0, 28.3, 28.9, twice the 128-bit kernel. 6 accumulators
// and 8 lose a tenth at 4 KiB, where up to 5 and 7 vectors are left for the sum.
#if defined(__x86_64__)

#include <immintrin.h>

#define MILLRACE_FOLD_TARGET [[gnu::target("vpclmulqdq,pclmul,avx2")]]
#include "base/cpu.h"
#include "checksum/crc_fold.h"
#include "checksum/crc_x86.h"

namespace millrace::crc {

namespace {

#define FOLD [[gnu::target("vpclmulqdq,pclmul,avx2"), gnu::always_inline]] static inline

struct Vector256 {
  using Register = __m256i;
  static constexpr std::size_t kBytes = 32;
  static constexpr std::size_t kAccumulators = 4;

  FOLD Register load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
  FOLD Register zero() { return _mm256_setzero_si256(); }
  FOLD Register add(Register a, Register b) { return _mm256_xor_si256(a, b); }
  FOLD Register multipliers(const Multiplier* p) { return load(p); }
  FOLD Register multiplier(Multiplier m) {
    return _mm256_broadcastsi128_si256(
        _mm_set_epi64x(static_cast<long long>(m.second), static_cast<long long>(m.first)));
  }
  FOLD Register multiply_add(Register v, Register m, Register w) {
    return add(add(_mm256_clmulepi64_epi128(v, m, 0x00), _mm256_clmulepi64_epi128(v, m, 0x11)), w);
  }
  FOLD Register first_bytes(std::uint64_t lane) {
    return _mm256_zextsi128_si256(_mm_cvtsi64_si128(static_cast<long long>(lane)));
  }

  struct Split {
    Register before;
    Register after;
  };
  // The byte shuffle stays within halves of 16 bytes, so each half is turned by n modulo 16 and the bytes that left it
  // are taken from the other half; for n of 16 and more the halves change places first.
  FOLD Split split(Register v, std::size_t n) {
    const __m256i index = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,  //
                                           0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m256i turned = _mm256_add_epi8(index, _mm256_set1_epi8(static_cast<char>(n)));
    const __m256i same = _mm256_shuffle_epi8(v, turned);
    const __m256i other = _mm256_permute2x128_si256(same, same, 0x01);
    // Bit 4 of the index says "the other half"; a shift by 3 makes it the sign, which the blend looks at.
    const __m256i bytes = _mm256_blendv_epi8(same, other, _mm256_slli_epi16(turned, 3));
    const __m256i position = _mm256_add_epi8(index, _mm256_setr_m128i(_mm_setzero_si128(), _mm_set1_epi8(16)));
    const __m256i wrapped = _mm256_cmpgt_epi8(position, _mm256_set1_epi8(static_cast<char>(31 - n)));
    return {_mm256_and_si256(wrapped, bytes), _mm256_andnot_si256(wrapped, bytes)};
  }

  FOLD std::uint64_t reduce(Register v, Reduction reduction) {
    return reduce_x86(_mm_xor_si128(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1)), reduction);
  }
};

#undef FOLD

}  // namespace

bool vpclmul256_runs() { return pclmul_runs() && cpu().avx2 && cpu().vpclmulqdq; }

template <class Crc>
typename Crc::Value extend_vpclmul256(typename Crc::Value crc, ByteView bytes) {
  if (bytes.size() < Vector256::kBytes) return extend_pclmul<Crc>(crc, bytes);
  return extend_folding<Vector256, Crc>(crc, bytes.data(), bytes.size());
}

#define INSTANTIATE(Crc) template Crc::Value extend_vpclmul256<Crc>(Crc::Value, ByteView);
MILLRACE_FOR_EACH_CRC(INSTANTIATE)

}  // namespace millrace::crc

#endif
