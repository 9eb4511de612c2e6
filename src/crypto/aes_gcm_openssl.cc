#include "crypto/aes_gcm_openssl.h"

#include <algorithm>

#include "crypto/aes_gcm.h"

namespace millrace {

namespace {

const EVP_CIPHER* gcm_cipher(std::size_t key_size) {
  // Fetched once and kept for the life of the process: a fetch costs more than sealing a record.
  static EVP_CIPHER* const aes128 = EVP_CIPHER_fetch(nullptr, "AES-128-GCM", nullptr);
  static EVP_CIPHER* const aes256 = EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr);
  return key_size == 16 ? aes128 : aes256;
}

bool start(EVP_CIPHER_CTX* ctx, ByteView nonce, ByteView associated_data, int encrypt) {
  if (ctx == nullptr || EVP_CipherInit_ex2(ctx, nullptr, nullptr, openssl_bytes(nonce), encrypt, nullptr) != 1)
    return false;
  constexpr std::size_t kPiece = std::size_t{1} << 30;
  while (!associated_data.empty()) {
    const std::size_t n = std::min(associated_data.size(), kPiece);
    int ignored = 0;
    if (EVP_CipherUpdate(ctx, nullptr, &ignored, openssl_bytes(associated_data), static_cast<int>(n)) != 1)
      return false;
    associated_data = associated_data.subspan(n);
  }
  return true;
}

bool finish(EVP_CIPHER_CTX* ctx, ByteSpan tag) {
  int ignored = 0;
  return EVP_CipherFinal_ex(ctx, openssl_bytes(tag.data()), &ignored) == 1 &&
         EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, kGcmTagSize, tag.data()) == 1;
}

}  // namespace

Result<OpensslGcm> OpensslGcm::create(ByteView key) {
  MR_TRY(auto contexts, CipherContexts::create(gcm_cipher(key.size()), key));
  return OpensslGcm(std::move(contexts));
}

Status OpensslGcm::seal(ByteView nonce, ByteView associated_data, ByteView plaintext, ByteSpan out) const {
  const CipherContexts::Lease lease(*contexts_);
  EVP_CIPHER_CTX* const ctx = lease.get();
  if (start(ctx, nonce, associated_data, 1) && cipher_update(ctx, plaintext, out.data()) &&
      finish(ctx, out.subspan(plaintext.size()))) {
    return Ok{};
  }
  secure_zero(out);
  return Error{ErrorCode::kIo, "AES-GCM seal"};
}

Status OpensslGcm::open(ByteView nonce, ByteView associated_data, ByteView sealed, ByteSpan out) const {
  // The tag is copied first: in place, or with `out` elsewhere, OpenSSL wants it as a writable pointer.
  std::byte tag[kGcmTagSize];
  std::copy_n(sealed.data() + out.size(), kGcmTagSize, tag);
  const CipherContexts::Lease lease(*contexts_);
  EVP_CIPHER_CTX* const ctx = lease.get();
  if (start(ctx, nonce, associated_data, 0) && cipher_update(ctx, sealed.first(out.size()), out.data()) &&
      EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, kGcmTagSize, tag) == 1) {
    int ignored = 0;
    std::byte none[1];
    if (EVP_CipherFinal_ex(ctx, openssl_bytes(none), &ignored) == 1) return Ok{};
    secure_zero(out);  // OpenSSL wrote the plaintext before it looked at the tag
    return Error{ErrorCode::kNotAuthentic, "AES-GCM tag"};
  }
  secure_zero(out);
  return Error{ErrorCode::kIo, "AES-GCM open"};
}

bool OpensslGcmSealer::start(const OpensslGcm& key, ByteView nonce, ByteView associated_data) {
  lease_.emplace(*key.contexts_);
  return millrace::start(lease_->get(), nonce, associated_data, 1);
}

bool OpensslGcmSealer::update(ByteView in, std::byte* out) { return cipher_update(lease_->get(), in, out); }

bool OpensslGcmSealer::finish(ByteSpan tag) { return millrace::finish(lease_->get(), tag); }

}  // namespace millrace
