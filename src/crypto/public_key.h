// Public-key primitives: RSA-OAEP, RS256 signatures, ECDH on the NIST curves, and keys as PEM and DER.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/bytes.h"
#include "millrace/result.h"
#include "millrace/secret.h"

namespace millrace {

enum class KeyAlgorithm : std::uint8_t { kRsa, kP256, kP384, kP521 };

// PublicKey is an RSA (2048 to 8192 bits) or EC public key. const and safe from many threads.
class PublicKey {
 public:
  // parse reads SPKI or an X.509 certificate (whose signature and dates are not looked at), PEM or DER, at most 64 KiB.
  // Errors: kMalformed; kInvalidArgument for another kind of key, RSA outside the sizes, a point not on its curve.
  static Result<PublicKey> parse(ByteView pem_or_der);
  PublicKey(PublicKey&&) noexcept;
  PublicKey& operator=(PublicKey&&) noexcept;
  ~PublicKey();

  KeyAlgorithm algorithm() const;
  unsigned bits() const;     // of the RSA modulus, or of the curve's field
  std::string name() const;  // "rsa:2048", "ec:secp256r1", ...
  std::string pem() const;   // SPKI

  // oaep_encrypt: RSA-OAEP with SHA-1 and MGF1-SHA-1, empty label. kInvalidArgument for an EC key or a message too
  // long.
  Result<std::vector<std::byte>> oaep_encrypt(ByteView message) const;
  // verify_rs256: RSASSA-PKCS1-v1_5 with SHA-256. kNotAuthentic when the signature is not right.
  Status verify_rs256(ByteView message, ByteView signature) const;

 private:
  friend class PrivateKey;
  struct State;
  explicit PublicKey(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// PrivateKey is an RSA or EC key pair. const and safe from many threads.
class PrivateKey {
 public:
  // parse reads PKCS#8, PKCS#1 or SEC 1, PEM or DER, at most 64 KiB. It never asks for a passphrase: an encrypted key
  // is kInvalidArgument. Errors otherwise as PublicKey::parse.
  static Result<PrivateKey> parse(ByteView pem_or_der);
  // generate makes a key; `rsa_bits` is 2048, 3072 or 4096 and ignored for curves.
  static Result<PrivateKey> generate(KeyAlgorithm algorithm, unsigned rsa_bits = 2048);
  PrivateKey(PrivateKey&&) noexcept;
  PrivateKey& operator=(PrivateKey&&) noexcept;
  ~PrivateKey();

  KeyAlgorithm algorithm() const;
  unsigned bits() const;
  PublicKey public_key() const;
  Result<SecretBytes> pem() const;  // PKCS#8, not encrypted

  // oaep_decrypt undoes oaep_encrypt. kNotAuthentic when it does not open; kInvalidArgument for an EC key.
  Result<SecretBytes> oaep_decrypt(ByteView ciphertext) const;
  // ecdh gives the x coordinate of the shared point (32, 48 or 66 bytes). kInvalidArgument unless both are on one
  // curve.
  Result<SecretBytes> ecdh(const PublicKey& peer) const;
  // sign_rs256: RSASSA-PKCS1-v1_5 with SHA-256.
  Result<std::vector<std::byte>> sign_rs256(ByteView message) const;

 private:
  struct State;
  explicit PrivateKey(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace millrace
