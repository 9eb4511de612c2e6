#include "zip/entry_name.h"

#include <algorithm>
#include <cstdint>

namespace millrace::zip {

namespace {

constexpr std::size_t kMaxNameSize = 0xffff;

// RFC 3629, section 4: no overlong form, no surrogate, nothing above U+10FFFF.
bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto lead = static_cast<std::uint8_t>(text[0]);
    const std::size_t size = lead < 0x80   ? 1
                             : lead < 0xc2 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
    if (size == 0 || size > text.size()) return false;
    const auto continues = [](char c) { return (static_cast<std::uint8_t>(c) & 0xc0) == 0x80; };
    if (!std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(size), continues)) return false;
    if (size > 2) {
      const auto second = static_cast<std::uint8_t>(text[1]);
      if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f)) return false;
      if ((lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) return false;
    }
    text.remove_prefix(size);
  }
  return true;
}

bool has_odd_component(std::string_view path) {
  for (;;) {
    const std::size_t slash = path.find('/');
    const std::string_view component = path.substr(0, slash);
    if (component.empty() || component == "." || component == "..") return true;
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

Status check_entry_name(std::string_view name) {
  const auto refuse = [](std::string_view where) { return Error{ErrorCode::kInvalidArgument, where}; };
  if (name.empty()) return refuse("zip entry name: empty");
  if (name.size() > kMaxNameSize) return refuse("zip entry name: too long");
  if (!is_utf8(name)) return refuse("zip entry name: not UTF-8");
  if (name.find('\0') != std::string_view::npos) return refuse("zip entry name: zero byte");
  if (name.find('\\') != std::string_view::npos) return refuse("zip entry name: backslash");
  if (name.front() == '/' || name.substr(1).starts_with(':')) return refuse("zip entry name: absolute path");
  if (has_odd_component(name)) return refuse("zip entry name: empty, . or .. in a path");
  return Ok{};
}

bool is_ascii(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return static_cast<std::uint8_t>(c) < 0x80; });
}

}  // namespace millrace::zip
