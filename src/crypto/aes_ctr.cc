#include "crypto/aes_ctr.h"

#include <variant>

#include "base/check.h"
#include "crypto/aes_x86_kernels.h"
#include "crypto/kernel_policy.h"
#include "crypto/openssl_cipher.h"

namespace millrace {

namespace {

using Choice = CryptoChoice<AesCtrKernel>;

std::span<const Choice> choices() {
  static const auto& list =
      *new auto(crypto_choices(aes_ctr_native_kernels()));  // for ever: static objects may seal at exit
  return list;
}

const Choice& default_choice() {
  static const Choice& choice = choose_crypto(choices());
  return choice;
}

const EVP_CIPHER* ctr_cipher(std::size_t key_size) {
  static EVP_CIPHER* const aes128 = EVP_CIPHER_fetch(nullptr, "AES-128-CTR", nullptr);
  static EVP_CIPHER* const aes256 = EVP_CIPHER_fetch(nullptr, "AES-256-CTR", nullptr);
  return key_size == 16 ? aes128 : aes256;
}

}  // namespace

struct AesCtr::State {
  struct Native {
    explicit Native(const AesCtrKernel& k) : kernel(k) {}
    const AesCtrKernel& kernel;
    KeyMemory<AesRoundKeys> key;
  };
  using Openssl = std::unique_ptr<CipherContexts>;
  std::variant<std::monostate, Native, Openssl> with;

  static Result<std::unique_ptr<State>> create(const Choice& choice, ByteView key) {
    if (key.size() != 16 && key.size() != 32) return Error{ErrorCode::kInvalidArgument, "AES key size"};
    std::unique_ptr<State> state(new State);  // not make_unique, which would zero the room for the key first
    if (choice.native != nullptr) {
      Native& native = state->with.emplace<Native>(*choice.native);
      native.kernel.set_up(native.key.get(), key);
    } else {
      MR_TRY(state->with.emplace<Openssl>(), CipherContexts::create(ctr_cipher(key.size()), key));
    }
    return state;
  }
};

AesCtr::AesCtr(std::unique_ptr<State> state) : state_(std::move(state)) {}
AesCtr::AesCtr(AesCtr&&) noexcept = default;
AesCtr& AesCtr::operator=(AesCtr&&) noexcept = default;
AesCtr::~AesCtr() = default;

Result<AesCtr> AesCtr::create(ByteView key) {
  MR_TRY(auto state, State::create(default_choice(), key));
  return AesCtr(std::move(state));
}

Result<AesCtr> AesCtr::create_with(std::string_view kernel, ByteView key) {
  const Choice* const choice = find_crypto(choices(), kernel);
  if (choice == nullptr) return Error{ErrorCode::kInvalidArgument, "AES-CTR kernel"};
  MR_TRY(auto state, State::create(*choice, key));
  return AesCtr(std::move(state));
}

Status AesCtr::apply(ByteView counter_block, ByteView in, ByteSpan out) const {
  MR_CHECK(counter_block.size() == kAesBlockSize && out.size() == in.size());
  if (const auto* native = std::get_if<State::Native>(&state_->with)) {
    native->kernel.apply(native->key.get(), counter_block.data(), in, out.data());
    return Ok{};
  }
  const CipherContexts::Lease lease(*std::get<State::Openssl>(state_->with));
  EVP_CIPHER_CTX* const ctx = lease.get();
  if (ctx != nullptr && EVP_CipherInit_ex2(ctx, nullptr, nullptr, openssl_bytes(counter_block), 1, nullptr) == 1 &&
      cipher_update(ctx, in, out.data())) {
    return Ok{};
  }
  secure_zero(out);
  return Error{ErrorCode::kIo, "AES-CTR"};
}

std::string_view aes_ctr_kernel_name() { return crypto_name(default_choice()); }

std::vector<std::string_view> aes_ctr_kernel_names() { return crypto_names(choices()); }

}  // namespace millrace
