// The smallest program that needs the headers, a library and what that library uses.
#include <array>
#include <cstdio>
#include <span>
#include <string>

#include "millrace/base64.h"

int main() {
  const std::array<std::byte, 3> bytes{std::byte{'m'}, std::byte{'r'}, std::byte{0xff}};
  const std::string text = millrace::base64_encode(bytes);
  std::puts(text.c_str());
  return text == "bXL/" ? 0 : 1;
}
