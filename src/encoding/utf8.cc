#include "encoding/utf8.h"

namespace millrace {

namespace {

std::size_t tail_size(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xC2 && first <= 0xDF) return 1;  // C0 and C1 would begin overlong forms
  if (first >= 0xE0 && first <= 0xEF) return 2;
  if (first >= 0xF0 && first <= 0xF4) return 3;
  return 4;  // no first byte
}

bool is_scalar(char32_t c) { return c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF); }

}  // namespace

std::optional<char32_t> utf8_decode(std::string_view text, std::size_t& position) {
  const auto first = static_cast<unsigned char>(text[position]);
  const std::size_t tail = tail_size(first);
  if (tail == 0) {
    ++position;
    return first;
  }
  if (tail == 4 || text.size() - position <= tail) return std::nullopt;
  char32_t c = first & (0x3Fu >> tail);
  for (std::size_t i = 1; i <= tail; ++i) {
    const auto byte = static_cast<unsigned char>(text[position + i]);
    if ((byte & 0xC0) != 0x80) return std::nullopt;
    c = (c << 6) | (byte & 0x3Fu);
  }
  constexpr char32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};  // of each length: below is overlong
  if (c < kSmallest[tail] || !is_scalar(c)) return std::nullopt;
  position += tail + 1;
  return c;
}

bool utf8_is_valid(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    if (!utf8_decode(text, i)) return false;
  }
  return true;
}

}  // namespace millrace
