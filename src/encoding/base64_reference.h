// For tests: base64 once more, slow and by other means than the library (arithmetic on characters and one bit at a
// time, no tables, no groups), so that a mistake in one is not a mistake in both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/base64.h"

namespace millrace::base64_reference {

inline constexpr Base64Options kAllOptions[] = {
    {Base64Alphabet::kStandard, Base64Padding::kRequired},
    {Base64Alphabet::kStandard, Base64Padding::kForbidden},
    {Base64Alphabet::kUrlSafe, Base64Padding::kRequired},
    {Base64Alphabet::kUrlSafe, Base64Padding::kForbidden},
};

inline char digit(unsigned value, Base64Alphabet alphabet) {
  if (value < 26) return static_cast<char>('A' + value);
  if (value < 52) return static_cast<char>('a' + (value - 26));
  if (value < 62) return static_cast<char>('0' + (value - 52));
  if (alphabet == Base64Alphabet::kStandard) return value == 62 ? '+' : '/';
  return value == 62 ? '-' : '_';
}

// value is -1 for a character that is no digit.
inline int value(char c, Base64Alphabet alphabet) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == digit(62, alphabet)) return 62;
  return c == digit(63, alphabet) ? 63 : -1;
}

inline std::string encode(ByteView bytes, Base64Options options) {
  std::string text;
  const std::size_t bits = 8 * bytes.size();
  for (std::size_t at = 0; at < bits; at += 6) {
    unsigned six = 0;
    for (std::size_t b = at; b < at + 6; ++b) {
      six = six << 1 | (b < bits ? static_cast<unsigned>(bytes[b / 8]) >> (7 - b % 8) & 1 : 0);
    }
    text += digit(six, options.alphabet);
  }
  while (options.padding == Base64Padding::kRequired && text.size() % 4 != 0) text += '=';
  return text;
}

// fault is the offset of the first character that no correct text has at its place, the size of a text that stops
// short, and nothing for a correct text.
inline std::optional<std::size_t> fault(std::string_view text, Base64Options options) {
  const bool padded = options.padding == Base64Padding::kRequired;
  const auto has_low_bits = [&](std::size_t at, int mask) { return (value(text[at], options.alphabet) & mask) != 0; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool after_padding = i > 0 && text[i - 1] == '=';
    if (text[i] == '=') {
      if (!padded || i % 4 < 2) return i;
      if (!after_padding && has_low_bits(i - 1, i % 4 == 2 ? 15 : 3)) return i - 1;
    } else if (after_padding || value(text[i], options.alphabet) < 0) {
      return i;
    }
  }
  const std::size_t left = text.size() % 4;
  if (left == 1 || (left != 0 && padded)) return text.size();
  if (left != 0 && has_low_bits(text.size() - 1, left == 2 ? 15 : 3)) return text.size() - 1;
  return std::nullopt;
}

// decode gives the bytes of a correct text.
inline std::vector<std::byte> decode(std::string_view text, Base64Options options) {
  std::vector<std::byte> bytes;
  unsigned window = 0;
  unsigned bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    window = (window << 6 | static_cast<unsigned>(value(c, options.alphabet))) & 0xfff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<std::byte>(window >> bits));
  }
  return bytes;
}

inline std::vector<std::byte> random_bytes(std::size_t n, std::mt19937::result_type seed) {
  std::mt19937 engine(seed);
  std::vector<std::byte> bytes(n);
  for (std::byte& b : bytes) b = static_cast<std::byte>(engine() >> 24);
  return bytes;
}

}  // namespace millrace::base64_reference
