#include "base/kernel_choice.h"

#include <cstdlib>
#include <string>

namespace millrace {

std::string_view wanted_kernels() {
  // Never destroyed: kernels are also chosen by static objects at exit.
  static const std::string* const wanted = [] {
    const char* value = std::getenv("MILLRACE_KERNELS");
    return new std::string(value == nullptr ? "" : value);
  }();
  return *wanted;
}

}  // namespace millrace
