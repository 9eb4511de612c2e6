// CpuFeatures: what this processor can execute, for choosing kernels.
//
// A feature counts only if it is usable: the processor reports it *and* the operating system saves the registers it
// works on. A virtual machine may show AVX-512 in CPUID while its kernel never enabled the state in XCR0; the first
// such instruction is then an illegal one. So every field below is masked already, and kernels test fields and nothing
// else.
#pragma once

#include <cstdint>

namespace millrace {

struct CpuFeatures {
  // Either architecture. On arm64 `aes` and `sha` (SHA-1 and SHA-256) are the ARMv8 cryptography extension.
  bool aes = false;
  bool sha = false;

  // x86-64, 128-bit registers. The VEX and EVEX forms of pclmul, aes and gfni need avx or avx512f (and avx512vl)
  // besides.
  bool ssse3 = false;
  bool sse41 = false;
  bool sse42 = false;  // crc32q
  bool pclmul = false;
  bool gfni = false;
  bool bmi2 = false;  // general registers: needs nothing from the system

  // x86-64, 256-bit registers: XCR0 has the SSE and AVX state.
  bool avx = false;
  bool avx2 = false;
  bool vaes = false;
  bool vpclmulqdq = false;

  // x86-64, 512-bit registers and masks: XCR0 has the opmask and both ZMM states too.
  bool avx512f = false;
  bool avx512bw = false;
  bool avx512vl = false;
  bool avx512dq = false;
  bool avx512vbmi = false;
  bool avx512vbmi2 = false;

  // arm64
  bool neon = false;
  bool pmull = false;  // 64 x 64 -> 128 bits
  bool crc32 = false;  // CRC-32 and CRC-32C instructions

  friend bool operator==(const CpuFeatures&, const CpuFeatures&) = default;
};

// cpu returns the features of the machine. It asks once and is thread-safe.
const CpuFeatures& cpu();

// X86Registers holds what CPUID and XGETBV answer; decode_x86 turns them into features (Intel SDM volume 2, CPUID, and
// volume 1 section 13.3; AMD APM volume 3 appendix E). They are apart from cpu() so that tests can make up machines.
struct X86Registers {
  std::uint32_t leaf1_ecx = 0;
  std::uint32_t leaf7_ebx = 0;  // leaf 7 is zero where the processor has no such leaf
  std::uint32_t leaf7_ecx = 0;
  std::uint64_t xcr0 = 0;  // zero where the system has not enabled XGETBV
};
CpuFeatures decode_x86(const X86Registers& registers);

}  // namespace millrace
