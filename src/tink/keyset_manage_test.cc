// Generating keys and the rules of key management.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tink/keyset_vectors.h"

namespace millrace::tink {
namespace {

const Template& kTemplate = *find_template("AES256_GCM_HKDF_4KB");

TEST(KeysetGenerate, EveryTemplate) {
  std::set<std::string> materials;
  for (const Template& t : templates()) {
    SCOPED_TRACE(t.name);
    const Keyset keyset = must(Keyset::generate(t));
    const std::vector<KeyInfo> infos = keyset.info();
    ASSERT_EQ(infos.size(), 1u);
    EXPECT_NE(infos[0].id, 0u);
    EXPECT_EQ(infos[0].id, keyset.primary_id());
    EXPECT_EQ(infos[0].status, KeyStatus::kEnabled);
    EXPECT_EQ(infos[0].prefix, OutputPrefix::kRaw);
    EXPECT_TRUE(infos[0].is_primary);
    EXPECT_EQ(infos[0].template_name, t.name);
    const StreamingKeys keys = must(keyset.streaming_keys());
    EXPECT_EQ(keys.primary_key().ikm.size(), t.params.derived_key_size);
    EXPECT_TRUE(materials.insert(to_string(keys.primary_key().ikm)).second);
    const Keyset again = must_parse(to_string(keyset.to_binary()));
    EXPECT_EQ(to_string(again.to_json()), to_string(keyset.to_json()));
    EXPECT_EQ(to_string(must(again.streaming_keys()).primary_key().ikm), to_string(keys.primary_key().ikm));
  }
}

// A generated key differs from upstream's serialization in its random bytes only: the golden keyset has one key of each
// template.
TEST(KeysetGenerate, SerializesKeysAsUpstreamDoes) {
  const nlohmann::json vector = load_vectors("keysets.json")[12];
  const nlohmann::json golden = nlohmann::json::parse(std::string(vector.at("json")));
  const std::vector<KeyInfo> infos = must_parse(std::string(vector.at("json"))).info();
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const Keyset fresh = must(Keyset::generate(*find_template(infos[i].template_name)));
    nlohmann::json made = nlohmann::json::parse(to_string(fresh.to_json())).at("key")[0];
    nlohmann::json expected = golden.at("key")[i];
    const std::string a = made.at("keyData").at("value"), b = expected.at("keyData").at("value");
    EXPECT_EQ(a.size(), b.size());
    EXPECT_EQ(a.substr(0, 12), b.substr(0, 12));  // the parameters: the first 9 bytes
    made["keyData"]["value"] = expected["keyData"]["value"] = "";
    made["keyId"] = expected["keyId"] = 0;
    EXPECT_EQ(made, expected);
  }
}

TEST(KeysetGenerate, RefusesParametersThatNobodyCouldUse) {
  Template bad = kTemplate;
  bad.params.ciphertext_segment_size = 56;
  expect_refused(Keyset::generate(bad), ErrorCode::kInvalidArgument, "streaming key: ciphertextSegmentSize");
  bad.params.derived_key_size = 24;
  expect_refused(Keyset::generate(bad), ErrorCode::kInvalidArgument, "streaming key: derivedKeySize");
  Keyset keyset = must(Keyset::generate(kTemplate));
  expect_refused(keyset.add(bad), ErrorCode::kInvalidArgument, "streaming key: derivedKeySize");
  EXPECT_EQ(keyset.info().size(), 1u);
}

TEST(KeysetManage, RotationInTwoSteps) {
  Keyset keyset = must(Keyset::generate(kTemplate));
  const std::uint32_t old_id = keyset.primary_id();
  const std::uint32_t new_id = must(keyset.add(*find_template("AES128_CTR_HMAC_SHA256_1MB")));
  EXPECT_NE(new_id, 0u);
  EXPECT_NE(new_id, old_id);
  EXPECT_EQ(keyset.primary_id(), old_id);
  EXPECT_EQ(must(keyset.streaming_keys()).primary, 0u);
  must(keyset.promote(new_id));
  EXPECT_EQ(keyset.primary_id(), new_id);
  EXPECT_EQ(must(keyset.streaming_keys()).primary, 1u);
  EXPECT_EQ(must(keyset.streaming_keys()).enabled[0].id, old_id);
  must(keyset.disable(old_id));
  EXPECT_EQ(must(keyset.streaming_keys()).enabled.size(), 1u);
  EXPECT_EQ(must(keyset.streaming_keys()).primary, 0u);
  EXPECT_EQ(keyset.info()[0].status, KeyStatus::kDisabled);
  must(keyset.enable(old_id));
  EXPECT_EQ(must(keyset.streaming_keys()).enabled.size(), 2u);
  must(keyset.disable(old_id));
  must(keyset.remove(old_id));
  ASSERT_EQ(keyset.info().size(), 1u);
  EXPECT_EQ(keyset.info()[0].id, new_id);
  must_parse(to_string(keyset.to_json()));
}

TEST(KeysetManage, RefusalsNameTheReasonAndChangeNothing) {
  const std::string json =
      keyset_json(1, {key_json(1), key_json(2, "DISABLED"), key_json(3, "DESTROYED"), key_json(4)});
  Keyset keyset = must_parse(json);
  const auto refused = [&](const Status& status, std::string_view where) {
    expect_refused(status, ErrorCode::kInvalidArgument, where);
    EXPECT_EQ(to_string(keyset.to_json()), json);
  };
  refused(keyset.promote(2), "keyset: promote: the key is not ENABLED");
  refused(keyset.promote(3), "keyset: promote: the key is not ENABLED");
  refused(keyset.promote(9), "keyset: promote: no key with this id");
  refused(keyset.enable(3), "keyset: enable: the key is DESTROYED");
  refused(keyset.enable(9), "keyset: enable: no key with this id");
  refused(keyset.disable(1), "keyset: disable: the key is the primary; promote another first");
  refused(keyset.disable(3), "keyset: disable: the key is DESTROYED");
  refused(keyset.disable(9), "keyset: disable: no key with this id");
  refused(keyset.remove(1), "keyset: delete: the key is the primary; promote another first");
  refused(keyset.remove(9), "keyset: delete: no key with this id");
  EXPECT_EQ(describe(keyset.disable(1).error()),
            "keyset: disable: the key is the primary; promote another first: not allowed");
  // What is already so may be asked for again.
  must(keyset.enable(1));
  must(keyset.promote(1));
  must(keyset.disable(2));
  EXPECT_EQ(to_string(keyset.to_json()), json);
  must(keyset.remove(3));
  must(keyset.remove(2));
  EXPECT_EQ(to_string(keyset.to_json()), keyset_json(1, {key_json(1), key_json(4)}));
}

TEST(KeysetManage, KeysForStreamsAndForKeysetsDoNotMix) {
  Keyset streams = must(Keyset::generate(kTemplate));
  constexpr std::string_view kMixed = "keyset: add: the keyset holds keys for another purpose";
  expect_refused(streams.add_key_encryption(), ErrorCode::kInvalidArgument, kMixed);
  Keyset keks = must(Keyset::generate_key_encryption());
  expect_refused(keks.add(kTemplate), ErrorCode::kInvalidArgument, kMixed);
  must(keks.add_key_encryption());
  EXPECT_EQ(keks.info().size(), 2u);
  EXPECT_EQ(keks.info()[1].template_name, kKeyEncryptionTemplate);
  EXPECT_EQ(keks.info()[1].prefix, OutputPrefix::kTink);
  expect_refused(keks.streaming_keys(), ErrorCode::kInvalidArgument, "keyset: not a streaming key");
  Keyset other = must_parse(keyset_json(1, {key_json(1, "ENABLED", "RAW", "type.example/Other", "AQID")}));
  expect_refused(other.add(kTemplate), ErrorCode::kInvalidArgument, kMixed);
}

TEST(KeysetManage, NumberOfKeysIsLimited) {
  std::vector<std::string> keys;
  for (std::uint32_t id = 1; id <= kMaxKeys; ++id) keys.push_back(key_json(id));
  Keyset full = must_parse(keyset_json(1, keys));
  expect_refused(full.add(kTemplate), ErrorCode::kLimitExceeded, "keyset: add: number of keys");
  const std::string binary = to_string(full.to_binary());
  must_parse(binary);
  keys.push_back(key_json(kMaxKeys + 1));
  expect_refused(Keyset::parse(as_bytes(keyset_json(1, keys))), ErrorCode::kLimitExceeded, "keyset: number of keys");
  // In binary: the last key entry once more is one too many before it is a duplicate.
  const std::string one = to_string(must_parse(keyset_json(1, {key_json(1)})).to_binary());
  expect_refused(Keyset::parse(as_bytes(binary + one.substr(2))), ErrorCode::kLimitExceeded, "keyset: number of keys");
  must(full.remove(77));
  must(full.add(kTemplate));
}

// A random life of a keyset, checked after each step against a plain list of (id, enabled).
TEST(KeysetManage, RandomOperationsKeepTheKeysetGood) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  Keyset keyset = must(Keyset::generate(kTemplate));
  std::vector<std::pair<std::uint32_t, bool>> expected = {{keyset.primary_id(), true}};
  std::uint32_t primary = keyset.primary_id();
  for (int step = 0; step < 400; ++step) {
    const std::size_t i = random() % expected.size();
    const auto [id, enabled] = expected[i];
    switch (random() % 5) {
      case 0:
        if (expected.size() < 12) expected.emplace_back(must(keyset.add(templates()[random() % 8])), true);
        break;
      case 1:
        ASSERT_EQ(keyset.promote(id).has_value(), enabled);
        if (enabled) primary = id;
        break;
      case 2:
        ASSERT_TRUE(keyset.enable(id));
        expected[i].second = true;
        break;
      case 3:
        ASSERT_EQ(keyset.disable(id).has_value(), id != primary);
        if (id != primary) expected[i].second = false;
        break;
      case 4:
        ASSERT_EQ(keyset.remove(id).has_value(), id != primary);
        if (id != primary) expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(i));
        break;
    }
    const std::string binary = to_string(keyset.to_binary()), json = to_string(keyset.to_json());
    keyset = must_parse(random() % 2 == 0 ? binary : json);
    ASSERT_EQ(to_string(keyset.to_binary()), binary);
    ASSERT_EQ(to_string(keyset.to_json()), json);
    ASSERT_EQ(keyset.primary_id(), primary);
    const std::vector<KeyInfo> infos = keyset.info();
    ASSERT_EQ(infos.size(), expected.size());
    for (std::size_t k = 0; k < infos.size(); ++k) {
      ASSERT_EQ(infos[k].id, expected[k].first);
      ASSERT_EQ(infos[k].status == KeyStatus::kEnabled, expected[k].second);
    }
  }
}

}  // namespace
}  // namespace millrace::tink
