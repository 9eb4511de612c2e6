#include "crypto/public_key.h"
#include "millrace/tdf_keys.h"

namespace millrace::tdf {

Result<KasPublicKey> KasPublicKey::parse(ByteView pem_or_der) {
  MR_TRY(const PublicKey parsed, PublicKey::parse(pem_or_der));
  KasPublicKey key;
  key.algorithm_ = parsed.name();
  key.pem_ = parsed.pem();
  return key;
}

Result<KeyPair> generate_key_pair(std::string_view algorithm) {
  struct Choice {
    std::string_view name;
    KeyAlgorithm algorithm;
    unsigned rsa_bits;
  };
  static constexpr Choice kChoices[] = {
      {"rsa:2048", KeyAlgorithm::kRsa, 2048},   {"rsa:4096", KeyAlgorithm::kRsa, 4096},
      {"ec:secp256r1", KeyAlgorithm::kP256, 0}, {"ec:secp384r1", KeyAlgorithm::kP384, 0},
      {"ec:secp521r1", KeyAlgorithm::kP521, 0},
  };
  for (const Choice& choice : kChoices) {
    if (choice.name != algorithm) continue;
    MR_TRY(const PrivateKey key, PrivateKey::generate(choice.algorithm, choice.rsa_bits));
    MR_TRY(SecretBytes pem, key.pem());
    return KeyPair{key.public_key().pem(), std::move(pem)};
  }
  return Error{ErrorCode::kInvalidArgument, "key algorithm"};
}

}  // namespace millrace::tdf
