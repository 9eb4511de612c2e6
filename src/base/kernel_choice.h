// choose_kernel: which of several implementations of one function this process uses.
//
// A family of kernels is a span of structs with a `name` and a `runnable()`, best first and "portable" last. The first
// runnable one is used, unless the environment variable MILLRACE_KERNELS says otherwise: a comma-separated list of
// kernel names, of which the first that the family has and can run is taken. "portable" exists in every family; a
// family that has none of the names is left alone, so one list can speak to several families ("x86-pclmul,x86-avx2").
#pragma once

#include <span>
#include <string_view>

#include "base/check.h"

namespace millrace {

// wanted_kernels is the value of MILLRACE_KERNELS, empty if it is not set. It is read once in the life of the process.
std::string_view wanted_kernels();

// choose_kernel returns the kernel to use. `wanted` is a parameter for tests; everyone else leaves it out.
template <class Kernel>
const Kernel& choose_kernel(std::span<const Kernel> kernels, std::string_view wanted = wanted_kernels()) {
  while (!wanted.empty()) {
    const std::string_view name = wanted.substr(0, wanted.find(','));
    for (const Kernel& kernel : kernels) {
      if (kernel.name == name && kernel.runnable()) return kernel;
    }
    wanted.remove_prefix(name.size() == wanted.size() ? name.size() : name.size() + 1);
  }
  for (const Kernel& kernel : kernels) {
    if (kernel.runnable()) return kernel;
  }
  check_failed("a runnable kernel: portable always is", __FILE__, __LINE__);
}

}  // namespace millrace
