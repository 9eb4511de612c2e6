// Public keys against answers from outside: Wycheproof, the OpenTDF projects' keys, RFC 7515.
#include <map>

#include "crypto/public_key_testing.h"

namespace millrace {
namespace {

using testing::Bytes;
using testing::from_hex;
using testing::read_vector;
using testing::sec1;

bool has_flag(const nlohmann::json& test, std::string_view flag) {
  for (const auto& f : test["flags"]) {
    if (f.get<std::string>() == flag) return true;
  }
  return false;
}

// Wycheproof leaves "acceptable" rows to the library. Ours:
//   CompressedPoint  taken, as RFC 5480 allows it
//   InvalidAsn       refused: DER has one encoding of each key
//   UnnamedCurve     refused, whatever the parameters say: a curve is known by its name
bool is_taken(const nlohmann::json& test) {
  return test["result"] == "valid" || (test["result"] == "acceptable" && has_flag(test, "CompressedPoint"));
}

void run_ecdh(const std::string& file, KeyAlgorithm curve, std::size_t rows, std::size_t taken_rows) {
  std::size_t count = 0;
  std::size_t taken = 0;
  std::map<std::string, PrivateKey> own;  // few scalars, many peers
  const nlohmann::json vectors = testing::wycheproof(file);
  for (const auto& group : vectors["testGroups"]) {
    for (const auto& test : group["tests"]) {
      SCOPED_TRACE(test["tcId"].dump() + test["flags"].dump() + test["comment"].dump());
      const auto part = [&](const char* name) { return from_hex(test[name].get<std::string>()); };
      ++count;
      const Result<PublicKey> peer = PublicKey::parse(part("public"));
      if (!peer) {
        EXPECT_FALSE(is_taken(test)) << describe(peer.error());
        continue;
      }
      const auto scalar = test["private"].get<std::string>();
      if (!own.contains(scalar)) own.emplace(scalar, *PrivateKey::parse(sec1(curve, from_hex(scalar))));
      const Result<SecretBytes> shared = own.at(scalar).ecdh(*peer);
      ASSERT_EQ(shared.has_value(), is_taken(test));
      if (!shared) {
        EXPECT_NE(peer->algorithm(), curve);
        EXPECT_EQ(shared.error().code, ErrorCode::kInvalidArgument);
        continue;
      }
      EXPECT_TRUE(testing::equal(shared->reveal(), part("shared")));
      ++taken;
    }
  }
  EXPECT_EQ(count, rows);
  EXPECT_EQ(taken, taken_rows);
}

TEST(EcdhWycheproof, P256) { run_ecdh("ecdh_secp256r1_test.json", KeyAlgorithm::kP256, 612, 331); }
TEST(EcdhWycheproof, P384) { run_ecdh("ecdh_secp384r1_test.json", KeyAlgorithm::kP384, 1047, 772); }
TEST(EcdhWycheproof, P521) { run_ecdh("ecdh_secp521r1_test.json", KeyAlgorithm::kP521, 916, 633); }

TEST(OaepWycheproof, Sha1RowsOpenUnlessTheyHaveALabel) {
  std::map<std::string, std::size_t> counts;
  const nlohmann::json vectors = testing::wycheproof("rsa_oaep_2048_sha1_mgf1sha1_test.json");
  for (const auto& group : vectors["testGroups"]) {
    const Result<PrivateKey> key = PrivateKey::parse(from_hex(group["privateKeyPkcs8"].get<std::string>()));
    ASSERT_TRUE(key);
    for (const auto& test : group["tests"]) {
      SCOPED_TRACE(test["tcId"].dump() + test["comment"].dump());
      const Result<SecretBytes> message = key->oaep_decrypt(from_hex(test["ct"].get<std::string>()));
      const bool labelled = test["label"] != "";
      ASSERT_EQ(message.has_value(), test["result"] == "valid" && !labelled);
      if (message) {
        EXPECT_TRUE(testing::equal(message->reveal(), from_hex(test["msg"].get<std::string>())));
      } else {
        EXPECT_EQ(message.error().code, ErrorCode::kNotAuthentic);
        EXPECT_EQ(message.error().where, "RSA-OAEP");
      }
      ++counts[labelled ? "labelled" : test["result"].get<std::string>()];
    }
  }
  EXPECT_EQ(counts["valid"] + counts["invalid"] + counts["labelled"], 36U);
  EXPECT_GE(counts["valid"], 8U);
}

// The samples' private keys are SEC 1 and PKCS#1.
TEST(OpentdfKeys, PrivateAndPublicFilesBelongTogether) {
  struct Row {
    const char* file;
    const char* name;
  };
  constexpr Row kRows[] = {{"sample-rsa-2048-01", "rsa:2048"},
                           {"sample-rsa-4096-01", "rsa:4096"},
                           {"sample-ec-secp256r1-01", "ec:secp256r1"},
                           {"sample-ec-secp384r1-01", "ec:secp384r1"},
                           {"sample-ec-secp521r1-01", "ec:secp521r1"}};
  for (const auto& [file, name] : kRows) {
    SCOPED_TRACE(file);
    const Bytes text = read_vector(std::string("opentdf/keys/") + file + "-public.pem");
    const Result<PublicKey> half = PublicKey::parse(text);
    ASSERT_TRUE(half) << describe(half.error());
    EXPECT_EQ(half->name(), name);
    EXPECT_EQ(half->pem(), as_text(text));
    const Result<PrivateKey> pair =
        PrivateKey::parse(read_vector(std::string("opentdf/keys/") + file + "-private.der"));
    ASSERT_TRUE(pair) << describe(pair.error());
    EXPECT_EQ(pair->public_key().pem(), as_text(text));
  }
  const Result<PrivateKey> mock = PrivateKey::parse(read_vector("opentdf/keys/legacy-mock-kas-rsa-private.der"));
  ASSERT_TRUE(mock);
  EXPECT_EQ(mock->public_key().name(), "rsa:2048");
}

TEST(OpentdfKeys, CertificateHoldsTheKeyOfItsOwner) {
  const auto file = nlohmann::json::parse(as_text(read_vector("opentdf/keys/golden-r1.extra-keys.json")));
  const std::string certificate = file[0]["cert"].get<std::string>();
  const Result<PublicKey> half = PublicKey::parse(as_bytes(certificate));
  ASSERT_TRUE(half) << describe(half.error());
  const Result<PrivateKey> pair = PrivateKey::parse(read_vector("opentdf/keys/golden-r1-private.der"));
  ASSERT_TRUE(pair);
  EXPECT_EQ(half->pem(), pair->public_key().pem());
}

TEST(OpentdfKats, EcdhOfKasAndEphemeralKey) {
  const auto file = nlohmann::json::parse(as_text(read_vector("opentdf/constructed-kats.json")));
  std::size_t count = 0;
  for (const auto& row : file["ec_wrap"]) {
    SCOPED_TRACE(row["algorithm"].dump());
    const Result<PrivateKey> kas =
        PrivateKey::parse(read_vector("opentdf/keys/" + row["kas_private_key_file"].get<std::string>()));
    ASSERT_TRUE(kas);
    const std::string ephemeral_pem = row["ephemeralPublicKey"].get<std::string>();
    const Result<PublicKey> ephemeral = PublicKey::parse(as_bytes(ephemeral_pem));
    ASSERT_TRUE(ephemeral);
    EXPECT_EQ(ephemeral->name(), row["algorithm"].get<std::string>());
    const Result<PrivateKey> scalar =
        PrivateKey::parse(sec1(kas->algorithm(), from_hex(row["ephemeral_private_scalar"].get<std::string>())));
    ASSERT_TRUE(scalar);
    EXPECT_EQ(scalar->public_key().pem(), ephemeral_pem);
    const Bytes x = from_hex(row["ecdh_x"].get<std::string>());
    EXPECT_TRUE(testing::equal(kas->ecdh(*ephemeral)->reveal(), x));
    EXPECT_TRUE(testing::equal(scalar->ecdh(kas->public_key())->reveal(), x));
    ++count;
  }
  EXPECT_EQ(count, 3U);
}

// RFC 7515, appendix A.2: the example's key as PKCS#1, its signing input and its signature.
constexpr std::string_view kRfc7515Key = R"(-----BEGIN RSA PRIVATE KEY-----
MIIEowIBAAKCAQEAofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd/wWJcyQoTbji9k0l8W26mPddxHmfHQp+Vaw+4qPCJrcS2mJPMEz
P1Pt0Bm4d4QlL+yRT+SFd2lZS+pCgNMsD1W/YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb/7OMg0LOL+bSf63kpaSHSXndS5z5re
xMdbBYUsLA9e+KXBdQOS+UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6/I5IhlJH7aGhyxXFvUK+DWN
moudF8NAco9/h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQIDAQABAoIBABKucaRpzQorw35SbEUAVx8dYXUdZOlJ
cHtiWQ+dC6V8ljxAHj/PLyzTveyI5QO/xkObCyjIL303l2cfUhPu2MFaJdjVzqACXuOrLot/eSFvxjvqVidTtAZExqFRJ9mylUVA
oLvhowVWmC1On95fZCXxTUtxNEG1Xcc7m0rtzJKs45J+N/V9DP1edYH6USyPSWGp6wuA+KgHRnKKVf9GRx80JQY7nVNkL17eHoTW
Ewga+lwi0FEoW9Y7lDtWXYmKBWhUE+U8PGxlJf8f40493HDw1WRQ/aSLoS4QTp3rn7gYgeHEvfJdkkf0UMhlknlo53M09EFPdadQ
4TlUbjqKc50CgYEA4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH/5IB3jw3bcxGn6QLvnEtfdUdiYrqBdss1l58BQ3KhooKeQTa9AB
0Hw/Py5PJdTJNPY8cQn7ouZ2KKDcmnPGBY5t7yLc1QlQ5xHdwW1VhvKn+nXqhJTBgIPgtldC+KDV5z+y2XDwGUcCgYEAuQPEfgmV
tjL0Uyyx88GZFF1fOunH3+7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYsp1ZSe7zFYHj7C6ul7TjeLQeZD/YwD66t62wDmpe/
HlB+TnBA+njbglfIsRLtXlnDzQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdcCgYAHAp9XcCSrn8wVkMVkKdb7DOX4IKjzdahm
+ctDAJN4O/y7OW5FKebvUjdAIt2GuoTZ71iTG+7F0F+lP88jtjP4U4qe7VHoewl4MKOfXZKTe+YCS1XbNvfgwJ3Ltyl1OH9hWvu2
yza7q+d5PCsDzqtm27kxuvULVeya+TEdAB1ijQKBgQCH/3r6YrVH/uCWGy6bzV1nGNOdjKc9tmkfOJmN54dxdixdpozCQ6U4OxZr
sj3FcOhHBsqAHvX2uuYjagqvo3cOj1TRqNocX40omfCCMx3bD1yPPf/6TI2XECva/ggqEY2mYzmIiA5LVVmc5nrybr+lssFKneey
xN2Wq93S0iJMdQKBgCGHewxzoa1r8ZMD0LETNrToK423K377UCYqXfg5XMclbrjPbEC3YI1ZNqMtuhdBJqUnBi6tjKMF+34Xf0CU
N8ncuXGO2CAYvO8PdyCixHX52ybaDjy1FtCE6yUXjoKNXKvUm7MWGsAYH6f4IegOetN5NvmUMFStCSkh7ixZLkN1
-----END RSA PRIVATE KEY-----
)";
constexpr std::string_view kRfc7515Input =
    "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
    "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
constexpr std::string_view kRfc7515Signature =
    "702e218943e88fd11eb5d82dbf7845f34106ae1b81fff7731116add1717d83656d420afd3c96eedd73a2663e5166687b000b8722"
    "6e0187ed1073f945e582adfcef16d85a798ee8c66ddb3db8975b17d09402beedd5d9d97007108db28160d5f8040ca7445762b81f"
    "be7ff9d92e0ae76f24f25b33bbe6f44ae61eb1040acb20044d3ef9128ed40130795bd4bd3b41eecad066ab651981fde48df77f37"
    "2dc38b9fafdd3befb18b5da3cc3c2eb02f9e3a41d612caad15911273a05f23b9e838faaf849d698429ef5a1e88798236c3d40e60"
    "4522a544c8f27a7a2db80663d16cf7caea56de405cb2215a45b2c25566b55ac1a748a070dfc8a32a469543d019eefb47";

TEST(Rs256, Rfc7515ExampleSignature) {
  const Result<PrivateKey> key = PrivateKey::parse(as_bytes(kRfc7515Key));
  ASSERT_TRUE(key) << describe(key.error());
  const Bytes signature = from_hex(kRfc7515Signature);
  EXPECT_EQ(*key->sign_rs256(as_bytes(kRfc7515Input)), signature);
  EXPECT_TRUE(key->public_key().verify_rs256(as_bytes(kRfc7515Input), signature));
}

}  // namespace
}  // namespace millrace
