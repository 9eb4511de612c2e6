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
  friend class HmacStream;
  friend Result<SecretBytes> hkdf(HashAlgorithm hash, ByteView ikm, ByteView salt, ByteView info, std::size_t size);
  struct State;
  explicit Hmac(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// HmacStream computes HMAC over a message that comes in pieces, one message after another, and allocates nothing for
// them. It borrows the key: the Hmac, or the one it was moved to, outlives it. One thread at a time; several streams
// of one key may work at once.
class HmacStream {
 public:
  explicit HmacStream(const Hmac& key);
  HmacStream(HmacStream&&) noexcept;
  HmacStream& operator=(HmacStream&&) noexcept;
  ~HmacStream();

  // start begins a message; whatever was added since the last start() is forgotten.
  void start();
  // update cannot report a failure of OpenSSL; finish() does. Needs a message that was started.
  void update(ByteView bytes);
  // finish ends the message and writes the first out.size() bytes of its HMAC; out.size() <= hash_size. On failure out
  // is zeroed.
  Status finish(ByteSpan out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// hkdf extracts from `ikm` and `salt` and expands to `size` bytes, at most 255 digests. `info` has no limit: it is fed
// to HMAC directly, because OpenSSL's own HKDF refuses more than 32 KiB of it (seen with 3.0.22).
Result<SecretBytes> hkdf(HashAlgorithm hash, ByteView ikm, ByteView salt, ByteView info, std::size_t size);

}  // namespace millrace
