#include "millrace/secret.h"

#include <cstring>

#include "base/copy.h"

namespace millrace {

// explicit_bzero is the C library's own call for this (glibc 2.25, musl 1.1.20); it keeps this folder free of OpenSSL.
void secure_zero(ByteSpan bytes) {
  if (!bytes.empty()) ::explicit_bzero(bytes.data(), bytes.size());
}

bool equal_constant_time(ByteView a, ByteView b) {
  if (a.size() != b.size()) return false;
  std::byte difference{0};
  for (std::size_t i = 0; i < a.size(); ++i) difference |= a[i] ^ b[i];
  // The volatile read keeps the compiler from turning the loop into one that stops early.
  const volatile std::byte result = difference;
  return result == std::byte{0};
}

SecretBytes SecretBytes::copy_of(ByteView bytes) {
  SecretBytes copy(bytes.size());
  copy_bytes(copy.fill(), bytes);
  return copy;
}

}  // namespace millrace
