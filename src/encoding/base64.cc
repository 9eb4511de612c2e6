#include "millrace/base64.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace millrace {

namespace {

constexpr char kStandardDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr char kUrlSafeDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t kForeign = 0xff;

constexpr std::array<std::uint8_t, 256> values_of(const char* digits) {
  std::array<std::uint8_t, 256> values{};
  values.fill(kForeign);
  for (std::uint8_t i = 0; i < 64; ++i) values[static_cast<unsigned char>(digits[i])] = i;
  return values;
}
constexpr auto kStandardValues = values_of(kStandardDigits);
constexpr auto kUrlSafeValues = values_of(kUrlSafeDigits);

}  // namespace

std::size_t base64_encoded_size(std::size_t n, Base64Options options) {
  if (options.padding == Base64Padding::kRequired) return (n + 2) / 3 * 4;
  return n / 3 * 4 + (n % 3 == 0 ? 0 : n % 3 + 1);
}

std::size_t base64_decoded_capacity(std::size_t n) { return n / 4 * 3 + n % 4 * 3 / 4; }

std::size_t base64_encode(ByteView bytes, std::span<char> out, Base64Options options) {
  MR_CHECK(out.size() >= base64_encoded_size(bytes.size(), options));
  const char* digits = options.alphabet == Base64Alphabet::kStandard ? kStandardDigits : kUrlSafeDigits;
  std::size_t o = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < n ? static_cast<std::uint32_t>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k <= n; ++k) out[o++] = digits[group >> (18 - 6 * k) & 63];
    for (std::size_t k = n; k < 3 && options.padding == Base64Padding::kRequired; ++k) out[o++] = '=';
  }
  return o;
}

std::string base64_encode(ByteView bytes, Base64Options options) {
  std::string text(base64_encoded_size(bytes.size(), options), '\0');
  base64_encode(bytes, text, options);
  return text;
}

Result<std::size_t> base64_decode(std::string_view text, ByteSpan out, Base64Options options) {
  MR_CHECK(out.size() >= base64_decoded_capacity(text.size()));
  const auto& values = options.alphabet == Base64Alphabet::kStandard ? kStandardValues : kUrlSafeValues;
  std::size_t o = 0;
  const auto refuse = [&](std::size_t at) {
    std::fill(out.begin(), out.end(), std::byte{0});
    return Error{ErrorCode::kMalformed, "base64", at};
  };
  std::size_t digits = text.size();
  if (options.padding == Base64Padding::kRequired) {
    if (text.size() % 4 != 0) return refuse(text.size());
    for (int k = 0; k < 2 && digits > 0 && text[digits - 1] == '='; ++k) --digits;
  }
  if (digits % 4 == 1) return refuse(digits);
  for (std::size_t i = 0; i < digits; i += 4) {
    const std::size_t n = std::min<std::size_t>(4, digits - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const std::uint8_t value = values[static_cast<unsigned char>(text[i + k])];
      if (value == kForeign) return refuse(i + k);
      group |= static_cast<std::uint32_t>(value) << (18 - 6 * k);
    }
    // The bits under the padding must be zero, or two texts would mean the same bytes.
    if (n < 4 && (group & (n == 2 ? 0xffffu : 0xffu)) != 0) return refuse(i + n - 1);
    for (std::size_t k = 0; k + 1 < n; ++k) out[o++] = static_cast<std::byte>(group >> (16 - 8 * k));
  }
  return o;
}

}  // namespace millrace
