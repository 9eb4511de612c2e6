// The JSON form: what is read, what is refused, and that a broken text is refused wherever it is broken.
#include <gtest/gtest.h>

#include <random>

#include "tink/keyset_masked_text.h"
#include "tink/keyset_vectors.h"

namespace millrace::tink {
namespace {

const std::string kGood = keyset_json(42, {key_json(42), key_json(43, "DISABLED", "TINK")});

void expect_same(const std::string& json, const std::string& canonical = kGood) {
  const Result<Keyset> keyset = Keyset::parse(as_bytes(json));
  ASSERT_TRUE(keyset.has_value()) << describe(keyset.error()) << "\n" << json;
  EXPECT_EQ(to_string(keyset->to_json()), canonical);
}

Error expect_bad(const std::string& json, std::string_view where, ErrorCode code = ErrorCode::kMalformed) {
  SCOPED_TRACE(json.substr(0, 500));
  return expect_refused(Keyset::parse(as_bytes(json)), code, where);
}

TEST(KeysetJson, BothSpellingsOfMemberNames) {
  std::string snake = kGood;
  const std::pair<std::string_view, std::string_view> names[] = {
      {"primaryKeyId", "primary_key_id"},       {"keyData", "key_data"}, {"typeUrl", "type_url"},
      {"keyMaterialType", "key_material_type"}, {"keyId", "key_id"},     {"outputPrefixType", "output_prefix_type"}};
  for (const auto& [camel, snake_name] : names) {
    snake = replaced(snake, camel, snake_name);
    expect_same(snake);
  }
  // Both in one object are one member twice.
  expect_bad(replaced(kGood, "\"keyId\":42", "\"keyId\":42,\"key_id\":42"), "keyset: key.keyId");
}

TEST(KeysetJson, OtherWaysToWriteAValue) {
  expect_same(replaced(kGood, "\"ENABLED\"", "1"));
  expect_same(replaced(kGood, "\"DISABLED\"", "2"));
  expect_same(replaced(kGood, "\"RAW\"", "3"));
  expect_same(replaced(kGood, "\"SYMMETRIC\"", "1"));
  expect_same(replaced(kGood, "\"keyId\":42", "\"keyId\":\"42\""));
  expect_same(replaced(kGood, "\"primaryKeyId\":42", "\"primaryKeyId\":\"42\""));
  expect_same(replaced(kGood, "\"keyId\":42", "\"key\\u0049d\":42"));
  expect_same(replaced(kGood, "\"ENABLED\"", "\"\\u0045NABLED\""));
  expect_same(replaced(kGood, "type.googleapis.com/", "type.googleapis.com\\/"));
  expect_same(replaced(kGood, "{", " \t\r\n{ \n"));
}

TEST(KeysetJson, MembersInAnyOrderAndUnknownOnesIgnored) {
  const std::string key =
      "{\"outputPrefixType\":\"RAW\",\"x\":{\"keyId\":7,\"keyId2\":[1.5,-1,1e3,null,true,\"a\"]},\"keyId\":42,"
      "\"status\":\"ENABLED\",\"keyData\":{\"keyMaterialType\":\"SYMMETRIC\",\"y\":[[[]]],\"value\":\"" +
      std::string(kKeyBase64) + "\",\"typeUrl\":\"" + std::string(kGcmUrl) + "\"}}";
  expect_same("{\"key\":[" + key + "],\"z\":null,\"primaryKeyId\":42}", keyset_json(42, {key_json(42)}));
}

TEST(KeysetJson, DuplicateMembersAreRefusedEverywhere) {
  expect_bad(replaced(kGood, "{\"primary", "{\"primaryKeyId\":42,\"primary"), "keyset: primaryKeyId");
  expect_bad(replaced(kGood, "\"key\":[", "\"key\":[],\"key\":["), "keyset: key");
  expect_bad(replaced(kGood, "\"status\":", "\"status\":\"ENABLED\",\"status\":"), "keyset: key.status");
  expect_bad(replaced(kGood, "\"value\":", "\"value\":\"\",\"value\":"), "keyset: key.keyData.value: base64");
  expect_bad(replaced(kGood, "{\"primary", "{\"a\":1,\"a\":1,\"primary"), "keyset: JSON: member twice");
  expect_bad(replaced(kGood, "{\"primary", "{\"a\":{\"b\":1,\"\\u0062\":1},\"primary"), "keyset: JSON: member twice");
  expect_same(replaced(kGood, "{\"primary", "{\"a\":{\"b\":1},\"b\":{\"b\":1},\"primary"));
}

TEST(KeysetJson, IdsAreUnsigned32BitIntegers) {
  for (const std::string_view bad :
       {"-1",      "-0",      "4294967296", "42.0",     "4.2e1",          "42e0",     "18446744073709551616",
        "null",    "true",    "[]",         "{}",       "\"\"",           "\" 42\"",  "\"42 \"",
        "\"042\"", "\"-42\"", "\"+42\"",    "\"0x2a\"", "\"4294967296\"", "\"42.0\"", "\"99999999999\"",
        "\"4_2\""}) {
    const std::string id(bad);
    expect_bad(replaced(kGood, "\"keyId\":42", "\"keyId\":" + id), "keyset: key.keyId");
    expect_bad(replaced(kGood, "\"primaryKeyId\":42", "\"primaryKeyId\":" + id), "keyset: primaryKeyId");
  }
  for (const std::string_view bad : {"042", "+42", "0x2a", "NaN", "42,", ".5"})
    expect_bad(replaced(kGood, "\"keyId\":42", "\"keyId\":" + std::string(bad)), "keyset: JSON");
  const std::string biggest = keyset_json(4294967295, {key_json(4294967295)});
  expect_same(biggest, biggest);
  expect_same(replaced(biggest, "\"keyId\":4294967295", "\"keyId\":\"4294967295\""), biggest);
  const std::string zero = keyset_json(0, {key_json(0)});
  expect_same(replaced(zero, "\"keyId\":0", "\"keyId\":\"0\""), zero);
}

TEST(KeysetJson, EnumsAreKnownNamesOrNumbers) {
  for (const std::string_view bad :
       {"\"enabled\"", "\"\"", "\"ENABLED \"", "4", "-1", "99", "1.0", "null", "false", "[]", "{}", "\"1\"", "\"RAW\""})
    expect_bad(replaced(kGood, "\"ENABLED\"", bad), "keyset: key.status");
  for (const std::string_view bad : {"\"raw\"", "6", "4294967296", "null", "\"ENABLED\""})
    expect_bad(replaced(kGood, "\"RAW\"", bad), "keyset: key.outputPrefixType");
  for (const std::string_view bad : {"\"SYM\"", "5", "null"})
    expect_bad(replaced(kGood, "\"SYMMETRIC\"", bad), "keyset: key.keyData.keyMaterialType");
  expect_bad(replaced(kGood, "\"ENABLED\"", "0"), "keyset: key.status: unknown");
  expect_bad(replaced(kGood, "\"RAW\"", "\"WITH_ID_REQUIREMENT\""), "keyset: key.outputPrefixType: unknown");
  expect_bad(replaced(kGood, "\"status\":\"ENABLED\",", ""), "keyset: key.status: unknown");
  expect_bad(replaced(kGood, ",\"outputPrefixType\":\"RAW\"", ""), "keyset: key.outputPrefixType: unknown");
}

TEST(KeysetJson, WrongKindsOfValues) {
  for (const std::string_view bad : {"null", "1", "\"a\"", "{}", "true", "1.5"})
    expect_bad("{\"primaryKeyId\":42,\"key\":" + std::string(bad) + "}", "keyset: key");
  for (const std::string_view bad : {"null", "1", "\"a\"", "[]", "[{}]", "true"})
    expect_bad("{\"primaryKeyId\":42,\"key\":[" + std::string(bad) + "]}", "keyset: key");
  for (const std::string_view bad : {"null", "1", "\"a\"", "[]", "true"})
    expect_bad("{\"primaryKeyId\":42,\"key\":[{\"keyData\":" + std::string(bad) + "}]}", "keyset: key.keyData");
  for (const std::string_view bad : {"null", "1", "[]", "{}", "true"}) {
    expect_bad(replaced(kGood, "\"" + std::string(kGcmUrl) + "\"", bad), "keyset: key.keyData.typeUrl");
    expect_bad(replaced(kGood, "\"" + std::string(kKeyBase64) + "\"", bad), "keyset: key.keyData.value: base64");
  }
  expect_bad(replaced(kGood, "\"keyData\":{", "\"other\":{"), "keyset: key.keyData: missing");
}

TEST(KeysetJson, Base64OfEitherAlphabetPaddingOptional) {
  // A serialized key whose base64 has both special characters and one character of padding.
  const std::string wide = "EgYIQBAQGAMaEPv/v+Pj4+Pj4+Pj4+Pj4+M=";
  const std::string canonical = keyset_json(1, {key_json(1, "ENABLED", "RAW", kGcmUrl, wide)});
  must_parse(canonical);
  std::string url_safe = canonical;
  const std::size_t value = canonical.find(wide);
  for (std::size_t i = value; i < value + wide.size(); ++i)
    if (url_safe[i] == '+' || url_safe[i] == '/') url_safe[i] = url_safe[i] == '+' ? '-' : '_';
  ASSERT_NE(url_safe, canonical);
  expect_same(url_safe, canonical);
  expect_same(replaced(canonical, "M=\"", "M\""), canonical);
  expect_same(replaced(url_safe, "M=\"", "M\""), canonical);
  expect_same(replaced(canonical, "Pv/v+", "Pv\\/v+"), canonical);
  expect_same(replaced(canonical, "Pv/v+", "Pv/v\\u002b"), canonical);
  constexpr std::string_view kWhere = "keyset: key.keyData.value: base64";
  // One alphabet per text, or two readers could disagree about it.
  expect_bad(replaced(canonical, "Pv/v+", "Pv_v+"), kWhere);
  expect_bad(replaced(canonical, "Pv/v+", "Pv/v-"), kWhere);
  for (const std::string_view end : {"M==\"", "M=x\"", "=M=\"", "M= \"", " M=\"", "M=\\n\"", "N=\"", "\"", "M===\"",
                                     "M====\"", "MA=\"", "\xc3\xa9=\""})
    expect_bad(replaced(canonical, "M=\"", end), kWhere);
  for (const std::string_view text : {"A", "AA=", "A===", "====", "=", "==", "A=", "AAAA=", "AA==AA=="})
    expect_bad(replaced(canonical, wide, text), kWhere);
}

TEST(KeysetJson, EveryTruncationIsRefused) {
  for (std::size_t n = 0; n < kGood.size(); ++n) {
    const Result<Keyset> keyset = Keyset::parse(as_bytes(std::string_view(kGood).substr(0, n)));
    // Only the newline at the end may go.
    ASSERT_EQ(keyset.has_value(), n == kGood.size() - 1) << n;
    if (!keyset) {
      ASSERT_EQ(keyset.error().code, ErrorCode::kMalformed);
      ASSERT_LE(keyset.error().offset, n);
    }
  }
}

TEST(KeysetJson, NothingMayFollow) {
  for (const std::string& tail : {std::string("x"), std::string("{}"), std::string(","), std::string("]"),
                                  std::string("\""), std::string("/**/"), std::string("// c"), std::string(1, '\0')})
    expect_bad(kGood + tail, "keyset: JSON");
  expect_same(kGood + " \n\t\r");
}

TEST(KeysetJson, CommentsAndControlCharactersAndBadUtf8) {
  expect_bad(replaced(kGood, "\"key\":", "/*c*/\"key\":"), "keyset: JSON");
  for (const std::string_view bad :
       {"\x01", "\xff", "\xc3", "\xed\xa0\x80", "\\x", "\\u12", "\\ud800", "\\udc00", "\\ud800\\u0041", "\n"})
    expect_bad(replaced(kGood, "{\"primary", "{\"a\":\"" + std::string(bad) + "\",\"primary"), "keyset: JSON");
}

TEST(KeysetJson, NestingIsLimited) {
  // The document is level 1.
  const auto nested = [](std::size_t levels, std::string_view open, std::string_view close) {
    std::string json = "{\"x\":";
    for (std::size_t i = 1; i < levels; ++i) json += open;
    json += "1";
    for (std::size_t i = 1; i < levels; ++i) json += close;
    return json + "," + kGood.substr(1);
  };
  expect_same(nested(kMaxJsonDepth, "[", "]"));
  expect_same(nested(kMaxJsonDepth, "{\"y\":", "}"));
  expect_bad(nested(kMaxJsonDepth + 1, "[", "]"), "keyset: JSON nesting", ErrorCode::kLimitExceeded);
  expect_bad(nested(kMaxJsonDepth + 1, "{\"y\":", "}"), "keyset: JSON nesting", ErrorCode::kLimitExceeded);
  expect_bad(nested(1000000, "[", "]"), "keyset: JSON nesting", ErrorCode::kLimitExceeded);
  expect_bad("{\"x\":" + std::string(1000000, '['), "keyset: JSON nesting", ErrorCode::kLimitExceeded);
}

TEST(KeysetJson, SizeIsLimited) {
  expect_same(kGood + std::string(kMaxKeysetSize - kGood.size(), ' '));
  expect_bad(kGood + std::string(kMaxKeysetSize - kGood.size() + 1, ' '), "keyset: size of the input",
             ErrorCode::kLimitExceeded);
}

TEST(KeysetJson, EncryptedKeysetIsNotAKeyset) {
  expect_bad("{\"encryptedKeyset\":\"AAAA\"}", "keyset: encryptedKeyset: needs its key-encryption key");
  expect_bad(replaced(kGood, "{", "{\"encrypted_keyset\":\"AAAA\","),
             "keyset: encryptedKeyset: needs its key-encryption key");
}

// The parser gets no letter of a string, but the same structure at the same positions.
TEST(MaskedText, HidesWhatStringsSay) {
  const std::string text = "{\"key\":[\"aZ09+/=-_\", true, 12, \"\\\"q\\\\\", \"\\u00e9 \\/x\", \"\xc3\xa9.\", \"\"]}";
  const std::string hidden =
      "{\"xxx\":[\"xxxxxxxxx\", true, 12, \"\\\"x\\\\\", \"\\u00e9 \\/x\", \"\xc3\xa9.\", \"\"]}";
  MaskedText masked(text);
  std::string seen;
  std::vector<std::string> strings;
  for (MaskedText::Iterator it(masked); it != MaskedText::Iterator(); ++it) {
    seen += *it;
    if (strings.empty() || strings.back() != masked.last_string()) strings.emplace_back(masked.last_string());
  }
  EXPECT_EQ(seen, hidden);
  EXPECT_EQ(strings.back(), "");
  EXPECT_EQ(masked.position(), text.size());
  EXPECT_EQ(masked.last_string_position(), text.size() - 3);
}

TEST(MaskedText, UnescapeFollowsRfc8259) {
  const auto of = [](std::string_view raw) {
    SecretBytes storage;
    return std::string(unescape(raw, storage));
  };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("plain"), "plain");
  EXPECT_EQ(of("\\\"\\\\\\/\\b\\f\\n\\r\\t"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(of("\\u0041\\u00e9\\u20ac\\ud83d\\uDE00z"), "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z");
  EXPECT_EQ(of("\\u0000"), std::string(1, '\0'));
  EXPECT_EQ(of("\\u007f\\u0080\\u07ff\\u0800\\uffff\\udbff\\udfff"),
            "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf4\x8f\xbf\xbf");
  EXPECT_EQ(of("\\\\u0041"), "\\u0041");
}

// What is accepted must be a keyset that reads back as itself, whatever was done to the text.
TEST(KeysetJson, RandomDamageIsRefusedOrHarmless) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::size_t accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = kGood;
    for (unsigned k = 0; k <= random() % 3; ++k) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(text[at] ^ (1 << random() % 8));
          break;
        case 1:
          text.erase(at, 1 + random() % 5);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), random() % 40));
          break;
        case 3:
          text.insert(at, 1, "\"\\{}[],:0-u\n"[random() % 12]);
          break;
      }
    }
    const Result<Keyset> keyset = Keyset::parse(as_bytes(text));
    if (!keyset) continue;
    ++accepted;
    const std::string again = to_string(keyset->to_json());
    ASSERT_EQ(to_string(must_parse(again).to_json()), again) << text;
  }
  EXPECT_GT(accepted, 0u);
}

}  // namespace
}  // namespace millrace::tink
