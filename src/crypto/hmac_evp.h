// HMAC through OpenSSL's providers (internal): for MILLRACE_CRYPTO=openssl.
#pragma once

#include "crypto/hmac.h"
#include "millrace/bytes.h"
#include "millrace/secret.h"

namespace millrace {

// EvpHmac keeps the key; each computation borrows a context and keys it, so one object serves many threads.
class EvpHmac {
 public:
  EvpHmac(HashAlgorithm hash, ByteView key) : hash_(hash), key_(SecretBytes::copy_of(key)) {}
  // compute writes the first out.size() bytes of HMAC(key, a | b | c), or zeros and returns false.
  bool compute(ByteSpan out, ByteView a, ByteView b, ByteView c) const;

 private:
  HashAlgorithm hash_;
  SecretBytes key_;
};

}  // namespace millrace
