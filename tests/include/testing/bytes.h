// Bytes for tests: owned, made by rule, easy to compare.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "millrace/bytes.h"

namespace millrace::testing {

using Bytes = std::vector<std::byte>;

inline Bytes to_bytes(ByteView view) { return Bytes(view.begin(), view.end()); }
inline ByteView slice(const Bytes& bytes, std::size_t from, std::size_t n) { return ByteView(bytes).subspan(from, n); }
inline void append(Bytes& to, ByteView more) { to.insert(to.end(), more.begin(), more.end()); }
inline bool equal(ByteView a, ByteView b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }
inline bool is_prefix(ByteView prefix, ByteView whole) {
  return prefix.size() <= whole.size() && equal(prefix, whole.first(prefix.size()));
}
inline bool is_zero(ByteView bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

// counter_bytes is the generator of the Tink vectors: byte i is (i + floor(i / 256)) mod 256.
inline Bytes counter_bytes(std::size_t n) {
  Bytes bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::byte>(i + i / 256);
  return bytes;
}

// noise_bytes never repeats a stretch, so that bytes in a wrong place are seen.
inline Bytes noise_bytes(std::size_t n, std::uint64_t seed = 1) {
  Bytes bytes(n);
  std::uint64_t x = seed * 0x9e3779b97f4a7c15u + 1;
  for (std::size_t i = 0; i < n; i += 8) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    std::memcpy(bytes.data() + i, &x, std::min<std::size_t>(8, n - i));
  }
  return bytes;
}

}  // namespace millrace::testing
