// Public-key primitives: RSA-OAEP, RS256 signatures, ECDH on the NIST curves, and keys as PEM and DER.
//
// What a key has to be is decided once, when it is parsed (openssl_key.h), so that no operation meets a weak one. All
// of it is OpenSSL's EVP interface; calls leave the thread's OpenSSL error queue as they found it. kIo from an
// operation: the installed OpenSSL refuses it (a FIPS provider without SHA-1, say).
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
  // parse reads SPKI or an X.509 certificate (whose signature and dates are not looked at), PEM or DER, at most 64 KiB,
  // and nothing around it but white space around PEM. Errors: kMalformed; kLimitExceeded for a larger input;
  // kInvalidArgument for another kind of key (a private one, too), RSA outside the sizes, a public exponent that is
  // even, below 3 or above 64 bits, another curve or one that is not named, a point not on its curve.
  static Result<PublicKey> parse(ByteView pem_or_der);
  PublicKey(PublicKey&&) noexcept;
  PublicKey& operator=(PublicKey&&) noexcept;
  ~PublicKey();

  KeyAlgorithm algorithm() const;
  unsigned bits() const;     // of the RSA modulus, or of the curve's field
  std::string name() const;  // "rsa:2048", "ec:secp256r1", ...
  std::string pem() const;   // SPKI

  // oaep_encrypt: RSA-OAEP with SHA-1 and MGF1-SHA-1, empty label. kInvalidArgument for an EC key or a message too
  // long (more than size of the modulus - 42 bytes).
  Result<std::vector<std::byte>> oaep_encrypt(ByteView message) const;
  // verify_rs256: RSASSA-PKCS1-v1_5 with SHA-256. kNotAuthentic when the signature is not right.
  // kInvalidArgument for an EC key.
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
  // is kInvalidArgument, and `where` says so. So is a key whose private half does not belong to its public one. Errors
  // otherwise as PublicKey::parse.
  static Result<PrivateKey> parse(ByteView pem_or_der);
  // generate makes a key; `rsa_bits` is 2048, 3072 or 4096 (otherwise kInvalidArgument) and ignored for curves.
  static Result<PrivateKey> generate(KeyAlgorithm algorithm, unsigned rsa_bits = 2048);
  PrivateKey(PrivateKey&&) noexcept;
  PrivateKey& operator=(PrivateKey&&) noexcept;
  ~PrivateKey();

  KeyAlgorithm algorithm() const;
  unsigned bits() const;
  PublicKey public_key() const;
  Result<SecretBytes> pem() const;  // PKCS#8, not encrypted

  // oaep_decrypt undoes oaep_encrypt. kNotAuthentic, one and the same, when it does not open for whatever reason;
  // kInvalidArgument for an EC key.
  Result<SecretBytes> oaep_decrypt(ByteView ciphertext) const;
  // ecdh gives the x coordinate of the shared point with its leading zeros (32, 48 or 66 bytes). kInvalidArgument
  // unless both are on one curve.
  Result<SecretBytes> ecdh(const PublicKey& peer) const;
  // sign_rs256: RSASSA-PKCS1-v1_5 with SHA-256; as long as the modulus. kInvalidArgument for an EC key.
  Result<std::vector<std::byte>> sign_rs256(ByteView message) const;

 private:
  struct State;
  explicit PrivateKey(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace millrace
