#include "crypto/kernel_policy.h"

#include <cstdlib>

#include "crypto/aes_x86_kernels.h"

namespace millrace {

bool openssl_only() {
  static const bool only = [] {
    const char* const value = std::getenv("MILLRACE_CRYPTO");
    return value != nullptr && std::string_view(value) == "openssl";
  }();
  return only;
}

std::span<const AesGcmKernel* const> aes_gcm_native_kernels() {
#ifdef MILLRACE_NATIVE_AES
  static constexpr const AesGcmKernel* kKernels[] = {&kAesGcmVaes512, &kAesGcmVaes256};
  return kKernels;
#else
  return {};
#endif
}

std::span<const AesCtrKernel* const> aes_ctr_native_kernels() {
#ifdef MILLRACE_NATIVE_AES
  static constexpr const AesCtrKernel* kKernels[] = {&kAesCtrVaes512, &kAesCtrVaes256};
  return kKernels;
#else
  return {};
#endif
}

}  // namespace millrace
