#include "crypto/aes_gcm.h"

#include <algorithm>

#include "base/check.h"
#include "crypto/openssl_cipher.h"

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

}  // namespace

struct AesGcm::State {
  std::unique_ptr<CipherContexts> contexts;
};

AesGcm::AesGcm(std::unique_ptr<State> state) : state_(std::move(state)) {}
AesGcm::AesGcm(AesGcm&&) noexcept = default;
AesGcm& AesGcm::operator=(AesGcm&&) noexcept = default;
AesGcm::~AesGcm() = default;

Result<AesGcm> AesGcm::create(ByteView key) {
  if (key.size() != 16 && key.size() != 32) return Error{ErrorCode::kInvalidArgument, "AES key size"};
  auto state = std::make_unique<State>();
  MR_TRY(state->contexts, CipherContexts::create(gcm_cipher(key.size()), key));
  return AesGcm(std::move(state));
}

Status AesGcm::seal(ByteView nonce, ByteView associated_data, ByteView plaintext, ByteSpan out) const {
  MR_CHECK(nonce.size() == kGcmNonceSize && out.size() == plaintext.size() + kGcmTagSize);
  const CipherContexts::Lease lease(*state_->contexts);
  EVP_CIPHER_CTX* const ctx = lease.get();
  int ignored = 0;
  if (start(ctx, nonce, associated_data, 1) && cipher_update(ctx, plaintext, out.data()) &&
      EVP_CipherFinal_ex(ctx, openssl_bytes(out.data() + plaintext.size()), &ignored) == 1 &&
      EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, kGcmTagSize, out.data() + plaintext.size()) == 1) {
    return Ok{};
  }
  secure_zero(out);
  return Error{ErrorCode::kIo, "AES-GCM seal"};
}

Status AesGcm::open(ByteView nonce, ByteView associated_data, ByteView sealed, ByteSpan out) const {
  MR_CHECK(nonce.size() == kGcmNonceSize && sealed.size() == out.size() + kGcmTagSize);
  // The tag is copied first: in place, or with `out` elsewhere, OpenSSL wants it as a writable pointer.
  std::byte tag[kGcmTagSize];
  std::copy_n(sealed.data() + out.size(), kGcmTagSize, tag);
  const CipherContexts::Lease lease(*state_->contexts);
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

}  // namespace millrace
