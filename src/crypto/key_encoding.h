// How a key is written down (internal): PEM or DER, and which of the usual structures it is, before anything in it is
// interpreted.
//
// We open the PEM ourselves, as OpenSSL's reader is kinder than a key file should be treated: it skips any text in
// front, stops after the first block, and leaves copies of what it read in freed memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "millrace/bytes.h"
#include "millrace/result.h"
#include "millrace/secret.h"

namespace millrace {

// The structures, told apart by the tags of their first two elements:
//
//   kSpki            SEQUENCE { SEQUENCE algorithm, BIT STRING }        RFC 5280, SubjectPublicKeyInfo
//   kCertificate     SEQUENCE { SEQUENCE tbs, SEQUENCE algorithm, .. }  RFC 5280
//   kPkcs8           SEQUENCE { INTEGER, SEQUENCE algorithm, .. }       RFC 5958, OneAsymmetricKey
//   kEncryptedPkcs8  SEQUENCE { SEQUENCE algorithm, OCTET STRING }      RFC 5958; also PEM with "Proc-Type:
//   4,ENCRYPTED" kPkcs1           SEQUENCE { INTEGER, INTEGER, .. }                  RFC 8017, RSAPrivateKey kSec1
//   SEQUENCE { INTEGER, OCTET STRING, .. }             RFC 5915, ECPrivateKey
enum class KeyForm : std::uint8_t { kSpki, kCertificate, kPkcs8, kEncryptedPkcs8, kPkcs1, kSec1 };

struct EncodedKey {
  KeyForm form;
  SecretBytes der;  // the whole of one SEQUENCE; empty for a PEM block of the old kind that is encrypted
};

inline constexpr std::size_t kMaxEncodedKey = std::size_t{64} << 10;

// read_encoded_key takes one DER structure, or one PEM block with nothing but white space around it and a label that
// says what is inside. Errors: kLimitExceeded above kMaxEncodedKey; kInvalidArgument for PEM of another kind;
// kMalformed.
Result<EncodedKey> read_encoded_key(ByteView pem_or_der);

}  // namespace millrace
