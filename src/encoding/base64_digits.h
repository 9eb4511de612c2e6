// The 64 digits of each alphabet and what each character is worth: the only place that spells them out.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "millrace/base64.h"

namespace millrace::base64 {

inline constexpr std::string_view kStandardDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
inline constexpr std::string_view kUrlSafeDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

inline constexpr std::uint8_t kForeign = 0xff;  // no digit has this value, and none has its top bit

constexpr std::array<std::uint8_t, 256> values_of(std::string_view digits) {
  std::array<std::uint8_t, 256> values{};
  values.fill(kForeign);
  for (std::uint8_t i = 0; i < 64; ++i) values[static_cast<unsigned char>(digits[i])] = i;
  return values;
}

inline constexpr std::array<std::uint8_t, 256> kStandardValues = values_of(kStandardDigits);
inline constexpr std::array<std::uint8_t, 256> kUrlSafeValues = values_of(kUrlSafeDigits);

constexpr std::string_view digits_of(Base64Alphabet alphabet) {
  return alphabet == Base64Alphabet::kStandard ? kStandardDigits : kUrlSafeDigits;
}
constexpr const std::array<std::uint8_t, 256>& values_of(Base64Alphabet alphabet) {
  return alphabet == Base64Alphabet::kStandard ? kStandardValues : kUrlSafeValues;
}

}  // namespace millrace::base64
