// Integers in a fixed byte order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/check.h"
#include "millrace/bytes.h"

namespace millrace {

// store_be writes `value` big-endian to the first sizeof(T) bytes of out.
template <class T>
void store_be(ByteSpan out, T value) {
  static_assert(std::is_unsigned_v<T>);
  MR_CHECK(out.size() >= sizeof(T));
  for (std::size_t i = 0; i < sizeof(T); ++i) out[i] = static_cast<std::byte>(value >> (8 * (sizeof(T) - 1 - i)));
}

// store_le writes `value` little-endian to the first sizeof(T) bytes of out.
template <class T>
void store_le(ByteSpan out, T value) {
  static_assert(std::is_unsigned_v<T>);
  MR_CHECK(out.size() >= sizeof(T));
  for (std::size_t i = 0; i < sizeof(T); ++i) out[i] = static_cast<std::byte>(value >> (8 * i));
}

// load_be reads a big-endian T from the first sizeof(T) bytes of in.
template <class T>
T load_be(ByteView in) {
  static_assert(std::is_unsigned_v<T>);
  MR_CHECK(in.size() >= sizeof(T));
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value = static_cast<T>(value << 8) | static_cast<T>(in[i]);
  return value;
}

// load_le reads a little-endian T from the first sizeof(T) bytes of in.
template <class T>
T load_le(ByteView in) {
  static_assert(std::is_unsigned_v<T>);
  MR_CHECK(in.size() >= sizeof(T));
  T value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) value = static_cast<T>(value << 8) | static_cast<T>(in[i]);
  return value;
}

}  // namespace millrace
