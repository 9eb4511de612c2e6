// HMAC from precomputed states (internal). RFC 2104, section 4: the padded key fills exactly one block of each of the
// two hashes, so the states behind those blocks are all that a key has to keep. A computation copies them, needs no
// context, no lock and no allocation, and saves two of the four compressions of a short message.
//
// It calls OpenSSL's SHA*_Init, _Update and _Final. They are deprecated since 3.0 because they go past the providers;
// that is the reason to use them: through EVP a digest of 64 bytes costs 380 ns with 3.0, directly 70. The code that
// runs is the same. An installation that must go through its provider sets MILLRACE_CRYPTO=openssl (kernel_policy.h).
#pragma once

#include <cstddef>

#include "crypto/hmac.h"
#include "millrace/bytes.h"
#include "millrace/secret.h"

namespace millrace {

class DirectHmac {
 public:
  DirectHmac(HashAlgorithm hash, ByteView key);
  DirectHmac(const DirectHmac&) = delete;
  DirectHmac& operator=(const DirectHmac&) = delete;
  ~DirectHmac();
  // compute writes the first out.size() bytes of HMAC(key, a | b | c); out.size() <= hash_size. It cannot fail.
  void compute(ByteSpan out, ByteView a, ByteView b, ByteView c) const;

  // Room for the state of any of the three hashes; hmac_direct.cc checks that they fit.
  static constexpr std::size_t kStateSize = 216;
  // Message is a computation in pieces: start, update..., finish, and again. The key outlives it.
  class Message {
   public:
    explicit Message(const DirectHmac& key) : key_(key) {}
    Message(const Message&) = delete;
    Message& operator=(const Message&) = delete;
    ~Message() { secure_zero(state_); }
    void start();
    void update(ByteView bytes);
    bool finish(ByteSpan out);  // as compute; true

   private:
    const DirectHmac& key_;
    alignas(8) std::byte state_[kStateSize];
  };

 private:
  std::byte* inner() { return states_; }
  std::byte* outer() { return states_ + kStateSize; }
  const std::byte* inner() const { return states_; }
  const std::byte* outer() const { return states_ + kStateSize; }

  HashAlgorithm hash_;
  alignas(8) std::byte states_[2 * kStateSize];
};

}  // namespace millrace
