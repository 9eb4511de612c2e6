#include "machine.h"

#include <fmt/core.h>
#include <sys/utsname.h>

#include <fstream>

#include "crypto/aes_ctr.h"
#include "crypto/aes_gcm.h"
#include "millrace/base64.h"
#include "millrace/checksum.h"

namespace millrace::cli {

std::vector<KernelInUse> kernels_in_use() {
  return {{"aes-gcm", aes_gcm_kernel_name()},      {"aes-ctr", aes_ctr_kernel_name()},
          {"crc32", Crc32::kernel_name()},         {"crc32c", Crc32c::kernel_name()},
          {"crc64nvme", Crc64Nvme::kernel_name()}, {"base64", base64_kernel_name()}};
}

std::string version_text() {
  std::string text = "millrace " MILLRACE_VERSION;
  for (const KernelInUse& used : kernels_in_use()) text += fmt::format("\n{}: {}", used.family, used.kernel);
  return text;
}

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  struct utsname system;
  return ::uname(&system) == 0 ? system.machine : "unknown processor";
}

}  // namespace millrace::cli
