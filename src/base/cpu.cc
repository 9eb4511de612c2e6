#include "base/cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace millrace {

namespace {

// State components of XCR0 (Intel SDM volume 1, section 13.1).
constexpr std::uint64_t kAvxState = 0x06;     // SSE, AVX
constexpr std::uint64_t kAvx512State = 0xe6;  // and opmask, upper ZMM0-15, ZMM16-31

#if defined(__x86_64__)
X86Registers read_x86() {
  X86Registers registers;
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0) {
    registers.leaf1_ecx = ecx;
    constexpr std::uint32_t kOsxsave = 1u << 27;
    if ((ecx & kOsxsave) != 0) {
      std::uint32_t low = 0;
      std::uint32_t high = 0;
      // The intrinsic would need a target attribute; the instruction is there because OSXSAVE is set.
      __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
      registers.xcr0 = std::uint64_t{high} << 32 | low;
    }
  }
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0) {
    registers.leaf7_ebx = ebx;
    registers.leaf7_ecx = ecx;
  }
  return registers;
}
#endif

CpuFeatures detect() {
#if defined(__x86_64__)
  return decode_x86(read_x86());
#elif defined(__aarch64__)
  // The kernel hides what it does not save, so HWCAP is masked by nature.
  const unsigned long hwcap = ::getauxval(AT_HWCAP);
  CpuFeatures f;
  f.neon = (hwcap & HWCAP_ASIMD) != 0;
  f.aes = (hwcap & HWCAP_AES) != 0;
  f.pmull = (hwcap & HWCAP_PMULL) != 0;
  f.sha = (hwcap & HWCAP_SHA1) != 0 && (hwcap & HWCAP_SHA2) != 0;
  f.crc32 = (hwcap & HWCAP_CRC32) != 0;
  return f;
#else
  return {};
#endif
}

}  // namespace

CpuFeatures decode_x86(const X86Registers& registers) {
  const auto bit = [](std::uint32_t word, int n) { return (word >> n & 1) != 0; };
  const bool ymm = (registers.xcr0 & kAvxState) == kAvxState;
  const bool zmm = (registers.xcr0 & kAvx512State) == kAvx512State;
  const std::uint32_t ecx1 = registers.leaf1_ecx;
  const std::uint32_t ebx7 = registers.leaf7_ebx;
  const std::uint32_t ecx7 = registers.leaf7_ecx;
  CpuFeatures f;
  f.pclmul = bit(ecx1, 1);
  f.ssse3 = bit(ecx1, 9);
  f.sse41 = bit(ecx1, 19);
  f.sse42 = bit(ecx1, 20);
  f.aes = bit(ecx1, 25);
  f.bmi2 = bit(ebx7, 8);
  f.sha = bit(ebx7, 29);
  f.gfni = bit(ecx7, 8);
  f.avx = ymm && bit(ecx1, 28);
  f.avx2 = f.avx && bit(ebx7, 5);
  f.vaes = f.avx && bit(ecx7, 9);
  f.vpclmulqdq = f.avx && bit(ecx7, 10);
  f.avx512f = zmm && f.avx2 && bit(ebx7, 16);
  f.avx512dq = f.avx512f && bit(ebx7, 17);
  f.avx512bw = f.avx512f && bit(ebx7, 30);
  f.avx512vl = f.avx512f && bit(ebx7, 31);
  f.avx512vbmi = f.avx512f && bit(ecx7, 1);
  f.avx512vbmi2 = f.avx512f && bit(ecx7, 6);
  return f;
}

const CpuFeatures& cpu() {
  static const CpuFeatures features = detect();
  return features;
}

}  // namespace millrace
