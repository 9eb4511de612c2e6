#include "crypto/aes_ctr.h"

#include "base/check.h"
#include "crypto/openssl_cipher.h"

namespace millrace {

namespace {

const EVP_CIPHER* ctr_cipher(std::size_t key_size) {
  static EVP_CIPHER* const aes128 = EVP_CIPHER_fetch(nullptr, "AES-128-CTR", nullptr);
  static EVP_CIPHER* const aes256 = EVP_CIPHER_fetch(nullptr, "AES-256-CTR", nullptr);
  return key_size == 16 ? aes128 : aes256;
}

}  // namespace

struct AesCtr::State {
  std::unique_ptr<CipherContexts> contexts;
};

AesCtr::AesCtr(std::unique_ptr<State> state) : state_(std::move(state)) {}
AesCtr::AesCtr(AesCtr&&) noexcept = default;
AesCtr& AesCtr::operator=(AesCtr&&) noexcept = default;
AesCtr::~AesCtr() = default;

Result<AesCtr> AesCtr::create(ByteView key) {
  if (key.size() != 16 && key.size() != 32) return Error{ErrorCode::kInvalidArgument, "AES key size"};
  auto state = std::make_unique<State>();
  MR_TRY(state->contexts, CipherContexts::create(ctr_cipher(key.size()), key));
  return AesCtr(std::move(state));
}

Status AesCtr::apply(ByteView counter_block, ByteView in, ByteSpan out) const {
  MR_CHECK(counter_block.size() == kAesBlockSize && out.size() == in.size());
  const CipherContexts::Lease lease(*state_->contexts);
  EVP_CIPHER_CTX* const ctx = lease.get();
  if (ctx != nullptr && EVP_CipherInit_ex2(ctx, nullptr, nullptr, openssl_bytes(counter_block), 1, nullptr) == 1 &&
      cipher_update(ctx, in, out.data())) {
    return Ok{};
  }
  secure_zero(out);
  return Error{ErrorCode::kIo, "AES-CTR"};
}

}  // namespace millrace
