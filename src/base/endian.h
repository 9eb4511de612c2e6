// Integers in a fixed byte order.
//
// A copy and, where the machine's order is the other one, a byte swap: one instruction each at every level of
// optimisation. Loops over the bytes are that only for some compilers and levels (GCC 12 joins them at -O3).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/check.h"
#include "millrace/bytes.h"

namespace millrace {

static_assert(std::endian::native == std::endian::little || std::endian::native == std::endian::big);

// with_order turns a value of the machine's byte order into one of `order`, and back.
template <std::endian order, class T>
constexpr T with_order(T value) {
  static_assert(std::is_unsigned_v<T> && sizeof(T) <= 8);
  if constexpr (order == std::endian::native || sizeof(T) == 1) return value;
  if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
}

// store_be writes `value` big-endian to the first sizeof(T) bytes of out.
template <class T>
void store_be(ByteSpan out, T value) {
  MR_CHECK(out.size() >= sizeof(T));
  const T bytes = with_order<std::endian::big>(value);
  std::memcpy(out.data(), &bytes, sizeof(T));
}

// store_le writes `value` little-endian to the first sizeof(T) bytes of out.
template <class T>
void store_le(ByteSpan out, T value) {
  MR_CHECK(out.size() >= sizeof(T));
  const T bytes = with_order<std::endian::little>(value);
  std::memcpy(out.data(), &bytes, sizeof(T));
}

// load_be reads a big-endian T from the first sizeof(T) bytes of in.
template <class T>
T load_be(ByteView in) {
  MR_CHECK(in.size() >= sizeof(T));
  T bytes;
  std::memcpy(&bytes, in.data(), sizeof(T));
  return with_order<std::endian::big>(bytes);
}

// load_le reads a little-endian T from the first sizeof(T) bytes of in.
template <class T>
T load_le(ByteView in) {
  MR_CHECK(in.size() >= sizeof(T));
  T bytes;
  std::memcpy(&bytes, in.data(), sizeof(T));
  return with_order<std::endian::little>(bytes);
}

}  // namespace millrace
