// What the command runs on, for --version and bench.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace millrace::cli {

struct KernelInUse {
  std::string_view family;  // "aes-gcm"
  std::string_view kernel;  // "x86-vaes512"
};
// kernels_in_use lists what this process computes with; a build or a machine without the fast ones shows here.
std::vector<KernelInUse> kernels_in_use();

// version_text is what --version prints: the version, then the kernels, one a line.
std::string version_text();

// cpu_model is the name that /proc/cpuinfo gives, or the architecture.
std::string cpu_model();

}  // namespace millrace::cli
