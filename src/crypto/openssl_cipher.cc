#include "crypto/openssl_cipher.h"

#include <algorithm>

namespace millrace {

Result<std::unique_ptr<CipherContexts>> CipherContexts::create(const EVP_CIPHER* cipher, ByteView key) {
  std::unique_ptr<CipherContexts> pool(new CipherContexts(cipher, key));
  Context first = pool->make();
  if (!first) return Error{ErrorCode::kIo, "OpenSSL cipher set-up"};
  pool->give(std::move(first));
  return pool;
}

CipherContexts::Context CipherContexts::make() const {
  Context ctx(EVP_CIPHER_CTX_new());
  if (!ctx || cipher_ == nullptr) return nullptr;
  if (EVP_CipherInit_ex2(ctx.get(), cipher_, openssl_bytes(key_.reveal()), nullptr, 1, nullptr) != 1) return nullptr;
  return ctx;
}

CipherContexts::Context CipherContexts::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      Context ctx = std::move(free_.back());
      free_.pop_back();
      return ctx;
    }
  }
  return make();
}

void CipherContexts::give(Context ctx) {
  if (!ctx) return;
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(ctx));
}

bool cipher_update(EVP_CIPHER_CTX* ctx, ByteView in, std::byte* out) {
  constexpr std::size_t kPiece = std::size_t{1} << 30;
  while (!in.empty()) {
    const std::size_t n = std::min(in.size(), kPiece);
    int written = 0;
    if (EVP_CipherUpdate(ctx, openssl_bytes(out), &written, openssl_bytes(in), static_cast<int>(n)) != 1) return false;
    if (static_cast<std::size_t>(written) != n) return false;
    in = in.subspan(n);
    out += n;
  }
  return true;
}

}  // namespace millrace
