#include <gtest/gtest.h>

#include <set>
#include <string>

#include "millrace/base64.h"
#include "millrace/tdf_manifest.h"
#include "testing/tdf_vectors.h"

namespace millrace::tdf {
namespace {

constexpr const char* kUuid = "0f0e0d0c-0b0a-4908-8706-050403020100";
constexpr const char* kFqn = "https://example.com/attr/level/value/secret";

Policy must_parse(std::string_view json) {
  Result<Policy> policy = parse_policy(as_bytes(json));
  if (!policy) ADD_FAILURE() << describe(policy.error()) << "\n" << json;
  return policy ? *std::move(policy) : Policy{};
}
void expect_refused(std::string_view json, std::string_view where, ErrorCode code = ErrorCode::kMalformed) {
  const Result<Policy> policy = parse_policy(as_bytes(json));
  ASSERT_FALSE(policy) << json;
  EXPECT_EQ(policy.error().code, code) << json;
  EXPECT_EQ(policy.error().where, where) << json;
}

TEST(Policy, IsWrittenAsTheKasesReadIt) {
  Policy policy;
  policy.uuid = kUuid;
  EXPECT_EQ(*to_json(policy),
            R"({"uuid":"0f0e0d0c-0b0a-4908-8706-050403020100","body":{"dataAttributes":[],"dissem":[]}})");
  policy.attributes.resize(2);
  policy.attributes[0].fqn = kFqn;
  policy.attributes[0].kas_url = "https://kas.example.com";
  policy.attributes[1].fqn = "http://a/attr/b/value/c";
  policy.attributes[1].display_name = "\xc3\xa9\n";
  policy.attributes[1].is_default = true;
  policy.attributes[1].public_key = "k";
  policy.dissem = {"a@example.com", "b@example.com"};
  EXPECT_EQ(
      *to_json(policy),
      R"({"uuid":"0f0e0d0c-0b0a-4908-8706-050403020100","body":{"dataAttributes":[)"
      R"({"attribute":"https://example.com/attr/level/value/secret","displayName":"","isDefault":false,"pubKey":"",)"
      R"("kasURL":"https://kas.example.com"},)"
      R"({"attribute":"http://a/attr/b/value/c","displayName":"\u00e9\n","isDefault":true,"pubKey":"k","kasURL":""}],)"
      R"("dissem":["a@example.com","b@example.com"]}})");
}

TEST(Policy, WhatIsWrittenIsReadBack) {
  Policy policy;
  policy.uuid = kUuid;
  policy.attributes = {Policy::Attribute{kFqn, "\xf0\x9f\x98\x80", true, "u", "p"}};
  policy.dissem = {"x"};
  const Policy read = must_parse(*to_json(policy));
  EXPECT_EQ(read.uuid, policy.uuid);
  ASSERT_EQ(read.attributes.size(), 1u);
  EXPECT_EQ(read.attributes[0].fqn, kFqn);
  EXPECT_EQ(read.attributes[0].display_name, policy.attributes[0].display_name);
  EXPECT_TRUE(read.attributes[0].is_default);
  EXPECT_EQ(read.attributes[0].kas_url, "u");
  EXPECT_EQ(read.attributes[0].public_key, "p");
  EXPECT_EQ(read.dissem, policy.dissem);
}

TEST(Policy, WhatNoReaderTakesIsNotWritten) {
  const auto refused = [](auto change) {
    Policy policy;
    policy.uuid = kUuid;
    policy.attributes.emplace_back().fqn = kFqn;
    change(policy);
    const Result<std::string> json = to_json(policy);
    return !json && json.error().code == ErrorCode::kInvalidArgument;
  };
  EXPECT_FALSE(refused([](Policy&) {}));
  EXPECT_FALSE(refused([](Policy& p) { p.uuid = "0F0E0D0C-0B0A-4908-8706-050403020100"; }));
  for (const char* uuid : {"", "0f0e0d0c0b0a49088706050403020100", "0f0e0d0c-0b0a-4908-8706-05040302010",
                           "0f0e0d0c-0b0a-4908-8706-0504030201000", "0f0e0d0c-0b0a-4908-8706-05040302010g",
                           "0f0e0d0c_0b0a-4908-8706-050403020100", "{f0e0d0c-0b0a-4908-8706-05040302010}"}) {
    EXPECT_TRUE(refused([&](Policy& p) { p.uuid = uuid; })) << uuid;
  }
  EXPECT_TRUE(refused([](Policy& p) { p.attributes[0].fqn = "secret"; }));
  EXPECT_TRUE(refused([](Policy& p) { p.attributes[0].fqn += "\xff"; }));
  EXPECT_TRUE(refused([](Policy& p) { p.attributes[0].display_name = "\xff"; }));
  EXPECT_TRUE(refused([](Policy& p) { p.dissem = {"\xff"}; }));
}

TEST(Policy, ValueFqnsFollowThePattern) {
  for (const char* good :
       {kFqn, "http://a/attr//value/", "https://a.b-c_d/e/f/attr/x/value/y/value/z", "https://a/attr/b/attr/c/value/d",
        "https://a/attr/%20/value/%2f", "https://a/attr/\xc3\xa9/value/x",
        // the authority is what comes before the second "/attr/"
        "https:///attr/a/value/b/attr/c/value/d"}) {
    EXPECT_TRUE(validate_attribute_fqn(good)) << good;
  }
  for (const char* bad : {"", "https://", "https:///attr/a/value/b", "ftp://a/attr/b/value/c",
                          "HTTPS://a/attr/b/value/c", "https://a/attr/b", "https://a/value/b",
                          "https://a/value/b/attr/c", "https://a/attr/b/values/c", "https://a b/attr/c/value/d",
                          "https://a:1/attr/c/value/d", "https://a/attr/b c/value/d", "https://a/attr/b/value/d\n",
                          " https://a/attr/b/value/c", "https://a/attr/value/c", "https://\xc3\xa9/attr/b/value/c"}) {
    const Status status = validate_attribute_fqn(bad);
    ASSERT_FALSE(status) << bad;
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(Policy, BothSpellingsOfTheUrlAndNullForListsAreRead) {
  const Policy js =
      must_parse(R"({"uuid":"x","body":{"dataAttributes":[{"attribute":"a","kasUrl":"u","isDefault":null,)"
                 R"("displayName":null,"extra":{}}],"dissem":null,"more":1},"v":2})");
  ASSERT_EQ(js.attributes.size(), 1u);
  EXPECT_EQ(js.attributes[0].kas_url, "u");
  EXPECT_EQ(must_parse(R"({"body":{"dataAttributes":null,"dissem":null}})").attributes.size(), 0u);
  EXPECT_EQ(must_parse("{}").uuid, "");
  // G6: which of the two would another reader take?
  expect_refused(R"({"body":{"dataAttributes":[{"attribute":"a","kasUrl":"u","kasURL":"v"}]}})", "tdf policy: kasURL");
}

TEST(Policy, WhatIsNoPolicyIsRefused) {
  expect_refused("", "tdf policy: JSON");
  expect_refused("[]", "tdf policy: JSON");
  expect_refused("{}{}", "tdf policy: JSON");
  expect_refused(R"({"uuid":"a","uuid":"b"})", "tdf policy: JSON");
  expect_refused(R"({"uuid":1})", "tdf policy: uuid");
  expect_refused(R"({"body":[]})", "tdf policy: body");
  expect_refused(R"({"body":{"dataAttributes":{}}})", "tdf policy: dataAttributes");
  expect_refused(R"({"body":{"dataAttributes":["a"]}})", "tdf policy: dataAttributes");
  expect_refused(R"({"body":{"dataAttributes":[{}]}})", "tdf policy: attribute");
  expect_refused(R"({"body":{"dataAttributes":[{"attribute":null}]}})", "tdf policy: attribute");
  expect_refused(R"({"body":{"dataAttributes":[{"attribute":"a","isDefault":"yes"}]}})", "tdf policy: isDefault");
  expect_refused(R"({"body":{"dissem":[null]}})", "tdf policy: dissem");
  expect_refused(std::string(60, '['), "tdf policy: JSON");
  expect_refused(std::string(100, '['), "tdf policy: JSON", ErrorCode::kLimitExceeded);
  expect_refused(R"({"x":)" + std::string(64, '[') + std::string(64, ']') + "}", "tdf policy: JSON",
                 ErrorCode::kLimitExceeded);
  expect_refused(std::string((std::size_t{10} << 20) + 1, ' '), "tdf policy: JSON", ErrorCode::kLimitExceeded);
  // A list of empty texts, one entry below and one above the limit.
  std::string many = R"({"body":{"dissem":[)";
  for (int i = 0; i < 16383; ++i) many += "\"\",";
  EXPECT_EQ(must_parse(many + "\"\"]}}").dissem.size(), 16384u);
  expect_refused(many + "\"\",\"\"]}}", "tdf policy: dissem", ErrorCode::kLimitExceeded);
}

TEST(Policy, OfAManifestIsDecodedStrictly) {
  Manifest manifest;
  manifest.policy = base64_encode(as_bytes(std::string_view(R"({"uuid":"u"})")));
  const Result<Policy> policy = policy_of(manifest);
  ASSERT_TRUE(policy);
  EXPECT_EQ(policy->uuid, "u");
  manifest.policy.insert(4, "\n");
  const Result<Policy> broken = policy_of(manifest);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().where, "tdf policy: base64");
  EXPECT_EQ(broken.error().offset, 4u);
}

TEST(Policy, OfAGoldenFile) {
  const Result<Manifest> manifest =
      parse_manifest(as_bytes(testing::manifest_text_of(testing::read_vector("platform/sample.tdf"))));
  ASSERT_TRUE(manifest);
  const Result<Policy> policy = policy_of(*manifest);
  ASSERT_TRUE(policy);
  EXPECT_EQ(policy->uuid, "58e806ce-f3a5-11ef-a8f0-ead0d07b1de1");
}

TEST(RandomUuid, IsVersion4InLowerCaseAndAnotherEachTime) {
  std::set<std::string> seen;
  for (int i = 0; i < 64; ++i) {
    const Result<std::string> uuid = random_uuid();
    ASSERT_TRUE(uuid);
    ASSERT_EQ(uuid->size(), 36u);
    for (std::size_t at = 0; at < 36; ++at) {
      const bool is_dash = at == 8 || at == 13 || at == 18 || at == 23;
      EXPECT_NE(std::string(is_dash ? "-" : "0123456789abcdef").find((*uuid)[at]), std::string::npos) << *uuid;
    }
    EXPECT_EQ((*uuid)[14], '4');
    EXPECT_NE(std::string("89ab").find((*uuid)[19]), std::string::npos);
    EXPECT_TRUE(seen.insert(*uuid).second);
  }
}

}  // namespace
}  // namespace millrace::tdf
