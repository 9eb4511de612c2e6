#include "tdf/key_split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "crypto/public_key.h"
#include "encoding/hex.h"
#include "millrace/base64.h"
#include "tdf/base64_bytes.h"
#include "tdf/key_wrap.h"
#include "tdf/tdf_test_support.h"

namespace millrace::tdf {
namespace {

constexpr std::string_view kPolicy = "eyJ1dWlkIjoiIn0=";
const char* const kAlgorithms[] = {"rsa-2048", "rsa-4096", "ec-secp256r1", "ec-secp384r1", "ec-secp521r1"};

std::string sample_path(std::string_view algorithm, std::string_view half) {
  return "keys/sample-" + std::string(algorithm) + "-01-" + std::string(half);
}
KasPublicKey sample_public(std::string_view algorithm) {
  return must(KasPublicKey::parse(as_bytes(read_vector(sample_path(algorithm, "public.pem")))));
}
void add_sample(LocalKeyAccess& keys, std::string_view algorithm) {
  must(keys.add(as_bytes(read_vector(sample_path(algorithm, "private.der")))));
}
LocalKeyAccess sample_keys(std::initializer_list<std::string_view> algorithms) {
  LocalKeyAccess keys;
  for (const std::string_view algorithm : algorithms) add_sample(keys, algorithm);
  return keys;
}
KasTarget target(std::string_view algorithm, std::string url = "https://kas.example.com", std::string kid = "k1") {
  return {std::move(url), std::move(kid), sample_public(algorithm)};
}
const std::vector<KasTarget>& rsa_and_ec() {
  static const std::vector<KasTarget> targets = {target("rsa-2048", "https://a.example.com", "r1"),
                                                 target("ec-secp256r1", "https://b.example.com/kas", "e1")};
  return targets;
}
const Bytes& file_key() {
  static const Bytes key = testing::noise_bytes(kKeySize);
  return key;
}
Manifest wrapped(const std::vector<KasTarget>& targets, Split split, std::string_view metadata = {}) {
  Manifest manifest;
  manifest.policy = kPolicy;
  manifest.key_access = must(wrap_key(file_key(), targets, split, kPolicy, metadata));
  return manifest;
}
Bytes key_of(const RecoveredKey& recovered) { return testing::to_bytes(recovered.key.reveal()); }

// changed returns base64 text whose bytes differ in one bit.
std::string changed(const std::string& base64, std::size_t byte = 0) {
  Bytes bytes = must(decode_base64(base64));
  bytes.at(byte) ^= std::byte{1};
  return base64_encode(bytes);
}

// FakeAccess answers what a test says, and counts the calls.
class FakeAccess final : public KeyAccess {
 public:
  explicit FakeAccess(std::function<std::vector<Share>()> answer) : answer_(std::move(answer)) {}
  std::vector<Share> unwrap(std::string_view policy, std::span<const KeyAccessObject> objects) const override {
    ++calls;
    EXPECT_EQ(policy, kPolicy);
    object_count = objects.size();
    return answer_();
  }
  mutable int calls = 0;
  mutable std::size_t object_count = 0;

 private:
  std::function<std::vector<Share>()> answer_;
};
KeyAccess::Share good_share(ByteView bytes) { return {SecretBytes::copy_of(bytes), {}, {}}; }
KeyAccess::Share failed_share(ErrorCode code, std::string_view where) { return {std::nullopt, {code, where}, "no"}; }

TEST(KasPublicKey, NamesItsAlgorithm) {
  const char* const names[] = {"rsa:2048", "rsa:4096", "ec:secp256r1", "ec:secp384r1", "ec:secp521r1"};
  for (std::size_t i = 0; i < std::size(kAlgorithms); ++i) {
    const KasPublicKey key = sample_public(kAlgorithms[i]);
    EXPECT_EQ(key.algorithm(), names[i]);
    EXPECT_EQ(key.is_ec(), i >= 2);
    EXPECT_EQ(must(KasPublicKey::parse(as_bytes(key.pem()))).pem(), key.pem());
  }
  EXPECT_EQ(KasPublicKey::parse(as_bytes("no key")).error().code, ErrorCode::kMalformed);
}

TEST(GenerateKeyPair, MakesKeysThatOpenWhatTheyWrap) {
  for (const std::string_view name : {"rsa:2048", "ec:secp256r1", "ec:secp384r1", "ec:secp521r1"}) {
    const KeyPair pair = must(generate_key_pair(name));
    const KasPublicKey key = must(KasPublicKey::parse(as_bytes(pair.public_key)));
    EXPECT_EQ(key.algorithm(), name);
    LocalKeyAccess keys;
    must(keys.add(pair.private_key.reveal()));
    EXPECT_EQ(key_of(must(recover_key(wrapped({{"https://a", "", key}}, Split::kAll), keys, nullptr))), file_key());
  }
  for (const std::string_view name : {"", "rsa:1024", "rsa:2048 ", "RSA:2048", "ec:secp256k1", "hpqt:xwing"})
    EXPECT_EQ(generate_key_pair(name).error().code, ErrorCode::kInvalidArgument) << name;
}

TEST(WrapKey, EveryAlgorithmComesBack) {
  for (const std::string_view algorithm : kAlgorithms) {
    const Manifest manifest = wrapped({target(algorithm)}, Split::kAll, "note");
    const RecoveredKey recovered = must(recover_key(manifest, sample_keys({algorithm}), nullptr));
    EXPECT_EQ(key_of(recovered), file_key()) << algorithm;
    EXPECT_EQ(recovered.metadata, "note");
  }
}

TEST(WrapKey, WritesWhatReadersExpect) {
  const Manifest manifest = wrapped(rsa_and_ec(), Split::kAny);
  ASSERT_EQ(manifest.key_access.size(), 2u);
  const KeyAccessObject& rsa = manifest.key_access[0];
  EXPECT_EQ(rsa.type, "wrapped");
  EXPECT_EQ(rsa.url, "https://a.example.com");
  EXPECT_EQ(rsa.protocol, "kas");
  EXPECT_EQ(rsa.kid, "r1");
  EXPECT_EQ(rsa.sid, "");
  EXPECT_EQ(must(decode_base64(rsa.wrapped_key)).size(), 256u);
  EXPECT_EQ(rsa.binding_algorithm, "HS256");
  EXPECT_EQ(rsa.ephemeral_public_key, "");
  EXPECT_EQ(rsa.encrypted_metadata, "");
  EXPECT_EQ(rsa.schema_version, "1.0");
  const KeyAccessObject& ec = manifest.key_access[1];
  EXPECT_EQ(ec.type, "ec-wrapped");
  EXPECT_EQ(must(decode_base64(ec.wrapped_key)).size(), 60u);
  EXPECT_EQ(must(KasPublicKey::parse(as_bytes(ec.ephemeral_public_key))).algorithm(), "ec:secp256r1");
  EXPECT_EQ(ec.binding_hash, rsa.binding_hash);  // one share
}

TEST(WrapKey, SizesDoNotDependOnTheKey) {
  const auto sizes = [](const KeyAccessObject& o) {
    return std::vector<std::ptrdiff_t>{std::ssize(o.wrapped_key),
                                       std::ssize(o.binding_hash),
                                       std::ssize(o.encrypted_metadata),
                                       std::ssize(o.ephemeral_public_key),
                                       std::count(o.ephemeral_public_key.begin(), o.ephemeral_public_key.end(), '\n'),
                                       std::ssize(o.sid)};
  };
  for (const std::string_view algorithm : kAlgorithms) {
    const std::vector<KasTarget> targets = {target(algorithm, "https://a"), target(algorithm, "https://b")};
    const std::vector<KeyAccessObject> first = must(wrap_key(file_key(), targets, Split::kAll, kPolicy, "x"));
    for (std::uint64_t seed = 2; seed < 30; ++seed) {
      const auto next = must(wrap_key(testing::noise_bytes(kKeySize, seed), targets, Split::kAll, kPolicy, "x"));
      for (std::size_t i = 0; i < targets.size(); ++i) EXPECT_EQ(sizes(next[i]), sizes(first[i])) << algorithm;
    }
  }
}

TEST(WrapKey, AllTargetsAreNeeded) {
  const Manifest manifest = wrapped(rsa_and_ec(), Split::kAll, "note");
  EXPECT_NE(manifest.key_access[0].sid, manifest.key_access[1].sid);
  EXPECT_NE(manifest.key_access[0].binding_hash, manifest.key_access[1].binding_hash);
  EXPECT_EQ(key_of(must(recover_key(manifest, sample_keys({"rsa-2048", "ec-secp256r1"}), nullptr))), file_key());
  for (const std::string_view one : {"rsa-2048", "ec-secp256r1"}) {
    std::vector<AccessFailure> failures;
    const auto recovered = recover_key(manifest, sample_keys({one}), &failures);
    ASSERT_FALSE(recovered);
    EXPECT_EQ(recovered.error().code, ErrorCode::kNotAuthentic);
    ASSERT_EQ(failures.size(), 1u);
    EXPECT_EQ(failures[0].object, one == "rsa-2048" ? 1u : 0u);
  }
}

TEST(WrapKey, AnyTargetOpens) {
  const Manifest manifest = wrapped(rsa_and_ec(), Split::kAny, "note");
  for (const std::string_view one : {"rsa-2048", "ec-secp256r1"}) {
    const RecoveredKey recovered = must(recover_key(manifest, sample_keys({one}), nullptr));
    EXPECT_EQ(key_of(recovered), file_key());
    EXPECT_EQ(recovered.metadata, "note");
  }
}

TEST(WrapKey, SharesAreFreshAndNoShareIsTheKey) {
  std::set<std::string> bindings;
  for (int i = 0; i < 4; ++i)
    for (const KeyAccessObject& object : wrapped(rsa_and_ec(), Split::kAll).key_access)
      EXPECT_TRUE(bindings.insert(object.binding_hash).second);
  EXPECT_FALSE(bindings.contains(must(policy_binding(file_key(), kPolicy))));
}

TEST(WrapKey, RefusesTargetsThatReadersMisunderstand) {
  const auto error_of = [](std::vector<KasTarget> targets, Split split) {
    const auto objects = wrap_key(file_key(), targets, split, kPolicy, {});
    return objects ? std::string("accepted") : std::string(objects.error().where);
  };
  for (const char* url : {"",
                          "kas.example.com",
                          "ftp://kas.example.com",
                          "https://",
                          "https:///kas",
                          "https://:443",
                          "https://a b",
                          "https://a\n",
                          "https://a\x7f",
                          "https://user@a",
                          "https://a?x",
                          "https://a#x",
                          "https://a:",
                          "https://a:0",
                          "https://a:65536",
                          "https://a:99999999999999999999",
                          "https://a:b",
                          "https://a:1:2",
                          "https://[::1",
                          "https://[::1]x",
                          "https://a\\b",
                          "https://\xc3\xa9",
                          "https:/a",
                          "HTTPS://a"})
    EXPECT_EQ(error_of({target("ec-secp256r1", url)}, Split::kAll), "key access: KAS URL") << url;
  for (const char* url : {"https://a", "http://a:8080/kas", "https://a:65535", "https://[::1]", "https://[::1]:8443",
                          "https://A.example.com/kas/"})
    EXPECT_EQ(error_of({target("ec-secp256r1", url)}, Split::kAll), "accepted") << url;
  EXPECT_EQ(error_of({target("ec-secp256r1", "https://a", "k\n1")}, Split::kAll), "key access: kid");
  EXPECT_EQ(error_of({}, Split::kAll), "key access: no target");
  const std::vector<KasTarget> one_url = {target("ec-secp256r1"), target("ec-secp384r1")};
  EXPECT_EQ(error_of(one_url, Split::kAny), "accepted");
  EXPECT_EQ(error_of(one_url, Split::kAll), "accepted");
  EXPECT_EQ(error_of(std::vector<KasTarget>(1025, target("ec-secp256r1")), Split::kAll), "key access: targets");
  EXPECT_NE(error_of({{"https://a", "", {}}}, Split::kAll), "accepted");  // no key
}

TEST(PolicyBinding, TrapT10TakesBothFormsWithAndWithoutAlgorithm) {
  const std::string today = must(policy_binding(file_key(), kPolicy));
  const std::string hex(as_text(must(decode_base64(today))));
  Bytes raw(32);
  must(hex_decode(hex, raw));
  std::string upper = hex;
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(hex, hex_encode(raw));
  for (const std::string& hash : {today, base64_encode(as_bytes(upper)), base64_encode(raw)}) {
    for (const char* algorithm : {"HS256", ""}) {
      KeyAccessObject object;
      object.binding_algorithm = algorithm;
      object.binding_hash = hash;
      EXPECT_TRUE(check_policy_binding(object, file_key(), kPolicy)) << hash;
    }
  }
}

TEST(PolicyBinding, AnythingElseIsTampering) {
  const std::string today = must(policy_binding(file_key(), kPolicy));
  const std::string hex(as_text(must(decode_base64(today))));
  KeyAccessObject object;
  object.binding_algorithm = "HS256";
  const auto refused = [&](ByteView share, std::string_view policy) {
    const Status status = check_policy_binding(object, share, policy);
    return !status && status.error().code == ErrorCode::kNotAuthentic &&
           status.error().where.starts_with("tamper detected: policy binding");
  };
  for (const std::string& hash :
       {std::string(), changed(today, 63), std::string("b'") + today + "'", hex, base64_encode(as_bytes(hex + "0")),
        base64_encode(as_bytes(hex.substr(1))), base64_encode(as_bytes(hex.substr(0, 61) + "xyz")), today + "\n",
        today.substr(0, today.size() - 1)}) {
    object.binding_hash = hash;
    EXPECT_TRUE(refused(file_key(), kPolicy)) << hash;
  }
  object.binding_hash = today;
  EXPECT_FALSE(refused(file_key(), kPolicy));
  EXPECT_TRUE(refused(file_key(), "eyJ1dWlkIjoiIn1="));
  EXPECT_TRUE(refused(testing::noise_bytes(kKeySize, 2), kPolicy));
  object.binding_algorithm = "none";
  EXPECT_TRUE(refused(file_key(), kPolicy));
}

TEST(ShareMetadata, TrapT04DrawsAnIvEachTime) {
  std::set<std::string> ivs;
  for (int i = 0; i < 100; ++i) {
    const std::string sealed = must(seal_metadata(file_key(), "note"));
    const std::string json(as_text(must(decode_base64(sealed))));
    EXPECT_TRUE(ivs.insert(json.substr(json.find("\"iv\":"))).second);
    EXPECT_EQ(must(open_metadata(file_key(), sealed)), "note");
  }
}

TEST(ShareMetadata, AlteredTextIsTampering) {
  const std::string sealed = must(seal_metadata(file_key(), "note"));
  const std::string json(as_text(must(decode_base64(sealed))));
  const auto refused = [](const std::string& text) {
    const auto opened = open_metadata(file_key(), text);
    return !opened && opened.error().code == ErrorCode::kNotAuthentic &&
           opened.error().where == "tamper detected: encrypted metadata";
  };
  for (std::size_t n = 0; n < sealed.size(); ++n) EXPECT_TRUE(refused(sealed.substr(0, n))) << n;
  const auto refused_json = [&](std::string_view text) { return refused(base64_encode(as_bytes(text))); };
  for (const char* text : {"{}", "[]", "1", "{\"ciphertext\":1}", "{\"ciphertext\":\"\"}", "{\"ciphertext\":\"AAAA\"}",
                           "{\"ciphertext\":\"!\"}", "{\"ciphertext\":null}"})
    EXPECT_TRUE(refused_json(text)) << text;
  EXPECT_FALSE(refused_json(json));
  EXPECT_TRUE(refused_json(json + json));
  std::string doubled = json;
  doubled.insert(1, json.substr(1, json.find(',')));
  EXPECT_TRUE(refused_json(doubled));
  const std::size_t begin = json.find(":\"") + 2;
  const std::string ciphertext = json.substr(begin, json.find('"', begin) - begin);
  for (std::size_t i = 0; i < 32; ++i) {
    std::string altered = json;
    altered.replace(begin, ciphertext.size(), changed(ciphertext, i));
    EXPECT_TRUE(refused_json(altered)) << i;
  }
  EXPECT_FALSE(open_metadata(testing::noise_bytes(kKeySize, 2), sealed));
}

// Attacks on one object: whatever is altered, the file does not open.
TEST(RecoverKey, EveryAlterationIsTampering) {
  const Manifest rsa = wrapped({target("rsa-2048")}, Split::kAll, "note");
  const Manifest ec = wrapped({target("ec-secp256r1")}, Split::kAll, "note");
  const LocalKeyAccess keys = sample_keys({"rsa-2048", "ec-secp256r1"});
  const auto where = [&](Manifest manifest, const std::function<void(KeyAccessObject&)>& alter) {
    alter(manifest.key_access[0]);
    std::vector<AccessFailure> failures;
    const auto recovered = recover_key(manifest, keys, &failures);
    if (recovered) return std::string("accepted");
    EXPECT_EQ(recovered.error().code, ErrorCode::kNotAuthentic);
    return std::string(recovered.error().where);
  };
  for (const Manifest* manifest : {&rsa, &ec}) {
    using Object = KeyAccessObject;
    for (const std::size_t byte : {0u, 11u, 12u, 43u, 44u, 59u}) {
      EXPECT_EQ(where(*manifest, [&](Object& o) { o.wrapped_key = changed(o.wrapped_key, byte); }), kWrongOrAlteredKey);
    }
    for (const char* text : {"", "AAAA", "!", "b'AAAA'"})
      EXPECT_EQ(where(*manifest, [&](Object& o) { o.wrapped_key = text; }), kWrongOrAlteredKey);
    EXPECT_EQ(where(*manifest, [](Object& o) { o.binding_hash = changed(o.binding_hash); }),
              "tamper detected: policy binding");
    EXPECT_EQ(where(*manifest, [](Object& o) { o.encrypted_metadata = changed(o.encrypted_metadata, 40); }),
              "tamper detected: encrypted metadata");
    Manifest other_policy = *manifest;
    other_policy.policy = "eyJ1dWlkIjoiIn1=";
    EXPECT_EQ(where(other_policy, [](Object&) {}), "tamper detected: policy binding");
  }
  for (const char* pem : {"", "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n"})
    EXPECT_EQ(where(ec, [&](KeyAccessObject& o) { o.ephemeral_public_key = pem; }), kWrongOrAlteredKey);
  // Another point of the curve, and a key of another curve or kind.
  EXPECT_EQ(where(ec, [](KeyAccessObject& o) { o.ephemeral_public_key = sample_public("ec-secp256r1").pem(); }),
            kWrongOrAlteredKey);
  for (const char* algorithm : {"ec-secp384r1", "rsa-2048"})
    EXPECT_NE(where(ec, [&](KeyAccessObject& o) { o.ephemeral_public_key = sample_public(algorithm).pem(); }),
              "accepted");
  EXPECT_NE(where(rsa, [](KeyAccessObject& o) { o.type = "ec-wrapped"; }), "accepted");
  EXPECT_NE(where(ec, [](KeyAccessObject& o) { o.type = "wrapped"; }), "accepted");
}

TEST(RecoverKey, EcWrappedKeysHaveOneSize) {
  const Manifest ec = wrapped({target("ec-secp256r1")}, Split::kAll);
  const Bytes bytes = must(decode_base64(ec.key_access[0].wrapped_key));
  for (const std::size_t size : {0u, 12u, 27u, 28u, 59u, 61u, 1000u}) {
    Manifest manifest = ec;
    Bytes resized = bytes;
    resized.resize(size);
    manifest.key_access[0].wrapped_key = base64_encode(resized);
    EXPECT_FALSE(recover_key(manifest, sample_keys({"ec-secp256r1"}), nullptr)) << size;
  }
}

// An RSA block with the key's size may hold a share of any length up to 214 bytes.
TEST(RecoverKey, RsaSharesHaveOneSize) {
  const PrivateKey private_key = must(PrivateKey::parse(as_bytes(read_vector(sample_path("rsa-2048", "private.der")))));
  const PublicKey key = private_key.public_key();
  for (const std::size_t size : {0u, 16u, 31u, 33u, 64u}) {
    Manifest manifest = wrapped({target("rsa-2048")}, Split::kAll);
    const Bytes share = testing::noise_bytes(size);
    manifest.key_access[0].wrapped_key = base64_encode(must(key.oaep_encrypt(share)));
    manifest.key_access[0].binding_hash = must(policy_binding(share, kPolicy));
    EXPECT_FALSE(unwrap_share(private_key, manifest.key_access[0])) << size;
    EXPECT_FALSE(recover_key(manifest, sample_keys({"rsa-2048"}), nullptr)) << size;
  }
}

TEST(RecoverKey, TheWrongKeyNamesTheKid) {
  LocalKeyAccess other;
  must(other.add(as_bytes(read_vector("keys/golden-r1-private.der"))));
  std::vector<AccessFailure> failures;
  const auto recovered = recover_key(wrapped({target("rsa-2048", "https://a", "r1")}, Split::kAll), other, &failures);
  ASSERT_FALSE(recovered);
  EXPECT_EQ(recovered.error().code, ErrorCode::kNotAuthentic);
  EXPECT_EQ(recovered.error().where, kWrongOrAlteredKey);
  EXPECT_NE(recovered.error().where.find("kid"), std::string_view::npos);
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_NE(failures[0].explanation.find("kid r1"), std::string::npos) << failures[0].explanation;
  EXPECT_NE(failures[0].explanation.find("https://a"), std::string::npos);
}

TEST(RecoverKey, TypesThatAreNotOpenedAreNamed) {
  const LocalKeyAccess keys = sample_keys({"rsa-2048", "ec-secp256r1"});
  for (const auto& [type, words] :
       std::initializer_list<std::pair<const char*, const char*>>{{"remote", "before TDF 3"},
                                                                  {"remoteWrapped", "before TDF 3"},
                                                                  {"hybrid-wrapped", "post-quantum"},
                                                                  {"mlkem-wrapped", "post-quantum"},
                                                                  {"", "type is not known"},
                                                                  {"Wrapped", "type is not known"}}) {
    Manifest manifest = wrapped({target("rsa-2048")}, Split::kAll);
    manifest.key_access[0].type = type;
    std::vector<AccessFailure> failures;
    const auto recovered = recover_key(manifest, keys, &failures);
    ASSERT_FALSE(recovered);
    EXPECT_EQ(recovered.error().code, ErrorCode::kNotAuthentic);
    ASSERT_EQ(failures.size(), 1u);
    EXPECT_NE(failures[0].explanation.find(type), std::string::npos) << failures[0].explanation;
    EXPECT_NE(failures[0].explanation.find(words), std::string::npos) << failures[0].explanation;
  }
}

TEST(RecoverKey, ExplanationsDoNotCommandTheTerminal) {
  Manifest manifest = wrapped({target("rsa-2048")}, Split::kAll);
  manifest.key_access[0].url = "https://a\x1b[2J\n\xc2\x9b" + std::string(5000, 'u');
  manifest.key_access[0].kid = "\r\x07";
  std::vector<AccessFailure> failures;
  ASSERT_FALSE(recover_key(manifest, LocalKeyAccess(), &failures));
  ASSERT_EQ(failures.size(), 1u);
  const std::string& text = failures[0].explanation;
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; })) << text;
  EXPECT_LT(text.size(), 1000u);
}

TEST(RecoverKey, ASiblingMakesUpForABadObject) {
  const LocalKeyAccess keys = sample_keys({"rsa-2048", "ec-secp256r1"});
  const std::function<void(KeyAccessObject&)> spoilers[] = {
      [](KeyAccessObject& o) { o.wrapped_key = changed(o.wrapped_key); },
      [](KeyAccessObject& o) { o.binding_hash = changed(o.binding_hash); },
      [](KeyAccessObject& o) { o.type = "remote"; },
  };
  for (const auto& spoil : spoilers) {
    for (const std::size_t bad : {0u, 1u}) {
      Manifest manifest = wrapped(rsa_and_ec(), Split::kAny, "note");
      spoil(manifest.key_access[bad]);
      std::vector<AccessFailure> failures;
      const RecoveredKey recovered = must(recover_key(manifest, keys, &failures));
      EXPECT_EQ(key_of(recovered), file_key());
      EXPECT_EQ(recovered.metadata, "note");
      // An object behind one that works is not tried.
      ASSERT_EQ(failures.size(), bad == 0 ? 1u : 0u);
    }
  }
}

TEST(RecoverKey, SidsTellSharesFromAlternatives) {
  const LocalKeyAccess keys = sample_keys({"rsa-2048", "ec-secp256r1"});
  // Two shares under one sid: the first alone, which is not the key; the root signature finds that.
  Manifest merged = wrapped(rsa_and_ec(), Split::kAll);
  merged.key_access[1].sid = merged.key_access[0].sid;
  EXPECT_NE(key_of(must(recover_key(merged, keys, nullptr))), file_key());
  // One share under two sids would be a key of zeros.
  Manifest parted = wrapped(rsa_and_ec(), Split::kAny);
  parted.key_access[1].sid = "1";
  const auto recovered = recover_key(parted, keys, nullptr);
  ASSERT_FALSE(recovered);
  EXPECT_EQ(recovered.error().code, ErrorCode::kNotAuthentic);
  // Texts of sids do not matter, only whether they are equal.
  Manifest renamed = wrapped(rsa_and_ec(), Split::kAll);
  renamed.key_access[0].sid = "s-0";
  renamed.key_access[1].sid = "";
  EXPECT_EQ(key_of(must(recover_key(renamed, keys, nullptr))), file_key());
}

TEST(RecoverKey, MetadataMustAgree) {
  const LocalKeyAccess keys = sample_keys({"rsa-2048", "ec-secp256r1"});
  Manifest manifest = wrapped(rsa_and_ec(), Split::kAll, "note");
  EXPECT_EQ(must(recover_key(manifest, keys, nullptr)).metadata, "note");
  manifest.key_access[0].encrypted_metadata.clear();
  EXPECT_EQ(must(recover_key(manifest, keys, nullptr)).metadata, "note");
  manifest.key_access[1].encrypted_metadata.clear();
  EXPECT_EQ(must(recover_key(manifest, keys, nullptr)).metadata, std::nullopt);

  const auto share_of = [&](std::size_t i) {
    const std::vector<KeyAccess::Share> shares = keys.unwrap(kPolicy, manifest.key_access);
    return testing::to_bytes(shares[i].bytes.value().reveal());
  };
  manifest.key_access[0].encrypted_metadata = must(seal_metadata(share_of(0), ""));
  EXPECT_EQ(must(recover_key(manifest, keys, nullptr)).metadata, std::nullopt);
  manifest.key_access[1].encrypted_metadata = must(seal_metadata(share_of(1), "another"));
  EXPECT_EQ(recover_key(manifest, keys, nullptr).error().where, "tamper detected: encrypted metadata");
}

TEST(RecoverKey, AsksOnceWithAllObjects) {
  const Manifest manifest = wrapped(rsa_and_ec(), Split::kAny);
  const FakeAccess access([] {
    std::vector<KeyAccess::Share> answers;
    answers.push_back(failed_share(ErrorCode::kInvalidArgument, KeyAccess::kNotNeeded));
    answers.push_back(good_share(file_key()));
    return answers;
  });
  std::vector<AccessFailure> failures;
  EXPECT_EQ(key_of(must(recover_key(manifest, access, &failures))), file_key());
  EXPECT_EQ(access.calls, 1);
  EXPECT_EQ(access.object_count, 2u);
  EXPECT_TRUE(failures.empty());
}

TEST(RecoverKey, DoesNotBelieveTheKeyAccess) {
  const Manifest manifest = wrapped({target("ec-secp256r1")}, Split::kAll);
  const auto error_of = [&](std::function<void(std::vector<KeyAccess::Share>&)> fill) {
    const FakeAccess access([&] {
      std::vector<KeyAccess::Share> answers;
      fill(answers);
      return answers;
    });
    return recover_key(manifest, access, nullptr).error();
  };
  using Answers = std::vector<KeyAccess::Share>;
  EXPECT_EQ(error_of([](Answers& a) { a.push_back(good_share(testing::noise_bytes(32, 9))); }).where,
            "tamper detected: policy binding");
  for (const std::size_t size : {0u, 31u, 33u})
    EXPECT_EQ(error_of([&](Answers& a) { a.push_back(good_share(testing::noise_bytes(size))); }).code,
              ErrorCode::kNotAuthentic);
  EXPECT_EQ(error_of([](Answers&) {}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(
      error_of([](Answers& a) { a.push_back(failed_share(ErrorCode::kInvalidArgument, KeyAccess::kNotNeeded)); }).where,
      "key access: a needed object was left out");
  const Error io = error_of([](Answers& a) { a.push_back(failed_share(ErrorCode::kIo, "kas")); });
  EXPECT_EQ(io.code, ErrorCode::kIo);
  EXPECT_EQ(io.where, "kas");
}

TEST(RecoverKey, NoObjectsIsMalformed) {
  EXPECT_EQ(recover_key(Manifest{}, LocalKeyAccess(), nullptr).error().code, ErrorCode::kMalformed);
}

TEST(LocalKeyAccess, KidsAreHints) {
  const Manifest manifest = wrapped({target("rsa-2048", "https://a", "r1")}, Split::kAll);
  for (const char* kid : {"r1", "other", ""}) {
    LocalKeyAccess keys;
    must(keys.add(as_bytes(read_vector("keys/golden-r1-private.der")), "r1"));  // the kid of another
    must(keys.add(as_bytes(read_vector(sample_path("rsa-2048", "private.der"))), kid));
    EXPECT_EQ(key_of(must(recover_key(manifest, keys, nullptr))), file_key()) << kid;
  }
}

TEST(LocalKeyAccess, TakesPrivateKeysOnly) {
  LocalKeyAccess keys;
  EXPECT_FALSE(keys.add(as_bytes(sample_public("rsa-2048").pem())));
  EXPECT_EQ(keys.add(as_bytes("no key")).error().code, ErrorCode::kMalformed);
}

}  // namespace
}  // namespace millrace::tdf
