#include "encoding/base64_kernels.h"

#include "base/cpu.h"
#include "base/kernel_choice.h"

namespace millrace::base64 {

std::span<const Kernel> kernels() {
  static constexpr Kernel kKernels[] = {
#if defined(__x86_64__)
    {"x86-avx512vbmi", [] { return cpu().avx512bw && cpu().avx512vbmi; }, encode_avx512vbmi, decode_avx512vbmi},
    {"x86-avx2", [] { return cpu().avx2; }, encode_avx2, decode_avx2},
#elif defined(__aarch64__) && defined(__ARM_NEON)
    {"arm64-neon", [] { return cpu().neon; }, encode_neon, decode_neon},
#endif
    {"portable", [] { return true; }, encode_portable, decode_portable},
  };
  return kKernels;
}

const Kernel& kernel() {
  static const Kernel& chosen = choose_kernel(kernels());
  return chosen;
}

}  // namespace millrace::base64
