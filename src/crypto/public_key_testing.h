// What the tests of public_key share: files of keys, and DER put together by hand.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "crypto/public_key.h"
#include "crypto/testing.h"

namespace millrace::testing {

inline Bytes read_vector(const std::string& name) {
  std::ifstream in(std::string(MILLRACE_TEST_VECTORS) + "/" + name, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (text.empty()) throw std::runtime_error("no vector " + name);
  const ByteView bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

inline Bytes join(std::initializer_list<ByteView> parts) {
  Bytes out;
  for (const ByteView part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

inline Bytes der(unsigned tag, ByteView content) {
  const std::size_t n = content.size();
  Bytes out{static_cast<std::byte>(tag)};
  if (n < 0x80) {
    out.push_back(static_cast<std::byte>(n));
  } else if (n < 0x100) {
    out.insert(out.end(), {std::byte{0x81}, static_cast<std::byte>(n)});
  } else {
    out.insert(out.end(), {std::byte{0x82}, static_cast<std::byte>(n >> 8), static_cast<std::byte>(n)});
  }
  return join({out, content});
}

// RFC 5915, ECPrivateKey of a scalar alone; `scalar` as a big-endian number of any size.
inline Bytes sec1(KeyAlgorithm curve, ByteView scalar) {
  struct Curve {
    const char* oid;
    std::size_t size;
  };
  static constexpr Curve kCurves[] = {{"2a8648ce3d030107", 32}, {"2b81040022", 48}, {"2b81040023", 66}};
  const Curve& c = kCurves[static_cast<std::size_t>(curve) - 1];
  while (scalar.size() > c.size) scalar = scalar.subspan(1);
  const Bytes zeros(c.size - scalar.size());
  return der(0x30, join({from_hex("020101"), der(0x04, join({zeros, scalar})), der(0xa0, der(0x06, from_hex(c.oid)))}));
}

}  // namespace millrace::testing
