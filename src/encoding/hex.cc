#include "encoding/hex.h"

#include <algorithm>
#include <cstdint>

#include "base/check.h"

namespace millrace {

namespace {

// All ones if a <= b <= c, else zero: the subtractions borrow into the upper bits exactly when the order is wrong.
constexpr std::uint32_t in_order(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return (((b - a) | (c - b)) >> 31) - 1;
}

constexpr char digit(std::uint32_t value) {
  constexpr std::uint32_t kToLetters = 'a' - '0' - 10;
  return static_cast<char>('0' + value + (in_order(10, value, 15) & kToLetters));
}

constexpr std::uint32_t kForeign = 0x100;  // never set in a value

constexpr std::uint32_t value_of(char c) {
  const std::uint32_t figure = static_cast<unsigned char>(c);
  const std::uint32_t letter = figure | 0x20;  // lower case
  const std::uint32_t is_figure = in_order('0', figure, '9');
  const std::uint32_t is_letter = in_order('a', letter, 'f');
  return (is_figure & (figure - '0')) | (is_letter & (letter - 'a' + 10)) | (~(is_figure | is_letter) & kForeign);
}

}  // namespace

void hex_encode(ByteView bytes, std::span<char> out) {
  MR_CHECK(out.size() / 2 >= bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out[2 * i] = digit(std::to_integer<std::uint32_t>(bytes[i]) >> 4);
    out[2 * i + 1] = digit(std::to_integer<std::uint32_t>(bytes[i]) & 15);
  }
}

std::string hex_encode(ByteView bytes) {
  std::string text(2 * bytes.size(), '\0');
  hex_encode(bytes, text);
  return text;
}

Result<std::size_t> hex_decode(std::string_view text, ByteSpan out) {
  MR_CHECK(out.size() >= text.size() / 2);
  const auto refuse = [&](std::size_t at) {
    std::fill(out.begin(), out.end(), std::byte{0});
    return Error{ErrorCode::kMalformed, "hex", at};
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint32_t value = value_of(text[i]);
    if (value == kForeign) return refuse(i);
    if (i % 2 == 1) {
      out[i / 2] |= static_cast<std::byte>(value);
    } else if (i + 1 < text.size()) {
      out[i / 2] = static_cast<std::byte>(value << 4);
    }
  }
  if (text.size() % 2 != 0) return refuse(text.size());
  return text.size() / 2;
}

}  // namespace millrace
