#include "tink/keyset_masked_text.h"

#include "base/check.h"

namespace millrace::tink {

namespace {

bool is_base64(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/' ||
         c == '-' || c == '_' || c == '=';
}

std::uint32_t hex_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0');
  return static_cast<std::uint32_t>((c | 0x20) - 'a') + 10;
}

std::uint32_t hex4(std::string_view digits) {
  MR_CHECK(digits.size() >= 4);
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 4 | hex_value(digits[i]);
  return value;
}

// put_utf8 writes one code point and returns the number of bytes: 1 to 4.
std::size_t put_utf8(std::uint32_t code_point, ByteSpan out) {
  const auto tail = [&](unsigned shift) { return static_cast<std::byte>(0x80 | (code_point >> shift & 0x3f)); };
  if (code_point < 0x80) {
    out[0] = static_cast<std::byte>(code_point);
    return 1;
  }
  if (code_point < 0x800) {
    out[0] = static_cast<std::byte>(0xc0 | code_point >> 6);
    out[1] = tail(0);
    return 2;
  }
  if (code_point < 0x10000) {
    out[0] = static_cast<std::byte>(0xe0 | code_point >> 12);
    out[1] = tail(6);
    out[2] = tail(0);
    return 3;
  }
  out[0] = static_cast<std::byte>(0xf0 | code_point >> 18);
  out[1] = tail(12);
  out[2] = tail(6);
  out[3] = tail(0);
  return 4;
}

char simple_escape(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;  // quote, backslash, slash
  }
}

}  // namespace

char MaskedText::current() const {
  const char c = text_[position_];
  return where_ == Where::kInString && is_base64(c) ? 'x' : c;
}

void MaskedText::advance() {
  const char c = text_[position_++];
  switch (where_) {
    case Where::kOutside:
      if (c == '"') {
        where_ = Where::kInString;
        string_begin_ = string_end_ = position_;
      }
      break;
    case Where::kInString:
      if (c == '\\') {
        where_ = Where::kAfterBackslash;
      } else if (c == '"') {
        where_ = Where::kOutside;
        string_end_ = position_ - 1;
      }
      break;
    case Where::kAfterBackslash:
      where_ = c == 'u' ? Where::kInHexDigits : Where::kInString;
      hex_digits_left_ = 4;
      break;
    case Where::kInHexDigits:
      if (--hex_digits_left_ == 0) where_ = Where::kInString;
      break;
  }
}

std::string_view unescape(std::string_view raw, SecretBytes& storage) {
  if (raw.find('\\') == std::string_view::npos) return raw;
  storage = SecretBytes(raw.size());  // an escape is never shorter than what it stands for
  std::size_t size = 0;
  for (std::size_t i = 0; i < raw.size();) {
    if (raw[i] != '\\') {
      storage.fill()[size++] = static_cast<std::byte>(raw[i++]);
    } else if (raw[i + 1] != 'u') {
      storage.fill()[size++] = static_cast<std::byte>(simple_escape(raw[i + 1]));
      i += 2;
    } else {
      std::uint32_t code_point = hex4(raw.substr(i + 2));
      i += 6;
      if (code_point >= 0xd800 && code_point < 0xdc00) {  // the other half follows, or the parser had refused
        code_point = 0x10000 + ((code_point - 0xd800) << 10) + (hex4(raw.substr(i + 2)) - 0xdc00);
        i += 6;
      }
      size += put_utf8(code_point, storage.fill().subspan(size));
    }
  }
  return as_text(storage.reveal().first(size));
}

}  // namespace millrace::tink
