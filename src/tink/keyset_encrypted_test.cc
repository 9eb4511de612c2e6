// Encrypted keysets and the AES-GCM key wrapper.
#include <gtest/gtest.h>

#include "tink/keyset_vectors.h"

namespace millrace::tink {
namespace {

struct Vector {
  std::string kek, associated_data, encrypted, cleartext;
  bool json = false;
};

std::vector<Vector> load() {
  std::vector<Vector> out;
  for (const nlohmann::json& v : load_vectors("encrypted_keysets.json")) {
    const auto either = [&](const std::string& name) {
      return v.contains(name + "_json") ? std::string(v.at(name + "_json"))
                                        : from_hex(std::string(v.at(name + "_hex")));
    };
    out.push_back({either("kek"),
                   v.contains("aad_ascii") ? std::string(v.at("aad_ascii")) : from_hex(std::string(v.at("aad_hex"))),
                   either("encrypted"), either("cleartext"), v.contains("encrypted_json")});
    EXPECT_EQ(must_parse(out.back().cleartext).primary_id(), v.at("primary_key_id"));
  }
  return out;
}

AesGcmKeyWrapper wrapper_of(const std::string& kek) { return must(AesGcmKeyWrapper::create(must_parse(kek))); }

// info_position is where keysetInfo begins, the size if there is none.
std::size_t info_position(const Vector& v) {
  if (v.json) return std::min(v.encrypted.find(",\"keysetInfo\""), v.encrypted.size());
  // Field 2 and its length, which takes two bytes in all vectors.
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(v.encrypted[i]); };
  EXPECT_EQ(byte(0), 0x12);
  return 3u + (byte(1) & 0x7f) + 128u * byte(2);
}

constexpr std::string_view kAesGcmUrl = "type.googleapis.com/google.crypto.tink.AesGcmKey";

std::string kek_key(std::uint32_t id, std::string_view prefix, char fill, std::string_view status = "ENABLED") {
  std::string message("\x1a\x10");  // AesGcmKey: field 3, 16 bytes
  message.append(16, fill);
  return key_json(id, status, prefix, kAesGcmUrl, base64_encode(as_bytes(message)));
}

TEST(EncryptedKeyset, VectorsOpenToTheirCleartext) {
  const std::vector<Vector> vectors = load();
  ASSERT_EQ(vectors.size(), 9u);
  for (const Vector& v : vectors) {
    SCOPED_TRACE(v.encrypted.substr(0, 60));
    EXPECT_TRUE(is_encrypted_keyset(as_bytes(v.encrypted)));
    EXPECT_FALSE(is_encrypted_keyset(as_bytes(v.cleartext)));
    EXPECT_FALSE(is_encrypted_keyset(as_bytes(v.kek)));
    EXPECT_FALSE(Keyset::parse(as_bytes(v.encrypted)));
    const Keyset keyset = must(Keyset::unseal(as_bytes(v.encrypted), wrapper_of(v.kek), as_bytes(v.associated_data)));
    const Keyset expected = must_parse(v.cleartext);
    EXPECT_EQ(to_string(keyset.to_binary()), to_string(expected.to_binary()));
    EXPECT_EQ(to_string(keyset.to_json()), to_string(expected.to_json()));
  }
}

TEST(EncryptedKeyset, SealAndUnsealRoundTrip) {
  for (const Vector& v : load()) {
    const Keyset keyset = must_parse(v.cleartext);
    const AesGcmKeyWrapper wrapper = wrapper_of(v.kek);
    for (const Format format : {Format::kJson, Format::kBinary}) {
      const std::vector<std::byte> sealed = must(keyset.seal(wrapper, as_bytes(v.associated_data), format));
      EXPECT_TRUE(is_encrypted_keyset(sealed));
      const Keyset again = must(Keyset::unseal(sealed, wrapper, as_bytes(v.associated_data)));
      EXPECT_EQ(to_string(again.to_binary()), to_string(keyset.to_binary()));
      // The same keyset is never sealed to the same bytes twice.
      EXPECT_NE(sealed, must(keyset.seal(wrapper, as_bytes(v.associated_data), format)));
    }
  }
}

// Beside the ciphertext, what is written is what tink-java writes.
TEST(EncryptedKeyset, IsWrittenAsJavaWritesIt) {
  std::size_t compared = 0;
  for (const Vector& v : load()) {
    const std::vector<std::byte> sealed =
        must(must_parse(v.cleartext).seal(wrapper_of(v.kek), {}, v.json ? Format::kJson : Format::kBinary));
    const std::string ours = to_string(sealed);
    if (v.json) {
      const std::size_t info = info_position(v);
      if (info == v.encrypted.size()) continue;  // written by another library
      EXPECT_EQ(ours.size(), v.encrypted.size() + 1);
      EXPECT_EQ(ours.substr(0, 20), v.encrypted.substr(0, 20));
      EXPECT_EQ(ours.substr(info), v.encrypted.substr(info) + "\n");
    } else {
      EXPECT_LE(ours.size(), v.encrypted.size());  // one vector carries keysetInfo in binary, which no writer does
      EXPECT_EQ(ours.substr(0, 3), v.encrypted.substr(0, 3));
    }
    ++compared;
  }
  EXPECT_EQ(compared, 8u);
}

TEST(EncryptedKeyset, WrongKeyAndWrongAssociatedDataAreNotAuthentic) {
  const Keyset other_kek = must(Keyset::generate_key_encryption());
  const AesGcmKeyWrapper other = must(AesGcmKeyWrapper::create(other_kek));
  for (const Vector& v : load()) {
    const AesGcmKeyWrapper wrapper = wrapper_of(v.kek);
    constexpr std::string_view kWhere = "encrypted keyset: key-encryption key";
    expect_refused(Keyset::unseal(as_bytes(v.encrypted), other, as_bytes(v.associated_data)), ErrorCode::kNotAuthentic,
                   kWhere);
    expect_refused(Keyset::unseal(as_bytes(v.encrypted), wrapper, as_bytes(v.associated_data + "x")),
                   ErrorCode::kNotAuthentic, kWhere);
    if (!v.associated_data.empty())
      expect_refused(Keyset::unseal(as_bytes(v.encrypted), wrapper), ErrorCode::kNotAuthentic, kWhere);
  }
}

TEST(EncryptedKeyset, EveryTruncationIsRefused) {
  for (const Vector& v : load()) {
    const AesGcmKeyWrapper wrapper = wrapper_of(v.kek);
    const std::size_t info = info_position(v);
    for (std::size_t n = 0; n < v.encrypted.size(); ++n) {
      const Result<Keyset> keyset =
          Keyset::unseal(as_bytes(std::string_view(v.encrypted).substr(0, n)), wrapper, as_bytes(v.associated_data));
      // Where the description begins, the ciphertext is whole.
      ASSERT_EQ(keyset.has_value(), !v.json && n == info) << n << " of " << v.encrypted.size();
    }
  }
}

TEST(EncryptedKeyset, EveryFlippedBitOfTheCiphertextIsRefused) {
  for (const Vector& v : load()) {
    SCOPED_TRACE(v.encrypted.substr(0, 40));
    const AesGcmKeyWrapper wrapper = wrapper_of(v.kek);
    // Without keysetInfo, which nobody authenticates.
    std::string plain_form = v.encrypted.substr(0, info_position(v));
    if (v.json && plain_form.size() != v.encrypted.size()) plain_form += "}";
    ASSERT_TRUE(Keyset::unseal(as_bytes(plain_form), wrapper, as_bytes(v.associated_data)));
    for (std::size_t bit = 0; bit < plain_form.size() * 8; ++bit) {
      std::string bad = plain_form;
      bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
      ASSERT_FALSE(Keyset::unseal(as_bytes(bad), wrapper, as_bytes(v.associated_data))) << bit;
    }
  }
}

TEST(EncryptedKeyset, ErrorsComeInUpstreamsOrder) {
  const AesGcmKeyWrapper wrapper = must(AesGcmKeyWrapper::create(must(Keyset::generate_key_encryption())));
  const auto seal = [&](std::string_view cleartext) {
    const std::string text = base64_encode(must(wrapper.wrap(as_bytes(cleartext), {})));
    return "{\"encryptedKeyset\":\"" + text + "\"}";
  };
  expect_refused(Keyset::unseal(as_bytes(seal("")), wrapper), ErrorCode::kMalformed, "keyset: no keys");
  expect_refused(Keyset::unseal(as_bytes(seal("\xff")), wrapper), ErrorCode::kMalformed, "keyset: binary form");
  expect_refused(Keyset::unseal(as_bytes(seal("\x08\x2a")), wrapper), ErrorCode::kMalformed, "keyset: no keys");
  // JSON inside is not what upstream reads there.
  EXPECT_FALSE(Keyset::unseal(as_bytes(seal(keyset_json(1, {key_json(1)}))), wrapper));
  expect_refused(Keyset::unseal(as_bytes("{}"), wrapper), ErrorCode::kMalformed,
                 "encrypted keyset: encryptedKeyset: missing");
  expect_refused(Keyset::unseal(as_bytes(""), wrapper), ErrorCode::kMalformed,
                 "encrypted keyset: encryptedKeyset: missing");
  expect_refused(Keyset::unseal(as_bytes("{\"encryptedKeyset\":\"\"}"), wrapper), ErrorCode::kNotAuthentic,
                 "encrypted keyset: key-encryption key");
  expect_refused(Keyset::unseal(as_bytes("{\"encryptedKeyset\":\"A\"}"), wrapper), ErrorCode::kMalformed,
                 "encrypted keyset: encryptedKeyset: base64");
  expect_refused(Keyset::unseal(as_bytes(keyset_json(1, {key_json(1)})), wrapper), ErrorCode::kMalformed,
                 "encrypted keyset: key: not sealed");
}

TEST(EncryptedKeyset, InfoIsShownButNotBelieved) {
  std::size_t with_info = 0;
  for (const Vector& v : load()) {
    const std::optional<KeysetInfo> info = must(read_keyset_info(as_bytes(v.encrypted)));
    if (!info) continue;
    ++with_info;
    const Keyset keyset = must_parse(v.cleartext);
    EXPECT_EQ(info->primary_id, keyset.primary_id());
    ASSERT_EQ(info->keys.size(), keyset.info().size());
    for (std::size_t i = 0; i < info->keys.size(); ++i) {
      const KeyInfo real = keyset.info()[i];
      EXPECT_EQ(info->keys[i].id, real.id);
      EXPECT_EQ(info->keys[i].status, real.status);
      EXPECT_EQ(info->keys[i].prefix, real.prefix);
      EXPECT_EQ(info->keys[i].is_primary, real.is_primary);
      EXPECT_EQ(info->keys[i].type_url, real.type_url);
      EXPECT_FALSE(info->keys[i].params.has_value());
    }
  }
  EXPECT_EQ(with_info, 5u);

  // A description that lies, or is no description at all, changes nothing in what is opened.
  const Vector v = load()[3];
  const AesGcmKeyWrapper wrapper = wrapper_of(v.kek);
  const std::string lie = replaced(v.encrypted, "\"primaryKeyId\":222", "\"primaryKeyId\":1");
  EXPECT_EQ(must(read_keyset_info(as_bytes(lie)))->primary_id, 1u);
  EXPECT_EQ(must(Keyset::unseal(as_bytes(lie), wrapper)).primary_id(), 222u);
  const std::string nonsense = replaced(v.encrypted, "\"keysetInfo\":{", "\"keysetInfo\":[{");
  const std::string closed = nonsense.substr(0, nonsense.size() - 1) + "]}";
  expect_refused(read_keyset_info(as_bytes(closed)), ErrorCode::kMalformed, "encrypted keyset: keysetInfo");
  EXPECT_EQ(must(Keyset::unseal(as_bytes(closed), wrapper)).primary_id(), 222u);
  // It goes to a terminal.
  const std::string escape = replaced(v.encrypted, "\"typeUrl\":\"type", "\"typeUrl\":\"\\u001b[2Jtype");
  expect_refused(read_keyset_info(as_bytes(escape)), ErrorCode::kMalformed, "keyset: key.keyData.typeUrl: unprintable");
}

TEST(EncryptedKeyset, CleartextIsNotTakenForEncrypted) {
  for (const nlohmann::json& vector : load_vectors("keysets.json")) {
    EXPECT_FALSE(is_encrypted_keyset(as_bytes(std::string(vector.at("json")))));
    EXPECT_FALSE(is_encrypted_keyset(as_bytes(from_hex(std::string(vector.at("binary_hex"))))));
  }
  for (const std::string_view other : {"", "{}", "{", "hello", "{\"keysetInfo\":{}}", "\x1a", "\x12\x05"})
    EXPECT_FALSE(is_encrypted_keyset(as_bytes(other))) << other;
  // Field 1 belongs to keysets only, also to one that cannot be read.
  const std::string ciphertext = load()[0].encrypted;
  EXPECT_TRUE(is_encrypted_keyset(as_bytes(ciphertext)));
  EXPECT_FALSE(is_encrypted_keyset(as_bytes("\x08\x01" + ciphertext)));
}

TEST(AesGcmKeyWrapper, WritesThePrefixOfThePrimary) {
  const std::pair<std::string_view, std::string> prefixes[] = {{"TINK", std::string("\x01\xfe\x02\x03\x04")},
                                                               {"LEGACY", std::string("\0\xfe\x02\x03\x04", 5)},
                                                               {"CRUNCHY", std::string("\0\xfe\x02\x03\x04", 5)},
                                                               {"RAW", ""}};
  for (const auto& [name, prefix] : prefixes) {
    SCOPED_TRACE(name);
    const AesGcmKeyWrapper wrapper = wrapper_of(keyset_json(0xfe020304, {kek_key(0xfe020304, name, 'k')}));
    const std::vector<std::byte> wrapped = must(wrapper.wrap(as_bytes("secret"), as_bytes("ad")));
    EXPECT_EQ(wrapped.size(), prefix.size() + 12 + 6 + 16);
    EXPECT_EQ(to_string(wrapped).substr(0, prefix.size()), prefix);
    EXPECT_EQ(to_string(must(wrapper.unwrap(wrapped, as_bytes("ad")))), "secret");
    for (std::size_t n = 0; n < wrapped.size(); ++n)
      expect_refused(wrapper.unwrap(ByteView(wrapped).first(n), as_bytes("ad")), ErrorCode::kNotAuthentic,
                     "encrypted keyset: key-encryption key");
    for (std::size_t bit = 0; bit < wrapped.size() * 8; ++bit) {
      std::vector<std::byte> bad = wrapped;
      bad[bit / 8] ^= std::byte(1 << bit % 8);
      EXPECT_FALSE(wrapper.unwrap(bad, as_bytes("ad"))) << bit;
    }
    EXPECT_EQ(to_string(must(wrapper.unwrap(must(wrapper.wrap({}, {})), {}))), "");
  }
}

TEST(AesGcmKeyWrapper, UnwrapsWithAnyEnabledKey) {
  const std::string one = kek_key(1, "TINK", 'a'), two = kek_key(2, "RAW", 'b'), three = kek_key(3, "CRUNCHY", 'c');
  const std::vector<std::byte> wrapped[] = {must(wrapper_of(keyset_json(1, {one})).wrap(as_bytes("x"), {})),
                                            must(wrapper_of(keyset_json(2, {two})).wrap(as_bytes("x"), {})),
                                            must(wrapper_of(keyset_json(3, {three})).wrap(as_bytes("x"), {}))};
  const AesGcmKeyWrapper all = wrapper_of(keyset_json(3, {one, two, three}));
  for (const auto& w : wrapped) EXPECT_EQ(to_string(must(all.unwrap(w, {}))), "x");
  EXPECT_EQ(must(all.wrap(as_bytes("x"), {})).front(), std::byte{0});
  const AesGcmKeyWrapper without_one = wrapper_of(keyset_json(3, {kek_key(1, "TINK", 'a', "DISABLED"), two, three}));
  EXPECT_FALSE(without_one.unwrap(wrapped[0], {}));
  EXPECT_TRUE(without_one.unwrap(wrapped[1], {}));
  // Two keys with one prefix: ids are unique, but LEGACY and CRUNCHY, and a RAW nonce, may look alike.
  const std::string raw_only = kek_key(7, "RAW", 'r');
  const AesGcmKeyWrapper raw = wrapper_of(keyset_json(7, {raw_only}));
  std::vector<std::byte> lookalike = must(raw.wrap(as_bytes("x"), {}));
  std::uint32_t id = 0;
  while (lookalike[0] != std::byte{1}) lookalike = must(raw.wrap(as_bytes("x"), {}));
  for (std::size_t i = 1; i < 5; ++i) id = id << 8 | static_cast<std::uint32_t>(lookalike[i]);
  if (id == 7) id = 8;
  const AesGcmKeyWrapper both = wrapper_of(keyset_json(7, {kek_key(id, "TINK", 't'), raw_only}));
  EXPECT_EQ(to_string(must(both.unwrap(lookalike, {}))), "x");
}

TEST(AesGcmKeyWrapper, RefusesKeysetsOfOtherKeys) {
  expect_refused(AesGcmKeyWrapper::create(must_parse(keyset_json(1, {key_json(1)}))), ErrorCode::kInvalidArgument,
                 "key-encryption keyset: not an AES-GCM key");
  const Error error =
      expect_refused(AesGcmKeyWrapper::create(must_parse(keyset_json(1, {kek_key(1, "TINK", 'a'), key_json(2)}))),
                     ErrorCode::kInvalidArgument, "key-encryption keyset: not an AES-GCM key");
  EXPECT_EQ(error.detail, 2);
  // 24 bytes of key: AES-192, which Tink never allowed.
  std::string aes192("\x1a\x18");
  aes192.append(24, 'k');
  expect_refused(Keyset::parse(as_bytes(
                     keyset_json(1, {key_json(1, "ENABLED", "TINK", kAesGcmUrl, base64_encode(as_bytes(aes192)))}))),
                 ErrorCode::kMalformed, "keyset: AES-GCM key: keyValue");
  std::string version1("\x08\x01\x1a\x10");
  version1.append(16, 'k');
  expect_refused(Keyset::parse(as_bytes(
                     keyset_json(1, {key_json(1, "ENABLED", "TINK", kAesGcmUrl, base64_encode(as_bytes(version1)))}))),
                 ErrorCode::kMalformed, "keyset: key.keyData.value: version");
}

// A key management service that is out of reach: its error is the caller's to see.
class FailingWrapper final : public KeyWrapper {
 public:
  Result<std::vector<std::byte>> wrap(ByteView, ByteView) const override {
    return Error{ErrorCode::kIo, "kms", 0, 111};
  }
  Result<SecretBytes> unwrap(ByteView, ByteView) const override { return Error{ErrorCode::kIo, "kms", 0, 111}; }
};

TEST(EncryptedKeyset, ErrorsOfTheWrapperPassThrough) {
  const Keyset keyset = must(Keyset::generate(*find_template("AES128_GCM_HKDF_4KB")));
  EXPECT_EQ(expect_refused(keyset.seal(FailingWrapper(), {}, Format::kJson), ErrorCode::kIo, "kms").detail, 111);
  EXPECT_EQ(
      expect_refused(Keyset::unseal(as_bytes(load()[0].encrypted), FailingWrapper()), ErrorCode::kIo, "kms").detail,
      111);
}

}  // namespace
}  // namespace millrace::tink
