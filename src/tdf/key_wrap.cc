#include "tdf/key_wrap.h"

#include <array>
#include <vector>

#include "base/check.h"
#include "crypto/aes_gcm.h"
#include "crypto/hmac.h"
#include "crypto/random.h"
#include "tdf/base64_bytes.h"
#include "tdf/key_split.h"

namespace millrace::tdf {

namespace {

constexpr std::size_t kEcWrappedSize = kGcmNonceSize + kKeySize + kGcmTagSize;

Result<AesGcm> ec_wrap_key(const PrivateKey& own, const PublicKey& peer) {
  MR_TRY(const SecretBytes z, own.ecdh(peer));
  std::array<std::byte, 32> salt;
  MR_TRY(Hash sha256, Hash::create(HashAlgorithm::kSha256));
  sha256.update(as_bytes("TDF"));
  MR_TRY(sha256.finish(salt));
  MR_TRY(const SecretBytes key, hkdf(HashAlgorithm::kSha256, z.reveal(), salt, {}, 32));
  return AesGcm::create(key.reveal());
}

Status wrap_ec(const PublicKey& key, ByteView share, KeyAccessObject& object) {
  MR_TRY(const PrivateKey ephemeral, PrivateKey::generate(key.algorithm()));
  MR_TRY(const AesGcm gcm, ec_wrap_key(ephemeral, key));
  std::array<std::byte, kEcWrappedSize> wrapped;
  const ByteSpan nonce = ByteSpan(wrapped).first(kGcmNonceSize);
  MR_TRY(random_bytes(nonce));
  MR_TRY(gcm.seal(nonce, {}, share, ByteSpan(wrapped).subspan(kGcmNonceSize)));
  object.type = kTypeEc;
  object.wrapped_key = base64_encode(wrapped);
  object.ephemeral_public_key = ephemeral.public_key().pem();
  return Ok{};
}

Result<SecretBytes> unwrap_ec(const PrivateKey& key, ByteView wrapped, std::string_view ephemeral_pem) {
  if (wrapped.size() != kEcWrappedSize) return Error{ErrorCode::kMalformed, "wrapped key: size"};
  const Result<PublicKey> ephemeral = PublicKey::parse(as_bytes(ephemeral_pem));
  if (!ephemeral) return Error{ErrorCode::kMalformed, "wrapped key: ephemeral public key"};
  if (ephemeral->algorithm() != key.algorithm()) return Error{ErrorCode::kInvalidArgument, "wrapped key: curve"};
  MR_TRY(const AesGcm gcm, ec_wrap_key(key, *ephemeral));
  SecretBytes share(kKeySize);
  MR_TRY(gcm.open(wrapped.first(kGcmNonceSize), {}, wrapped.subspan(kGcmNonceSize), share.fill()));
  return share;
}

Result<SecretBytes> unwrap_rsa(const PrivateKey& key, ByteView wrapped) {
  if (wrapped.size() != (key.bits() + 7) / 8) return Error{ErrorCode::kMalformed, "wrapped key: size"};
  MR_TRY(SecretBytes share, key.oaep_decrypt(wrapped));
  if (share.size() != kKeySize) return Error{ErrorCode::kNotAuthentic, kWrongOrAlteredKey};
  return share;
}

}  // namespace

Status wrap_share(const PublicKey& key, ByteView share, KeyAccessObject& object) {
  MR_CHECK(share.size() == kKeySize);
  if (key.algorithm() != KeyAlgorithm::kRsa) return wrap_ec(key, share, object);
  MR_TRY(const std::vector<std::byte> wrapped, key.oaep_encrypt(share));
  object.type = kTypeRsa;
  object.wrapped_key = base64_encode(wrapped);
  return Ok{};
}

Result<SecretBytes> unwrap_share(const PrivateKey& key, const KeyAccessObject& object) {
  const bool ec = object.type == kTypeEc;
  if (!ec && object.type != kTypeRsa) return Error{ErrorCode::kInvalidArgument, "key access type"};
  if (ec == (key.algorithm() == KeyAlgorithm::kRsa)) return Error{ErrorCode::kInvalidArgument, "wrapped key: kind"};
  const Result<std::vector<std::byte>> wrapped = decode_base64(object.wrapped_key);
  if (!wrapped) return Error{ErrorCode::kMalformed, "wrapped key: base64"};
  Result<SecretBytes> share = ec ? unwrap_ec(key, *wrapped, object.ephemeral_public_key) : unwrap_rsa(key, *wrapped);
  if (!share && share.error().code == ErrorCode::kNotAuthentic)
    return Error{ErrorCode::kNotAuthentic, kWrongOrAlteredKey};
  return share;
}

}  // namespace millrace::tdf
