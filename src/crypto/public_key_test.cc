#include "crypto/public_key.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <functional>
#include <thread>

#include "crypto/public_key_testing.h"

namespace millrace {
namespace {

using testing::Bytes;
using testing::der;
using testing::from_hex;
using testing::join;
using testing::read_vector;

constexpr KeyAlgorithm kCurves[] = {KeyAlgorithm::kP256, KeyAlgorithm::kP384, KeyAlgorithm::kP521};

const PrivateKey& rsa_key() {
  static const PrivateKey key = *PrivateKey::generate(KeyAlgorithm::kRsa);
  return key;
}

Bytes to_bytes(std::string_view text) { return {as_bytes(text).begin(), as_bytes(text).end()}; }

// Keys that only OpenSSL itself would make, written by it.
class Foreign {
 public:
  explicit Foreign(EVP_PKEY* key) : key_(key) { testing::oracle_check(key != nullptr); }
  ~Foreign() { EVP_PKEY_free(key_); }
  Foreign(const Foreign&) = delete;
  Foreign& operator=(const Foreign&) = delete;

  Bytes public_pem() const {
    return write([&](BIO* out) { return PEM_write_bio_PUBKEY(out, key_); });
  }
  Bytes public_der() const {
    return write([&](BIO* out) { return i2d_PUBKEY_bio(out, key_); });
  }
  Bytes pkcs8_pem(const EVP_CIPHER* cipher = nullptr) const {
    return write([&](BIO* out) { return PEM_write_bio_PKCS8PrivateKey(out, key_, cipher, "secret", 6, {}, {}); });
  }
  Bytes pkcs8_der(const EVP_CIPHER* cipher = nullptr) const {
    return write([&](BIO* out) { return i2d_PKCS8PrivateKey_bio(out, key_, cipher, "secret", 6, {}, {}); });
  }
  Bytes traditional_pem(const EVP_CIPHER* cipher = nullptr) const {
    const auto* word = reinterpret_cast<const unsigned char*>("secret");
    return write([&](BIO* out) {
      return PEM_write_bio_PrivateKey_traditional(out, key_, cipher, cipher == nullptr ? nullptr : word, 6, {}, {});
    });
  }
  Bytes traditional_der() const {
    return write([&](BIO* out) { return i2d_PrivateKey_bio(out, key_); });
  }

 private:
  static Bytes write(const std::function<int(BIO*)>& writer) {
    BIO* const out = BIO_new(BIO_s_mem());
    testing::oracle_check(writer(out) == 1);
    char* text = nullptr;
    const long size = BIO_get_mem_data(out, &text);
    Bytes bytes = to_bytes({text, static_cast<std::size_t>(size)});
    BIO_free(out);
    return bytes;
  }
  EVP_PKEY* key_;
};

Bytes integer(const Bytes& digits) {
  const bool high = (digits.front() & std::byte{0x80}) != std::byte{0};
  return der(0x02, join({from_hex(high ? "00" : ""), digits}));
}

// An RSA public key of any two numbers: SPKI around RSAPublicKey.
Bytes rsa_spki(const Bytes& modulus, const Bytes& exponent) {
  const Bytes numbers = der(0x30, join({integer(modulus), integer(exponent)}));
  return der(0x30,
             join({der(0x30, from_hex("06092a864886f70d0101010500")), der(0x03, join({from_hex("00"), numbers}))}));
}

Bytes odd_modulus(std::size_t bits) {
  Bytes modulus((bits + 7) / 8, std::byte{0x5b});
  modulus.front() = std::byte{1} << static_cast<int>((bits - 1) % 8);
  return modulus;
}

Error public_error(ByteView key) {
  const Result<PublicKey> result = PublicKey::parse(key);
  return result ? Error{ErrorCode::kIo, "accepted"} : result.error();
}
Error private_error(ByteView key) {
  const Result<PrivateKey> result = PrivateKey::parse(key);
  return result ? Error{ErrorCode::kIo, "accepted"} : result.error();
}

TEST(PublicKey, GeneratedKeysAreReadBackFromTheirPem) {
  constexpr const char* kNames[] = {"rsa:2048", "ec:secp256r1", "ec:secp384r1", "ec:secp521r1"};
  constexpr unsigned kBits[] = {2048, 256, 384, 521};
  for (int i = 0; i < 4; ++i) {
    const auto algorithm = static_cast<KeyAlgorithm>(i);
    const PrivateKey key =
        i == 0 ? PrivateKey::parse(rsa_key().pem()->reveal()).operator*() : *PrivateKey::generate(algorithm);
    EXPECT_EQ(key.algorithm(), algorithm);
    EXPECT_EQ(key.bits(), kBits[i]);
    EXPECT_EQ(key.public_key().bits(), kBits[i]);
    EXPECT_EQ(key.public_key().name(), kNames[i]);
    const Result<SecretBytes> pem = key.pem();
    ASSERT_TRUE(pem);
    EXPECT_TRUE(as_text(pem->reveal()).starts_with("-----BEGIN PRIVATE KEY-----\n"));
    const Result<PrivateKey> again = PrivateKey::parse(pem->reveal());
    ASSERT_TRUE(again);
    EXPECT_TRUE(testing::equal(again->pem()->reveal(), pem->reveal()));
    const std::string public_pem = key.public_key().pem();
    EXPECT_TRUE(public_pem.starts_with("-----BEGIN PUBLIC KEY-----\n"));
    EXPECT_EQ(PublicKey::parse(as_bytes(public_pem))->pem(), public_pem);
  }
  EXPECT_EQ(PrivateKey::generate(KeyAlgorithm::kRsa, 1024).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(PrivateKey::generate(KeyAlgorithm::kRsa, 2056).error().code, ErrorCode::kInvalidArgument);
}

TEST(PublicKey, EveryFormOfAPrivateKeyIsRead) {
  for (const bool rsa : {true, false}) {
    const Foreign key(rsa ? EVP_RSA_gen(2048) : EVP_EC_gen("P-256"));
    for (const Bytes& form : {key.pkcs8_pem(), key.pkcs8_der(), key.traditional_pem(), key.traditional_der()}) {
      const Result<PrivateKey> read = PrivateKey::parse(form);
      ASSERT_TRUE(read) << describe(read.error());
      EXPECT_EQ(read->public_key().pem(), as_text(key.public_pem()));
    }
    EXPECT_EQ(PublicKey::parse(key.public_der())->pem(), as_text(key.public_pem()));
  }
}

TEST(PublicKey, WhiteSpaceAroundPemAndOtherLineEndsAreTaken) {
  std::string pem = rsa_key().public_key().pem();
  EXPECT_TRUE(PublicKey::parse(as_bytes(" \r\n\t" + pem + "\n\n ")));
  EXPECT_TRUE(PublicKey::parse(as_bytes(std::string_view(pem).substr(0, pem.size() - 1))));
  std::string crlf;
  for (const char c : pem) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(PublicKey::parse(as_bytes(crlf))->pem(), pem);
}

TEST(PublicKey, AnythingElseAroundAKeyIsRefused) {
  const std::string pem = rsa_key().public_key().pem();
  for (const std::string& bad :
       {"text\n" + pem, pem + "text", pem + pem, pem + std::string(1, '\0'), pem.substr(0, pem.size() - 2),
        std::string("-----BEGIN PUBLIC KEY-----"), std::string("-----BEGIN PUBLIC KEY----------END PUBLIC KEY-----"),
        std::string(), std::string("-----BEGIN "), std::string("hello")}) {
    EXPECT_EQ(public_error(as_bytes(bad)).code, ErrorCode::kMalformed) << bad;
    EXPECT_EQ(private_error(as_bytes(bad)).code, ErrorCode::kMalformed) << bad;
  }
  const Foreign key(EVP_EC_gen("P-256"));
  for (const Bytes& form : {key.pkcs8_der(), key.traditional_der(), key.public_der()}) {
    const Bytes longer = join({form, from_hex("00")});
    EXPECT_EQ(public_error(longer).code, ErrorCode::kMalformed);
    EXPECT_EQ(private_error(longer).code, ErrorCode::kMalformed);
  }
}

TEST(PublicKey, EveryTruncationIsRefused) {
  const Foreign key(EVP_EC_gen("P-256"));
  for (const Bytes& form :
       {key.public_der(), key.pkcs8_der(), key.traditional_der(), key.public_pem(), key.pkcs8_pem()}) {
    for (std::size_t n = 0; n + 1 < form.size(); ++n) {  // a PEM may lose its last line end
      ASSERT_EQ(public_error(ByteView(form).first(n)).code, ErrorCode::kMalformed) << n;
      ASSERT_EQ(private_error(ByteView(form).first(n)).code, ErrorCode::kMalformed) << n;
    }
  }
}

TEST(PublicKey, NoFlippedBitGivesAnotherCurveKey) {
  const Foreign key(EVP_EC_gen("P-256"));
  Bytes spki = key.public_der();
  for (std::size_t bit = 0; bit < 8 * spki.size(); ++bit) {
    spki[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8);
    EXPECT_FALSE(PublicKey::parse(spki)) << bit;
    spki[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8);
  }
  for (Bytes form : {key.pkcs8_der(), key.traditional_der()}) {
    std::size_t refused = 0;
    for (std::size_t bit = 0; bit < 8 * form.size(); ++bit) {
      form[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8);
      const Result<PrivateKey> read = PrivateKey::parse(form);
      refused += !read;
      if (read) {
        EXPECT_EQ(read->public_key().pem(), as_text(key.public_pem())) << bit;
      }
      form[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8);
    }
    EXPECT_GE(refused, 8U * (32 + 65));  // every bit of the scalar and of the point
  }
}

TEST(PublicKey, BrokenPemIsRefused) {
  const std::string pem = rsa_key().public_key().pem();
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string out = pem;
    out.replace(out.find(from), from.size(), to);
    return public_error(as_bytes(out)).code;
  };
  const std::string digits = pem.substr(40, 4);
  EXPECT_EQ(with(digits, "A=AA"), ErrorCode::kMalformed);
  EXPECT_EQ(with(digits, "AAA"), ErrorCode::kMalformed);
  EXPECT_EQ(with(digits, "AAAA===="), ErrorCode::kMalformed);
  EXPECT_EQ(with(digits, "A-AA"), ErrorCode::kMalformed);
  EXPECT_EQ(with("END PUBLIC KEY", "END CERTIFICATE"), ErrorCode::kMalformed);
  EXPECT_EQ(with("\n", "\nProc-Type: 4,CLEAR\n\n"), ErrorCode::kMalformed);
  // A label that does not say what is inside, and labels of things that are not read.
  const auto labelled = [&](const std::string& label) {
    std::string out = pem;
    for (const std::string_view edge : {"BEGIN ", "END "})
      out.replace(out.find(std::string(edge) + "PUBLIC KEY") + edge.size(), 10, label);
    return as_bytes(out).size() > 0 ? public_error(as_bytes(out)).code : ErrorCode::kIo;
  };
  EXPECT_EQ(labelled("CERTIFICATE"), ErrorCode::kMalformed);
  EXPECT_EQ(labelled("PRIVATE KEY"), ErrorCode::kMalformed);
  EXPECT_EQ(labelled("RSA PUBLIC KEY"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(labelled("OPENSSH PRIVATE KEY"), ErrorCode::kInvalidArgument);
}

TEST(PublicKey, SizeIsLimited) {
  const std::string pem = rsa_key().public_key().pem();
  const std::string largest = pem + std::string(65536 - pem.size(), '\n');
  EXPECT_TRUE(PublicKey::parse(as_bytes(largest)));
  EXPECT_EQ(public_error(as_bytes(largest + '\n')).code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(private_error(Bytes(65537)).code, ErrorCode::kLimitExceeded);
  // The largest DER there may be, of one number.
  EXPECT_EQ(public_error(rsa_spki(odd_modulus(8 * 65000), from_hex("010001"))).code, ErrorCode::kInvalidArgument);
}

TEST(PublicKey, EncryptedKeysAreNamedAndNobodyIsAsked) {
  const Foreign key(EVP_EC_gen("P-256"));
  for (const Bytes& form :
       {key.pkcs8_pem(EVP_aes_256_cbc()), key.pkcs8_der(EVP_aes_256_cbc()), key.traditional_pem(EVP_aes_256_cbc())}) {
    EXPECT_EQ(private_error(form).code, ErrorCode::kInvalidArgument);
    EXPECT_NE(private_error(form).where.find("encrypted"), std::string_view::npos);
    EXPECT_EQ(public_error(form).code, ErrorCode::kInvalidArgument);
  }
}

TEST(PublicKey, TheOtherHalfIsRefused) {
  const Foreign key(EVP_EC_gen("P-256"));
  EXPECT_EQ(public_error(key.pkcs8_pem()).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(public_error(key.traditional_der()).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(private_error(key.public_pem()).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(private_error(key.public_der()).code, ErrorCode::kInvalidArgument);
}

EVP_PKEY* generate(const char* type, const std::function<bool(EVP_PKEY_CTX*)>& choose) {
  EVP_PKEY_CTX* const ctx = EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr);
  EVP_PKEY* key = nullptr;
  testing::oracle_check(EVP_PKEY_keygen_init(ctx) == 1 && choose(ctx) && EVP_PKEY_generate(ctx, &key) == 1);
  EVP_PKEY_CTX_free(ctx);
  return key;
}

TEST(PublicKey, OtherKindsOfKeysAreRefused) {
  const Foreign keys[] = {
      Foreign(EVP_EC_gen("secp256k1")),
      Foreign(EVP_EC_gen("P-224")),
      Foreign(EVP_EC_gen("brainpoolP256r1")),
      Foreign(generate("EC",
                       [](EVP_PKEY_CTX* ctx) {
                         return EVP_PKEY_CTX_set_group_name(ctx, "P-256") == 1 &&
                                EVP_PKEY_CTX_set_ec_param_enc(ctx, OPENSSL_EC_EXPLICIT_CURVE) == 1;
                       })),
      Foreign(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")),
      Foreign(EVP_PKEY_Q_keygen(nullptr, nullptr, "X25519")),
      Foreign(generate("RSA-PSS", [](EVP_PKEY_CTX* ctx) { return EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, 2048) == 1; })),
      Foreign(EVP_RSA_gen(1024))};
  for (const Foreign& key : keys) {
    SCOPED_TRACE(as_text(key.public_pem()));
    EXPECT_EQ(public_error(key.public_pem()).code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(public_error(key.public_der()).code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(private_error(key.pkcs8_pem()).code, ErrorCode::kInvalidArgument);
  }
  for (const Foreign* key : {&keys[0], &keys[3], &keys[7]})
    EXPECT_EQ(private_error(key->traditional_der()).code, ErrorCode::kInvalidArgument);
  // An algorithm that this OpenSSL has never heard of (ML-KEM-768).
  EXPECT_EQ(public_error(der(0x30, join({der(0x30, from_hex("0609608648016503040402")), der(0x03, Bytes(1185))}))).code,
            ErrorCode::kInvalidArgument);
}

TEST(PublicKey, RsaNumbersAreBounded) {
  const auto refused = [](const Bytes& modulus, const Bytes& exponent) {
    return public_error(rsa_spki(modulus, exponent)).code == ErrorCode::kInvalidArgument;
  };
  const Bytes f4 = from_hex("010001");
  EXPECT_TRUE(refused(odd_modulus(2047), f4));
  EXPECT_TRUE(PublicKey::parse(rsa_spki(odd_modulus(2048), f4)));
  EXPECT_TRUE(PublicKey::parse(rsa_spki(odd_modulus(8192), f4)));
  EXPECT_TRUE(refused(odd_modulus(8193), f4));
  Bytes even = odd_modulus(2048);
  even.back() = std::byte{2};
  EXPECT_TRUE(refused(even, f4));
  for (const char* const exponent : {"00", "01", "02", "010000", "010000000000000001"})
    EXPECT_TRUE(refused(odd_modulus(2048), from_hex(exponent))) << exponent;
  for (const char* const exponent : {"03", "ffffffffffffffff"})
    EXPECT_TRUE(PublicKey::parse(rsa_spki(odd_modulus(2048), from_hex(exponent)))) << exponent;
}

TEST(PublicKey, PointsThatAreNotOnTheCurveAreRefused) {
  struct Curve {
    const char* name;
    std::size_t field_size;
  };
  for (const Curve& curve : {Curve{"P-256", 32}, Curve{"P-384", 48}, Curve{"P-521", 66}}) {
    const Foreign key(EVP_EC_gen(curve.name));
    Bytes spki = key.public_der();
    // The hybrid form of the same point, with either sign of y.
    const std::size_t form = spki.size() - 1 - 2 * curve.field_size;
    for (const std::byte hybrid : {std::byte{6}, std::byte{7}}) {
      spki[form] = hybrid;
      EXPECT_EQ(public_error(spki).where, "key: point");
    }
    spki[form] = std::byte{4};
    spki.back() ^= std::byte{1};
    EXPECT_EQ(public_error(spki).code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(public_error(spki).where, "key: point");
  }
}

TEST(PrivateKey, HalvesOfTwoKeysAreRefused) {
  // EC: the point of one key behind the scalar of another.
  const Foreign a(EVP_EC_gen("P-256"));
  const Foreign b(EVP_EC_gen("P-256"));
  Bytes mixed = a.traditional_der();
  const Bytes other = b.traditional_der();
  ASSERT_EQ(mixed.size(), other.size());
  std::copy(other.end() - 64, other.end(), mixed.end() - 64);
  EXPECT_EQ(private_error(mixed).code, ErrorCode::kInvalidArgument);
  // RSA: the modulus of one key (at byte 12) with the rest of another.
  const Foreign c(EVP_RSA_gen(2048));
  const Foreign d(EVP_RSA_gen(2048));
  mixed = c.traditional_der();
  const Bytes other_rsa = d.traditional_der();
  std::copy_n(other_rsa.begin() + 12, 256, mixed.begin() + 12);
  EXPECT_EQ(private_error(mixed).code, ErrorCode::kInvalidArgument);
}

TEST(PrivateKey, RsaNumbersLongerThanTheModulusAreRefused) {
  const Bytes one = from_hex("020101");
  const Bytes huge = integer(odd_modulus(8 * 20000));
  const Bytes modulus = integer(odd_modulus(2048));
  const Bytes f4 = from_hex("0203010001");
  const Bytes version = from_hex("020100");
  const Bytes key = der(0x30, join({version, modulus, f4, one, huge, one, one, one, one}));
  EXPECT_EQ(private_error(key).code, ErrorCode::kInvalidArgument);
}

TEST(PrivateKey, StructuresAreReadToTheirLastByte) {
  const Bytes version = from_hex("020101");
  const Bytes scalar = der(0x04, Bytes(32, std::byte{5}));
  const Bytes p256 = der(0xa0, from_hex("06082a8648ce3d030107"));
  const Bytes p384 = der(0xa0, from_hex("06052b81040022"));
  const Bytes null = from_hex("0500");
  const auto sec1_error = [](std::initializer_list<ByteView> parts) { return private_error(der(0x30, join(parts))); };
  const std::string_view accepted = "accepted";
  EXPECT_EQ(sec1_error({version, scalar, p256}).where, accepted);
  EXPECT_EQ(sec1_error({version, scalar}).code, ErrorCode::kInvalidArgument);  // which curve?
  EXPECT_EQ(sec1_error({version, scalar, p256, null}).code, ErrorCode::kMalformed);
  EXPECT_EQ(sec1_error({from_hex("020102"), scalar, p256}).code, ErrorCode::kMalformed);
  EXPECT_EQ(sec1_error({version, scalar, p256, der(0xa1, from_hex("030200"))}).code, ErrorCode::kMalformed);
  EXPECT_EQ(sec1_error({version, scalar, p256, der(0xa1, from_hex("03020000"))}).code, ErrorCode::kInvalidArgument);
  // The scalar: empty, zero, not below the order, longer than the field; leading zeros may be missing.
  EXPECT_EQ(sec1_error({version, der(0x04, {}), p256}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(sec1_error({version, der(0x04, Bytes(32)), p256}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(sec1_error({version, der(0x04, Bytes(32, std::byte{0xff})), p256}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(sec1_error({version, der(0x04, Bytes(33)), p256}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(sec1_error({version, der(0x04, Bytes(1, std::byte{5})), p256}).where, accepted);

  // PKCS#8 around it: with or without the curve inside, attributes behind it, but not two curves.
  const Bytes algorithm = der(0x30, from_hex("06072a8648ce3d020106082a8648ce3d030107"));
  const auto pkcs8_error = [&](const Bytes& inside, const Bytes& behind) {
    return private_error(der(0x30, join({from_hex("020100"), algorithm, der(0x04, inside), behind})));
  };
  const Bytes bare = der(0x30, join({version, scalar}));
  EXPECT_EQ(pkcs8_error(bare, {}).where, accepted);
  EXPECT_EQ(pkcs8_error(bare, from_hex("a000")).where, accepted);
  EXPECT_EQ(pkcs8_error(bare, null).code, ErrorCode::kMalformed);
  EXPECT_EQ(pkcs8_error(der(0x30, join({version, scalar, p256})), {}).where, accepted);
  EXPECT_EQ(pkcs8_error(der(0x30, join({version, scalar, p384})), {}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(pkcs8_error({}, {}).code, ErrorCode::kMalformed);

  // RSA: a number missing, one too many, more than two primes, and the parameter that must be NULL.
  Bytes rsa = Foreign(EVP_RSA_gen(2048)).traditional_der();
  const ByteView numbers = ByteView(rsa).subspan(4);
  EXPECT_EQ(private_error(der(0x30, numbers)).where, accepted);
  EXPECT_EQ(private_error(der(0x30, join({numbers, version}))).code, ErrorCode::kMalformed);
  const auto rsa_pkcs8_error = [&](const char* parameter) {
    const Bytes id = der(0x30, join({from_hex("06092a864886f70d010101"), from_hex(parameter)}));
    return private_error(der(0x30, join({from_hex("020100"), id, der(0x04, rsa)})));
  };
  EXPECT_EQ(rsa_pkcs8_error("0500").where, accepted);
  EXPECT_EQ(rsa_pkcs8_error("").code, ErrorCode::kMalformed);
  rsa[6] = std::byte{1};
  EXPECT_EQ(private_error(rsa).code, ErrorCode::kInvalidArgument);
}

TEST(RsaOaep, OpensWhatItSealedUpToTheLargestMessage) {
  testing::Random random(1);
  const PublicKey half = rsa_key().public_key();
  for (const std::size_t size : {0U, 1U, 32U, 213U, 214U}) {
    const Bytes message = random.bytes(size);
    const Result<std::vector<std::byte>> sealed = half.oaep_encrypt(message);
    ASSERT_TRUE(sealed);
    EXPECT_EQ(sealed->size(), 256U);
    const Result<SecretBytes> opened = rsa_key().oaep_decrypt(*sealed);
    ASSERT_TRUE(opened);
    EXPECT_TRUE(testing::equal(opened->reveal(), message));
    EXPECT_NE(*sealed, *half.oaep_encrypt(message));
  }
  EXPECT_EQ(half.oaep_encrypt(Bytes(215)).error().code, ErrorCode::kInvalidArgument);
}

TEST(RsaOaep, EveryFailureLooksTheSame) {
  const PrivateKey other = *PrivateKey::generate(KeyAlgorithm::kRsa);
  Bytes sealed = *rsa_key().public_key().oaep_encrypt(Bytes(32, std::byte{7}));
  std::vector<Result<SecretBytes>> results;
  results.push_back(other.oaep_decrypt(sealed));
  results.push_back(rsa_key().oaep_decrypt({}));
  results.push_back(rsa_key().oaep_decrypt(ByteView(sealed).first(255)));
  results.push_back(rsa_key().oaep_decrypt(join({sealed, from_hex("00")})));
  results.push_back(rsa_key().oaep_decrypt(join({from_hex("00"), sealed})));
  results.push_back(rsa_key().oaep_decrypt(Bytes(256)));
  results.push_back(rsa_key().oaep_decrypt(Bytes(256, std::byte{0xff})));
  for (std::size_t at = 0; at < sealed.size(); at += 15) {
    sealed[at] ^= std::byte{1};
    results.push_back(rsa_key().oaep_decrypt(sealed));
    sealed[at] ^= std::byte{1};
  }
  EXPECT_TRUE(rsa_key().oaep_decrypt(sealed));
  // A leading zero is part of the ciphertext, although the number is the same without it.
  while (sealed[0] != std::byte{0}) sealed = *rsa_key().public_key().oaep_encrypt(Bytes(32));
  EXPECT_TRUE(rsa_key().oaep_decrypt(sealed));
  results.push_back(rsa_key().oaep_decrypt(ByteView(sealed).subspan(1)));
  for (const auto& result : results) {
    ASSERT_FALSE(result);
    EXPECT_EQ(describe(result.error()), describe({ErrorCode::kNotAuthentic, "RSA-OAEP"}));
  }
}

TEST(Rs256, OnlyTheRightSignatureIsVerified) {
  const PublicKey half = rsa_key().public_key();
  Bytes signature = *rsa_key().sign_rs256(as_bytes("message"));
  EXPECT_TRUE(half.verify_rs256(as_bytes("message"), signature));
  EXPECT_TRUE(half.verify_rs256({}, *rsa_key().sign_rs256({})));
  const auto refused = [](const Status& status) { return !status && status.error().code == ErrorCode::kNotAuthentic; };
  EXPECT_TRUE(refused(half.verify_rs256(as_bytes("messagf"), signature)));
  EXPECT_TRUE(refused(half.verify_rs256(as_bytes("message"), ByteView(signature).first(255))));
  EXPECT_TRUE(refused(half.verify_rs256(as_bytes("message"), join({from_hex("00"), signature}))));
  EXPECT_TRUE(refused(half.verify_rs256(as_bytes("message"), {})));
  EXPECT_TRUE(
      refused(PrivateKey::generate(KeyAlgorithm::kRsa)->public_key().verify_rs256(as_bytes("message"), signature)));
  for (std::size_t at = 0; at < signature.size(); at += 15) {
    signature[at] ^= std::byte{0x80};
    EXPECT_TRUE(refused(half.verify_rs256(as_bytes("message"), signature)));
    signature[at] ^= std::byte{0x80};
  }
}

TEST(Ecdh, BothSidesAgreeAndOtherCurvesAreRefused) {
  for (const KeyAlgorithm curve : kCurves) {
    const PrivateKey a = *PrivateKey::generate(curve);
    const PrivateKey b = *PrivateKey::generate(curve);
    const Result<SecretBytes> ab = a.ecdh(b.public_key());
    ASSERT_TRUE(ab);
    EXPECT_TRUE(testing::equal(ab->reveal(), b.ecdh(a.public_key())->reveal()));
    EXPECT_EQ(ab->size(), curve == KeyAlgorithm::kP256 ? 32U : curve == KeyAlgorithm::kP384 ? 48U : 66U);
    for (const KeyAlgorithm other : kCurves) {
      const PublicKey peer = PrivateKey::generate(other)->public_key();
      EXPECT_EQ(a.ecdh(peer).has_value(), other == curve);
    }
    EXPECT_EQ(a.ecdh(PrivateKey::generate(curve == KeyAlgorithm::kP256 ? KeyAlgorithm::kP384 : KeyAlgorithm::kP256)
                         ->public_key())
                  .error()
                  .code,
              ErrorCode::kInvalidArgument);
    EXPECT_EQ(a.ecdh(rsa_key().public_key()).error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(rsa_key().ecdh(a.public_key()).error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(PublicKey, CurveKeysDoNotEncryptOrSign) {
  const PrivateKey key = *PrivateKey::generate(KeyAlgorithm::kP256);
  EXPECT_EQ(key.public_key().oaep_encrypt({}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(key.oaep_decrypt({}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(key.sign_rs256({}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(key.public_key().verify_rs256({}, {}).error().code, ErrorCode::kInvalidArgument);
}

TEST(PublicKey, OpensslErrorsOfTheProgramStayAndOursDoNot) {
  ERR_clear_error();
  const Bytes spki = Foreign(EVP_EC_gen("secp256k1")).public_der();
  EXPECT_FALSE(PublicKey::parse(spki));
  EXPECT_FALSE(PrivateKey::parse(as_bytes("-----BEGIN PRIVATE KEY-----\nMAAA\n-----END PRIVATE KEY-----")));
  EXPECT_FALSE(rsa_key().oaep_decrypt(Bytes(256)));
  EXPECT_FALSE(rsa_key().public_key().verify_rs256({}, {}));
  EXPECT_EQ(ERR_peek_error(), 0U);
  ERR_raise(ERR_LIB_USER, 1);
  const unsigned long own = ERR_peek_last_error();
  EXPECT_FALSE(PublicKey::parse(spki));
  EXPECT_FALSE(rsa_key().oaep_decrypt(Bytes(256)));
  EXPECT_EQ(ERR_peek_last_error(), own);
  EXPECT_EQ(ERR_get_error(), own);
  EXPECT_EQ(ERR_peek_error(), 0U);
}

TEST(PublicKey, OneKeyServesManyThreads) {
  const PrivateKey ec = *PrivateKey::generate(KeyAlgorithm::kP256);
  const PublicKey half = rsa_key().public_key();
  std::vector<int> bad(8);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < bad.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const Bytes message(32, static_cast<std::byte>(16 * t));
        bad[t] += !testing::equal(rsa_key().oaep_decrypt(*half.oaep_encrypt(message))->reveal(), message);
        bad[t] += !half.verify_rs256(message, *rsa_key().sign_rs256(message));
        bad[t] += ec.ecdh(ec.public_key())->size() != 32;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(bad, std::vector<int>(bad.size()));
}

}  // namespace
}  // namespace millrace
