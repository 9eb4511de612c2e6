// base64 with NEON, which every 64-bit Arm processor has.
//
// NEON loads and stores de-interleave: vld3q takes 48 bytes apart into b0, b1 and b2 of sixteen groups, vst4q puts
// sixteen groups of four digits together again. So the shuffling that x86 needs does not exist here; what remains are
// shifts between whole registers (a shift that inserts, vsli and vsri, joins two parts in one instruction) and the
// alphabet, for which vqtbl4q is a table of 64 bytes: one instruction for encoding, two for the 128 characters that
// decoding must tell apart. An index out of range gives zero, so the two halves are simply or-ed: c ^ 64 is out of
// range of the upper table exactly when c is in the lower one. A character past 127 gives zero from both and keeps its
// own top bit, which is where the tables mark foreign characters too.
//
// Left out: classes and differences as in base64_x86_avx2.cc, eleven instructions to decode sixteen characters where
// the tables take four. Checked under emulation only, so there is no figure here.

#if defined(__aarch64__) && defined(__ARM_NEON)

#include <arm_neon.h>

#include <array>
#include <cstdint>

#include "encoding/base64_digits.h"
#include "encoding/base64_kernels.h"

namespace millrace::base64 {

namespace {

constexpr std::size_t kVectorGroups = 16;  // 48 bytes <-> 64 digits

uint8x16x4_t load_table(const std::uint8_t* table) {
  return {{vld1q_u8(table), vld1q_u8(table + 16), vld1q_u8(table + 32), vld1q_u8(table + 48)}};
}

uint8x16_t values(uint8x16x4_t low, uint8x16x4_t high, uint8x16_t c) {
  return vorrq_u8(vqtbl4q_u8(low, c), vqtbl4q_u8(high, veorq_u8(c, vdupq_n_u8(64))));
}

}  // namespace

void encode_neon(const std::byte* in, std::size_t groups, char* out, Base64Alphabet alphabet) {
  const uint8x16x4_t digits = load_table(reinterpret_cast<const std::uint8_t*>(digits_of(alphabet).data()));
  const uint8x16_t six_bits = vdupq_n_u8(63);
  for (; groups >= kVectorGroups; groups -= kVectorGroups, in += 48, out += 64) {
    const uint8x16x3_t b = vld3q_u8(reinterpret_cast<const std::uint8_t*>(in));
    const uint8x16_t v0 = vshrq_n_u8(b.val[0], 2);
    const uint8x16_t v1 = vandq_u8(vsliq_n_u8(vshrq_n_u8(b.val[1], 4), b.val[0], 4), six_bits);
    const uint8x16_t v2 = vandq_u8(vsliq_n_u8(vshrq_n_u8(b.val[2], 6), b.val[1], 2), six_bits);
    const uint8x16_t v3 = vandq_u8(b.val[2], six_bits);
    const uint8x16x4_t text = {
        {vqtbl4q_u8(digits, v0), vqtbl4q_u8(digits, v1), vqtbl4q_u8(digits, v2), vqtbl4q_u8(digits, v3)}};
    vst4q_u8(reinterpret_cast<std::uint8_t*>(out), text);
  }
  encode_portable(in, groups, out, alphabet);
}

std::size_t decode_neon(const char* in, std::size_t groups, std::byte* out, Base64Alphabet alphabet) {
  const uint8x16x4_t low = load_table(values_of(alphabet).data());
  const uint8x16x4_t high = load_table(values_of(alphabet).data() + 64);
  std::size_t done = 0;
  for (; groups - done >= kVectorGroups; done += kVectorGroups, in += 64, out += 48) {
    const uint8x16x4_t c = vld4q_u8(reinterpret_cast<const std::uint8_t*>(in));
    const uint8x16_t v0 = values(low, high, c.val[0]), v1 = values(low, high, c.val[1]);
    const uint8x16_t v2 = values(low, high, c.val[2]), v3 = values(low, high, c.val[3]);
    const uint8x16_t foreign = vorrq_u8(vorrq_u8(vorrq_u8(v0, v1), vorrq_u8(v2, v3)),
                                        vorrq_u8(vorrq_u8(c.val[0], c.val[1]), vorrq_u8(c.val[2], c.val[3])));
    if (vmaxvq_u8(foreign) >= 0x80) break;
    const uint8x16x3_t bytes = {
        {vsliq_n_u8(vshrq_n_u8(v1, 4), v0, 2), vsliq_n_u8(vshrq_n_u8(v2, 2), v1, 4), vsliq_n_u8(v3, v2, 6)}};
    vst3q_u8(reinterpret_cast<std::uint8_t*>(out), bytes);
  }
  return done + decode_portable(in, groups - done, out, alphabet);
}

}  // namespace millrace::base64

#endif
