// Keys as OpenSSL holds them, decoded and checked (internal to this folder). Whatever comes out of here satisfies:
//
//   RSA  rsaEncryption (not RSA-PSS), a modulus of 2048 to 8192 bits and odd, a public exponent that is odd, at least 3
//        and at most 64 bits (OpenSSL's own bound for large moduli; it keeps the public operation cheap)
//   EC   P-256, P-384 or P-521 by name, never by parameters (CVE-2020-0601); a point on the curve, not infinity
//   a private key's halves belong together
//
// Not checked: that a stranger's modulus has two large primes. Nobody can, and whoever chose it reads what is encrypted
// for it anyway.
#pragma once

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>

#include "crypto/key_encoding.h"
#include "crypto/public_key.h"
#include "millrace/result.h"
#include "millrace/secret.h"

namespace millrace {

struct FreeOpenssl {
  void operator()(BIGNUM* n) const { BN_clear_free(n); }
  void operator()(BN_CTX* ctx) const { BN_CTX_free(ctx); }
  void operator()(EC_GROUP* group) const { EC_GROUP_free(group); }
  void operator()(EC_POINT* point) const { EC_POINT_free(point); }
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(EVP_MD_CTX* ctx) const { EVP_MD_CTX_free(ctx); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_PKEY_CTX* ctx) const { EVP_PKEY_CTX_free(ctx); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_PUBKEY* key) const { X509_PUBKEY_free(key); }
};
template <class T>
using Owned = std::unique_ptr<T, FreeOpenssl>;
using Pkey = Owned<EVP_PKEY>;

// ErrorQueueGuard drops what OpenSSL says about failures in its scope and keeps what the program's own calls left.
class ErrorQueueGuard {
 public:
  ErrorQueueGuard() { ERR_set_mark(); }
  ~ErrorQueueGuard() { ERR_pop_to_mark(); }
  ErrorQueueGuard(const ErrorQueueGuard&) = delete;
  ErrorQueueGuard& operator=(const ErrorQueueGuard&) = delete;
};

struct CurveName {
  KeyAlgorithm algorithm;
  int nid;
  const char* group;      // as OpenSSL calls it
  std::string_view name;  // SEC 2
  std::size_t field_size;
};
inline constexpr CurveName kCurves[] = {
    {KeyAlgorithm::kP256, NID_X9_62_prime256v1, SN_X9_62_prime256v1, "secp256r1", 32},
    {KeyAlgorithm::kP384, NID_secp384r1, SN_secp384r1, "secp384r1", 48},
    {KeyAlgorithm::kP521, NID_secp521r1, SN_secp521r1, "secp521r1", 66},
};
// curve_of returns the row of an EC algorithm.
const CurveName& curve_of(KeyAlgorithm algorithm);

inline constexpr unsigned kMinRsaBits = 2048;
inline constexpr unsigned kMaxRsaBits = 8192;

inline constexpr Error kOtherKind{ErrorCode::kInvalidArgument, "key: of another kind"};
inline constexpr Error kOtherCurve{ErrorCode::kInvalidArgument, "key: curve"};
inline constexpr Error kNotAPoint{ErrorCode::kInvalidArgument, "key: point"};

// is_point_form: RFC 5480, section 2.2 has uncompressed and compressed points; OpenSSL would also take the hybrid form.
inline bool is_point_form(std::byte first) { return first >= std::byte{2} && first <= std::byte{4}; }

// An EVP_PKEY that passed the checks. The functions below want an ErrorQueueGuard around them.
struct CheckedKey {
  Pkey key;
  KeyAlgorithm algorithm;
};
// Errors of both: as PublicKey::parse and PrivateKey::parse.
Result<CheckedKey> decode_public_key(const EncodedKey& encoded);
Result<CheckedKey> decode_private_key(const EncodedKey& encoded);
// public_half makes a key that holds nothing private.
Result<Pkey> public_half(const EVP_PKEY* key);

// RSASSA-PKCS1-v1_5 with SHA-256. `signature` has the size of the modulus.
bool sign_rs256(EVP_PKEY* key, ByteView message, ByteSpan signature);
bool verify_rs256(EVP_PKEY* key, ByteView message, ByteView signature);

// Empty when OpenSSL fails.
std::string spki_pem(const EVP_PKEY* key);
SecretBytes pkcs8_pem(const EVP_PKEY* key);

}  // namespace millrace
