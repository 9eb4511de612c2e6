// HMAC (RFC 2104) and HKDF (RFC 5869) over SHA-1, SHA-256 and SHA-512; no format asks for them over MD5.
#pragma once

#include <memory>

#include "crypto/hash.h"
#include "millrace/bytes.h"
#include "millrace/result.h"
#include "millrace/secret.h"

namespace millrace {

// Hmac holds one key. After create() it is const and safe to use from many threads at once.
class Hmac {
 public:
  // Keys of any size are allowed.
  static Result<Hmac> create(HashAlgorithm hash, ByteView key);
  Hmac(Hmac&&) noexcept;
  Hmac& operator=(Hmac&&) noexcept;
  ~Hmac();

  // compute writes the first out.size() bytes of HMAC(key, a | b | c); out.size() <= hash_size. On failure out is
  // zeroed.
  Status compute(ByteSpan out, ByteView a, ByteView b = {}, ByteView c = {}) const;

 private:
  friend Result<SecretBytes> hkdf(HashAlgorithm hash, ByteView ikm, ByteView salt, ByteView info, std::size_t size);
  struct State;
  explicit Hmac(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// hkdf extracts from `ikm` and `salt` and expands to `size` bytes, at most 255 digests. `info` has no limit: it is fed
// to HMAC directly, because OpenSSL's own HKDF refuses more than 32 KiB of it (seen with 3.0.22).
Result<SecretBytes> hkdf(HashAlgorithm hash, ByteView ikm, ByteView salt, ByteView info, std::size_t size);

}  // namespace millrace
