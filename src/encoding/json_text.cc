#include "encoding/json_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "base/check.h"
#include "encoding/utf8.h"

namespace millrace {

namespace {

void append_u_escape(std::string& out, std::uint32_t unit) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[(unit >> shift) & 0xF];
}

// append_ascii adds a character below 0x80 to a JSON string.
void append_ascii(std::string& out, char c) {
  constexpr std::string_view kMeanings = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  if (const std::size_t i = kMeanings.find(c); i != std::string_view::npos) {
    out += '\\';
    out += kLetters[i];
  } else if (static_cast<unsigned char>(c) < 0x20) {
    append_u_escape(out, static_cast<unsigned char>(c));
  } else {
    out += c;
  }
}

}  // namespace

bool append_json_ascii(std::string& out, std::string_view text) {
  const std::size_t before = out.size();
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const std::optional<char32_t> c = utf8_decode(text, i);
    if (!c) {
      out.resize(before);
      return false;
    }
    if (*c < 0x80) {
      append_ascii(out, static_cast<char>(*c));
    } else if (*c < 0x10000) {
      append_u_escape(out, *c);
    } else {
      append_u_escape(out, 0xD800 + ((*c - 0x10000) >> 10));
      append_u_escape(out, 0xDC00 + ((*c - 0x10000) & 0x3FF));
    }
  }
  out += '"';
  return true;
}

void append_json_canonical(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) append_ascii(out, c);
  out += '"';
}

// ECMA-262, Number::toString: the shortest digits d1..dk that give the number back, and n with value = 0.d1..dk x 10^n.
void append_json_canonical(std::string& out, double number) {
  MR_CHECK(std::isfinite(number));
  if (number == 0) {  // -0 too
    out += '0';
    return;
  }
  if (number < 0) out += '-';
  // At most 17 digits, a point, "e-324".
  std::array<char, 32> buffer;
  const auto written =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(number), std::chars_format::scientific);
  MR_CHECK(written.ec == std::errc{});
  const std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
  const std::size_t e = text.find('e');
  std::string digits;
  for (const char c : text.substr(0, e)) {
    if (c != '.') digits += c;
  }
  int exponent = 0;
  const char* const exponent_text = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  MR_CHECK(std::from_chars(exponent_text, written.ptr, exponent).ec == std::errc{});

  const int n = exponent + 1;
  const int k = static_cast<int>(digits.size());
  if (k <= n && n <= 21) {
    out += digits.append(static_cast<std::size_t>(n - k), '0');
  } else if (0 < n && n <= 21) {
    out += digits.insert(static_cast<std::size_t>(n), 1, '.');
  } else if (-6 < n && n <= 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-n), '0');
    out += digits;
  } else {
    if (k > 1) digits.insert(1, 1, '.');
    out += digits;
    out += exponent < 0 ? "e-" : "e+";
    out += std::to_string(std::abs(exponent));
  }
}

}  // namespace millrace
