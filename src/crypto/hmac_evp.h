// HMAC through OpenSSL's providers (internal): for MILLRACE_CRYPTO=openssl.
#pragma once

#include <openssl/types.h>

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

  // Message is a computation in pieces: start, update..., finish, and again. It keeps the context that it borrowed. A
  // failure shows in finish(), which then writes zeros and returns false. The key outlives it.
  class Message {
   public:
    explicit Message(const EvpHmac& key);
    Message(const Message&) = delete;
    Message& operator=(const Message&) = delete;
    ~Message();
    void start();
    void update(ByteView bytes);
    bool finish(ByteSpan out);  // as compute

   private:
    const EvpHmac& key_;
    HashAlgorithm hash_;  // of the context, which outlives the key if this does
    EVP_MAC_CTX* ctx_;    // null when OpenSSL had no memory
    bool good_ = false;
  };

 private:
  HashAlgorithm hash_;
  SecretBytes key_;
};

}  // namespace millrace
