// Folding (crc_fold.h) with PMULL of the ARMv8 cryptography extension. Eight accumulators, because cores with two
// multipliers and a latency of three start six multiplications before the first is done; no arm64 machine was at hand
// to measure, the tests run under qemu. Left out on purpose: the CRC32 instructions (8 bytes a cycle at best, and not
// for CRC-64), and EOR3 of the SHA-3 extension, which saves one xor of two where it exists.
#if defined(__aarch64__)

#include <arm_neon.h>

#if defined(__clang__)
#define MILLRACE_FOLD_TARGET [[gnu::target("aes")]]
#else
#define MILLRACE_FOLD_TARGET [[gnu::target("+crypto")]]
#endif
#include "base/cpu.h"
#include "checksum/crc_fold.h"

namespace millrace::crc {

namespace {

#if defined(__clang__)
#define FOLD [[gnu::target("aes"), gnu::always_inline]] static inline
#else
#define FOLD [[gnu::target("+crypto"), gnu::always_inline]] static inline
#endif

struct VectorPmull {
  using Register = uint64x2_t;
  static constexpr std::size_t kBytes = 16;
  static constexpr std::size_t kAccumulators = 8;

  FOLD Register load(const void* p) { return vreinterpretq_u64_u8(vld1q_u8(static_cast<const std::uint8_t*>(p))); }
  FOLD Register zero() { return vdupq_n_u64(0); }
  FOLD Register add(Register a, Register b) { return veorq_u64(a, b); }
  FOLD Register multipliers(const Multiplier* p) { return vld1q_u64(&p->first); }
  FOLD Register multiplier(Multiplier m) { return vcombine_u64(vcreate_u64(m.first), vcreate_u64(m.second)); }
  FOLD Register low_product(Register a, Register b) {
    return vreinterpretq_u64_p128(
        vmull_p64(static_cast<poly64_t>(vgetq_lane_u64(a, 0)), static_cast<poly64_t>(vgetq_lane_u64(b, 0))));
  }
  FOLD Register high_product(Register a, Register b) {
    return vreinterpretq_u64_p128(vmull_high_p64(vreinterpretq_p64_u64(a), vreinterpretq_p64_u64(b)));
  }
  FOLD Register multiply_add(Register v, Register m, Register w) {
    return add(add(low_product(v, m), high_product(v, m)), w);
  }
  FOLD Register first_bytes(std::uint64_t lane) { return vcombine_u64(vcreate_u64(lane), vcreate_u64(0)); }

  struct Split {
    Register before;
    Register after;
  };
  FOLD Split split(Register v, std::size_t n) {
    static constexpr std::uint8_t kIndex[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const uint8x16_t index = vld1q_u8(kIndex);
    const uint8x16_t shift = vdupq_n_u8(static_cast<std::uint8_t>(n));
    const uint8x16_t bytes = vreinterpretq_u8_u64(v);
    // An index of 16 and more, also one below zero, gives a zero byte.
    return {vreinterpretq_u64_u8(vqtbl1q_u8(bytes, vsubq_u8(vaddq_u8(index, shift), vdupq_n_u8(16)))),
            vreinterpretq_u64_u8(vqtbl1q_u8(bytes, vaddq_u8(index, shift)))};
  }

  FOLD std::uint64_t reduce(Register t, Reduction reduction) {
    const Register quotient = low_product(t, vdupq_n_u64(reduction.mu));
    const Register product = low_product(quotient, vdupq_n_u64(reduction.polynomial));
    std::uint64_t remainder = vgetq_lane_u64(add(t, product), 1);
    if (reduction.add_quotient) remainder ^= vgetq_lane_u64(quotient, 0);
    return remainder;
  }
};

#undef FOLD

}  // namespace

bool pmull_runs() { return cpu().neon && cpu().pmull; }

template <class Crc>
typename Crc::Value extend_pmull(typename Crc::Value crc, ByteView bytes) {
  if (bytes.size() < VectorPmull::kBytes) return extend_portable<Crc>(crc, bytes);
  return extend_folding<VectorPmull, Crc>(crc, bytes.data(), bytes.size());
}

#define INSTANTIATE(Crc) template Crc::Value extend_pmull<Crc>(Crc::Value, ByteView);
MILLRACE_FOR_EACH_CRC(INSTANTIATE)

}  // namespace millrace::crc

#endif
