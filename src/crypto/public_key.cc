#include "crypto/public_key.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/rsa.h>

#include <utility>

#include "crypto/key_encoding.h"
#include "crypto/openssl_cipher.h"
#include "crypto/openssl_key.h"

namespace millrace {

namespace {

constexpr std::size_t kOaepOverhead = 2 * 20 + 2;  // RFC 8017, section 7.1.1: two digests of SHA-1, 0x00 and 0x01

constexpr Error kNeedsRsa{ErrorCode::kInvalidArgument, "key: not an RSA key"};

std::size_t modulus_size(const EVP_PKEY* key) { return static_cast<std::size_t>(EVP_PKEY_get_size(key)); }

// The parameters are set although some are OpenSSL's defaults: the format fixes them, not the library.
bool set_oaep(EVP_PKEY_CTX* ctx) {
  return EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_OAEP_PADDING) == 1 &&
         EVP_PKEY_CTX_set_rsa_oaep_md_name(ctx, "SHA1", nullptr) == 1 &&
         EVP_PKEY_CTX_set_rsa_mgf1_md_name(ctx, "SHA1", nullptr) == 1;
}

}  // namespace

struct PublicKey::State {
  Pkey key;  // its public half alone
  KeyAlgorithm algorithm;
  unsigned bits;
  std::string pem;

  static Result<State> create(CheckedKey checked) {
    // A point may have come in compressed; what goes out is what every reader takes.
    if (checked.algorithm != KeyAlgorithm::kRsa &&
        EVP_PKEY_set_utf8_string_param(checked.key.get(), OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT,
                                       OSSL_PKEY_EC_POINT_CONVERSION_FORMAT_UNCOMPRESSED) != 1)
      return Error{ErrorCode::kIo, "key: PEM"};
    std::string pem = spki_pem(checked.key.get());
    if (pem.empty()) return Error{ErrorCode::kIo, "key: PEM"};
    const auto bits = static_cast<unsigned>(EVP_PKEY_get_bits(checked.key.get()));
    return State{std::move(checked.key), checked.algorithm, bits, std::move(pem)};
  }

  // share makes a second owner of the same OpenSSL key.
  State share() const {
    EVP_PKEY_up_ref(key.get());
    return State{Pkey(key.get()), algorithm, bits, pem};
  }
};

PublicKey::PublicKey(std::unique_ptr<State> state) : state_(std::move(state)) {}
PublicKey::PublicKey(PublicKey&&) noexcept = default;
PublicKey& PublicKey::operator=(PublicKey&&) noexcept = default;
PublicKey::~PublicKey() = default;

Result<PublicKey> PublicKey::parse(ByteView pem_or_der) {
  const ErrorQueueGuard guard;
  MR_TRY(const EncodedKey encoded, read_encoded_key(pem_or_der));
  MR_TRY(CheckedKey checked, decode_public_key(encoded));
  MR_TRY(State state, State::create(std::move(checked)));
  return PublicKey(std::make_unique<State>(std::move(state)));
}

KeyAlgorithm PublicKey::algorithm() const { return state_->algorithm; }
unsigned PublicKey::bits() const { return state_->bits; }
std::string PublicKey::pem() const { return state_->pem; }

std::string PublicKey::name() const {
  if (algorithm() == KeyAlgorithm::kRsa) return "rsa:" + std::to_string(bits());
  return std::string("ec:").append(curve_of(algorithm()).name);
}

Result<std::vector<std::byte>> PublicKey::oaep_encrypt(ByteView message) const {
  if (algorithm() != KeyAlgorithm::kRsa) return kNeedsRsa;
  std::vector<std::byte> out(modulus_size(state_->key.get()));
  if (message.size() > out.size() - kOaepOverhead) return Error{ErrorCode::kInvalidArgument, "RSA-OAEP message size"};
  const ErrorQueueGuard guard;
  const Owned<EVP_PKEY_CTX> ctx(EVP_PKEY_CTX_new_from_pkey(nullptr, state_->key.get(), nullptr));
  std::size_t size = out.size();
  if (!ctx || EVP_PKEY_encrypt_init(ctx.get()) != 1 || !set_oaep(ctx.get()) ||
      EVP_PKEY_encrypt(ctx.get(), openssl_bytes(out.data()), &size, openssl_bytes(message), message.size()) != 1 ||
      size != out.size())
    return Error{ErrorCode::kIo, "RSA-OAEP"};
  return out;
}

Status PublicKey::verify_rs256(ByteView message, ByteView signature) const {
  if (algorithm() != KeyAlgorithm::kRsa) return kNeedsRsa;
  const ErrorQueueGuard guard;
  if (!millrace::verify_rs256(state_->key.get(), message, signature))
    return Error{ErrorCode::kNotAuthentic, "RS256 signature"};
  return Ok{};
}

struct PrivateKey::State {
  Pkey key;
  PublicKey::State half;

  static Result<PrivateKey> create(CheckedKey checked) {
    MR_TRY(Pkey half, public_half(checked.key.get()));
    MR_TRY(PublicKey::State state, PublicKey::State::create({std::move(half), checked.algorithm}));
    return PrivateKey(std::unique_ptr<State>(new State{std::move(checked.key), std::move(state)}));
  }
};

PrivateKey::PrivateKey(std::unique_ptr<State> state) : state_(std::move(state)) {}
PrivateKey::PrivateKey(PrivateKey&&) noexcept = default;
PrivateKey& PrivateKey::operator=(PrivateKey&&) noexcept = default;
PrivateKey::~PrivateKey() = default;

Result<PrivateKey> PrivateKey::parse(ByteView pem_or_der) {
  const ErrorQueueGuard guard;
  MR_TRY(const EncodedKey encoded, read_encoded_key(pem_or_der));
  MR_TRY(CheckedKey checked, decode_private_key(encoded));
  return State::create(std::move(checked));
}

Result<PrivateKey> PrivateKey::generate(KeyAlgorithm algorithm, unsigned rsa_bits) {
  const ErrorQueueGuard guard;
  const bool rsa = algorithm == KeyAlgorithm::kRsa;
  if (rsa && rsa_bits != 2048 && rsa_bits != 3072 && rsa_bits != 4096)
    return Error{ErrorCode::kInvalidArgument, "key: RSA size"};
  Pkey key(rsa ? EVP_RSA_gen(rsa_bits) : EVP_EC_gen(curve_of(algorithm).group));
  if (!key) return Error{ErrorCode::kIo, "key: generating"};
  return State::create({std::move(key), algorithm});
}

KeyAlgorithm PrivateKey::algorithm() const { return state_->half.algorithm; }
unsigned PrivateKey::bits() const { return state_->half.bits; }
PublicKey PrivateKey::public_key() const { return PublicKey(std::make_unique<PublicKey::State>(state_->half.share())); }

Result<SecretBytes> PrivateKey::pem() const {
  const ErrorQueueGuard guard;
  SecretBytes pem = pkcs8_pem(state_->key.get());
  if (pem.size() == 0) return Error{ErrorCode::kIo, "key: PEM"};
  return pem;
}

Result<SecretBytes> PrivateKey::oaep_decrypt(ByteView ciphertext) const {
  if (algorithm() != KeyAlgorithm::kRsa) return kNeedsRsa;
  const ErrorQueueGuard guard;
  const Owned<EVP_PKEY_CTX> ctx(EVP_PKEY_CTX_new_from_pkey(nullptr, state_->key.get(), nullptr));
  if (!ctx || EVP_PKEY_decrypt_init(ctx.get()) != 1 || !set_oaep(ctx.get())) return Error{ErrorCode::kIo, "RSA-OAEP"};
  // OpenSSL takes a shorter ciphertext for one with leading zeros; RFC 8017, section 7.1.2 does not.
  SecretBytes room(modulus_size(state_->key.get()));
  std::size_t size = room.size();
  if (ciphertext.size() != room.size() || EVP_PKEY_decrypt(ctx.get(), openssl_bytes(room.fill().data()), &size,
                                                           openssl_bytes(ciphertext), ciphertext.size()) != 1)
    return Error{ErrorCode::kNotAuthentic, "RSA-OAEP"};
  return SecretBytes::copy_of(room.reveal().first(size));
}

Result<SecretBytes> PrivateKey::ecdh(const PublicKey& peer) const {
  if (algorithm() == KeyAlgorithm::kRsa || peer.algorithm() != algorithm())
    return Error{ErrorCode::kInvalidArgument, "ECDH: keys of different kinds"};
  const ErrorQueueGuard guard;
  const Owned<EVP_PKEY_CTX> ctx(EVP_PKEY_CTX_new_from_pkey(nullptr, state_->key.get(), nullptr));
  SecretBytes x(curve_of(algorithm()).field_size);
  std::size_t size = x.size();
  // The peer is not checked again (0): a PublicKey is a point on its curve.
  if (!ctx || EVP_PKEY_derive_init(ctx.get()) != 1 ||
      EVP_PKEY_derive_set_peer_ex(ctx.get(), peer.state_->key.get(), 0) != 1 ||
      EVP_PKEY_derive(ctx.get(), openssl_bytes(x.fill().data()), &size) != 1 || size != x.size())
    return Error{ErrorCode::kIo, "ECDH"};
  return x;
}

Result<std::vector<std::byte>> PrivateKey::sign_rs256(ByteView message) const {
  if (algorithm() != KeyAlgorithm::kRsa) return kNeedsRsa;
  const ErrorQueueGuard guard;
  std::vector<std::byte> signature(modulus_size(state_->key.get()));
  if (!millrace::sign_rs256(state_->key.get(), message, signature)) return Error{ErrorCode::kIo, "RS256"};
  return signature;
}

}  // namespace millrace
