#include "crypto/private_key_der.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/params.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "crypto/der.h"
#include "crypto/openssl_cipher.h"

namespace millrace {

namespace {

constexpr Error kMalformed{ErrorCode::kMalformed, "key: private key"};

bool equals(ByteView a, ByteView b) { return std::ranges::equal(a, b); }

bool is_object(ByteView object, int nid) {
  const ASN1_OBJECT* const known = OBJ_nid2obj(nid);
  return equals(object, std::as_bytes(std::span(OBJ_get0_data(known), OBJ_length(known))));
}

const CurveName* find_curve(ByteView object) {
  const auto curve = std::ranges::find_if(kCurves, [&](const CurveName& c) { return is_object(object, c.nid); });
  return curve == std::end(kCurves) ? nullptr : curve;
}

Result<Pkey> from_numbers(const char* type, OSSL_PARAM* numbers) {
  const Owned<EVP_PKEY_CTX> ctx(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  if (!ctx || EVP_PKEY_fromdata_init(ctx.get()) != 1 ||
      EVP_PKEY_fromdata(ctx.get(), &key, EVP_PKEY_KEYPAIR, numbers) != 1)
    return Error{ErrorCode::kInvalidArgument, "key: numbers"};
  return Pkey(key);
}

// A number as OSSL_PARAM wants it: in the byte order of the machine.
class NativeNumber {
 public:
  explicit NativeNumber(ByteView digits) : bytes_(SecretBytes::copy_of(digits)) {
    if constexpr (std::endian::native == std::endian::little) std::ranges::reverse(bytes_.fill());
  }
  OSSL_PARAM param(const char* name) {
    return OSSL_PARAM_construct_BN(name, openssl_bytes(bytes_.fill().data()), bytes_.size());
  }

 private:
  SecretBytes bytes_;
};

Result<Pkey> read_rsa(ByteView der) {
  static constexpr const char* kNames[] = {OSSL_PKEY_PARAM_RSA_N,         OSSL_PKEY_PARAM_RSA_E,
                                           OSSL_PKEY_PARAM_RSA_D,         OSSL_PKEY_PARAM_RSA_FACTOR1,
                                           OSSL_PKEY_PARAM_RSA_FACTOR2,   OSSL_PKEY_PARAM_RSA_EXPONENT1,
                                           OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1};
  const std::optional<ByteView> sequence = DerReader(der).take(kDerSequence);
  if (!sequence) return kMalformed;
  DerReader reader(*sequence);
  const std::optional<ByteView> version = reader.take_number();
  if (!version) return kMalformed;
  if (!version->empty()) return Error{ErrorCode::kInvalidArgument, "key: RSA key of more than two primes"};
  std::vector<NativeNumber> numbers;
  std::vector<OSSL_PARAM> params;
  numbers.reserve(std::size(kNames));
  std::size_t modulus_size = 0;
  for (const char* const name : kNames) {
    const std::optional<ByteView> digits = reader.take_number();
    if (!digits) return kMalformed;
    if (numbers.empty()) modulus_size = digits->size();
    if (digits->empty() || digits->size() > modulus_size || modulus_size > kMaxRsaBits / 8)
      return Error{ErrorCode::kInvalidArgument, "key: RSA numbers"};
    params.push_back(numbers.emplace_back(*digits).param(name));
  }
  if (!reader.at_end()) return kMalformed;
  params.push_back(OSSL_PARAM_construct_end());
  return from_numbers("RSA", params.data());
}

// The point that belongs to a scalar, uncompressed; empty for a scalar that has none.
std::vector<std::byte> point_of(const CurveName& curve, ByteView scalar) {
  const Owned<BIGNUM> number(BN_secure_new());
  const Owned<BN_CTX> ctx(BN_CTX_secure_new());
  const Owned<EC_GROUP> group(EC_GROUP_new_by_curve_name(curve.nid));
  if (!number || !ctx || !group) return {};
  const Owned<EC_POINT> point(EC_POINT_new(group.get()));
  std::vector<std::byte> out(1 + 2 * curve.field_size);
  if (!point || BN_bin2bn(openssl_bytes(scalar), static_cast<int>(scalar.size()), number.get()) == nullptr ||
      EC_POINT_mul(group.get(), point.get(), number.get(), nullptr, nullptr, ctx.get()) != 1 ||
      EC_POINT_point2oct(group.get(), point.get(), POINT_CONVERSION_UNCOMPRESSED, openssl_bytes(out.data()), out.size(),
                         ctx.get()) != out.size())
    return {};
  return out;
}

// `curve` is the one that a PKCS#8 around it names; null: ECPrivateKey must name it.
Result<Pkey> read_ec(ByteView der, const CurveName* curve) {
  constexpr std::byte kParameters{0xa0};
  constexpr std::byte kPublicKey{0xa1};
  const std::optional<ByteView> sequence = DerReader(der).take(kDerSequence);
  if (!sequence) return kMalformed;
  DerReader reader(*sequence);
  const std::optional<ByteView> version = reader.take_number();
  const std::optional<ByteView> scalar = reader.take(kDerOctetString);
  if (!version || !scalar || !equals(*version, std::vector{std::byte{1}})) return kMalformed;
  if (const std::optional<ByteView> parameters = reader.take(kParameters)) {
    DerReader inner(*parameters);
    const std::optional<ByteView> object = inner.take(kDerObject);
    const CurveName* const named = object ? find_curve(*object) : nullptr;
    if (named == nullptr || (curve != nullptr && named != curve)) return kOtherCurve;
    if (!inner.at_end()) return kMalformed;
    curve = named;
  }
  if (curve == nullptr) return kOtherCurve;
  // RFC 5915 wants the size of the curve's order; there are keys with leading zeros left out.
  if (scalar->empty() || scalar->size() > curve->field_size)
    return Error{ErrorCode::kInvalidArgument, "key: EC private number"};

  std::vector<std::byte> point;
  if (const std::optional<ByteView> bits = reader.take(kPublicKey)) {
    DerReader inner(*bits);
    const std::optional<ByteView> content = inner.take(kDerBitString);
    if (!content || !inner.at_end() || content->size() < 2 || (*content)[0] != std::byte{0}) return kMalformed;
    point.assign(content->begin() + 1, content->end());
  } else {
    point = point_of(*curve, *scalar);
  }
  if (!reader.at_end()) return kMalformed;
  if (point.empty() || !is_point_form(point[0])) return kNotAPoint;
  NativeNumber number(*scalar);
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, const_cast<char*>(curve->group), 0),
      number.param(OSSL_PKEY_PARAM_PRIV_KEY),
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()),
      OSSL_PARAM_construct_end()};
  return from_numbers("EC", params);
}

Result<Pkey> read_pkcs8(ByteView der) {
  constexpr std::byte kAttributes{0xa0};
  constexpr std::byte kPublicKey{0x81};
  const std::optional<ByteView> sequence = DerReader(der).take(kDerSequence);
  if (!sequence) return kMalformed;
  DerReader reader(*sequence);
  const std::optional<ByteView> version = reader.take_number();
  const std::optional<ByteView> algorithm = reader.take(kDerSequence);
  const std::optional<ByteView> key = reader.take(kDerOctetString);
  if (!version || !algorithm || !key) return kMalformed;
  // Version 0, or 1 with a public key: RFC 5958. Neither of the optional parts says anything that the key does not.
  if (!version->empty() && !equals(*version, std::vector{std::byte{1}})) return kMalformed;
  reader.take(kAttributes);
  reader.take(kPublicKey);
  if (!reader.at_end()) return kMalformed;

  DerReader inner(*algorithm);
  const std::optional<ByteView> object = inner.take(kDerObject);
  if (!object) return kMalformed;
  if (is_object(*object, NID_rsaEncryption)) {
    if (!inner.take(kDerNull) || !inner.at_end()) return kMalformed;
    return read_rsa(*key);
  }
  if (!is_object(*object, NID_X9_62_id_ecPublicKey)) return kOtherKind;
  const std::optional<ByteView> parameter = inner.take(kDerObject);
  const CurveName* const curve = parameter ? find_curve(*parameter) : nullptr;
  if (curve == nullptr) return kOtherCurve;
  if (!inner.at_end()) return kMalformed;
  return read_ec(*key, curve);
}

}  // namespace

Result<Pkey> private_key_from_der(KeyForm form, ByteView der) {
  switch (form) {
    case KeyForm::kPkcs8:
      return read_pkcs8(der);
    case KeyForm::kPkcs1:
      return read_rsa(der);
    case KeyForm::kSec1:
      return read_ec(der, nullptr);
    case KeyForm::kEncryptedPkcs8:
      return Error{ErrorCode::kInvalidArgument, "key: it is encrypted"};
    case KeyForm::kSpki:
    case KeyForm::kCertificate:
      break;
  }
  return Error{ErrorCode::kInvalidArgument, "key: no private key"};
}

}  // namespace millrace
