// CipherContexts: OpenSSL cipher contexts of one key, shared by many threads (internal to this folder).
//
// An EVP_CIPHER_CTX serves one thread at a time, and making one costs as much as sealing 300 bytes. So a key keeps the
// contexts that its threads have needed so far: taking one is a short lock, and only a new thread makes another.
#pragma once

#include <openssl/evp.h>

#include <memory>
#include <mutex>
#include <vector>

#include "millrace/bytes.h"
#include "millrace/result.h"
#include "millrace/secret.h"

namespace millrace {

class CipherContexts {
 public:
  struct Free {
    void operator()(EVP_CIPHER_CTX* ctx) const { EVP_CIPHER_CTX_free(ctx); }  // cleanses the key schedule
  };
  using Context = std::unique_ptr<EVP_CIPHER_CTX, Free>;

  // create keys the first context.
  static Result<std::unique_ptr<CipherContexts>> create(const EVP_CIPHER* cipher, ByteView key);

  // Lease lends a keyed context for one operation and brings it back.
  class Lease {
   public:
    explicit Lease(CipherContexts& pool) : pool_(pool), ctx_(pool.take()) {}
    ~Lease() { pool_.give(std::move(ctx_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    EVP_CIPHER_CTX* get() const { return ctx_.get(); }  // null when OpenSSL had no memory

   private:
    CipherContexts& pool_;
    Context ctx_;
  };

 private:
  CipherContexts(const EVP_CIPHER* cipher, ByteView key) : cipher_(cipher), key_(SecretBytes::copy_of(key)) {}
  Context make() const;  // null when OpenSSL had no memory
  Context take();
  void give(Context ctx);

  const EVP_CIPHER* cipher_;
  SecretBytes key_;
  std::mutex mutex_;
  std::vector<Context> free_;  // keyed, not in use
};

// update feeds `in` in pieces that fit OpenSSL's int lengths and writes as many bytes to `out`.
bool cipher_update(EVP_CIPHER_CTX* ctx, ByteView in, std::byte* out);

inline const unsigned char* openssl_bytes(ByteView bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
inline unsigned char* openssl_bytes(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }

}  // namespace millrace
