// Names of algorithms are compared without regard to the case of ASCII letters, as the Go and Java SDKs do.
#pragma once

#include <algorithm>
#include <string_view>

namespace millrace::tdf {

inline bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace millrace::tdf
