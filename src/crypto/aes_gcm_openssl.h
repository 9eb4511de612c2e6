// AES-GCM by OpenSSL: where no native kernel runs, where it is asked for, and the oracle of the tests (internal).
#pragma once

#include <memory>
#include <optional>

#include "crypto/openssl_cipher.h"
#include "millrace/bytes.h"
#include "millrace/result.h"

namespace millrace {

// OpensslGcm has the contract of AesGcm. The caller has checked all sizes.
class OpensslGcm {
 public:
  static Result<OpensslGcm> create(ByteView key);
  Status seal(ByteView nonce, ByteView associated_data, ByteView plaintext, ByteSpan out) const;
  Status open(ByteView nonce, ByteView associated_data, ByteView sealed, ByteSpan out) const;

 private:
  friend class OpensslGcmSealer;
  explicit OpensslGcm(std::unique_ptr<CipherContexts> contexts) : contexts_(std::move(contexts)) {}
  std::unique_ptr<CipherContexts> contexts_;
};

// OpensslGcmSealer keeps a context of its key for the length of a message.
class OpensslGcmSealer {
 public:
  bool start(const OpensslGcm& key, ByteView nonce, ByteView associated_data);
  bool update(ByteView in, std::byte* out);
  bool finish(ByteSpan tag);
  void stop() { lease_.reset(); }

 private:
  std::optional<CipherContexts::Lease> lease_;
};

}  // namespace millrace
