// One share of a file's key under one public key, and back.
#pragma once

#include <string_view>

#include "crypto/public_key.h"
#include "millrace/bytes.h"
#include "millrace/result.h"
#include "millrace/secret.h"
#include "millrace/tdf_manifest.h"

namespace millrace::tdf {

inline constexpr std::string_view kTypeRsa = "wrapped";
inline constexpr std::string_view kTypeEc = "ec-wrapped";

// An RSA key wraps with OAEP (SHA-1, MGF1-SHA-1, no label): one block of the modulus' size. For an EC key:
//
//   Z = x coordinate of ECDH(ephemeral key on the same curve, KAS key)
//   K = HKDF-SHA-256(Z, salt = SHA-256("TDF"), info empty, 32 bytes)
//   wrapped = IV(12) | AES-256-GCM(K, IV, share)(32) | tag(16), no associated data
//
// The ephemeral key travels beside it as PEM.

// wrap_share fills in type, wrapped_key and, for EC, ephemeral_public_key. The texts have the same sizes for every
// share and every run.
Status wrap_share(const PublicKey& key, ByteView share, KeyAccessObject& object);

// unwrap_share undoes it; the share has 32 bytes. What it returns is not yet authentic: check the policy binding.
// Errors: kInvalidArgument when `key` cannot be the one (another kind, curve or size) or the type is not known;
// kMalformed for texts that no writer makes; kNotAuthentic when it does not open.
Result<SecretBytes> unwrap_share(const PrivateKey& key, const KeyAccessObject& object);

}  // namespace millrace::tdf
