// JsonReader against the grammar, against nlohmann's parser on mutated texts, and against hostile ones.
#include "encoding/json_reader.h"

#include <gtest/gtest.h>

#include <bit>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "encoding/json_canonical.h"
#include "encoding/json_text.h"

namespace millrace {
namespace {

constexpr std::string_view kWhere = "test: JSON";

Status read_all(std::string_view text, const JsonLimits& limits = {}) {
  JsonReader in(text, kWhere, limits);
  MR_TRY(in.skip());
  return in.finish();
}

bool accepts(std::string_view text) {
  const Status status = read_all(text);
  if (status) return true;
  EXPECT_EQ(status.error().code, ErrorCode::kMalformed) << text;
  EXPECT_LE(status.error().offset, text.size()) << text;
  return false;
}

TEST(JsonReader, TakesWhatTheGrammarTakes) {
  using namespace std::string_view_literals;
  for (const std::string_view text :
       {"null"sv, "true"sv, "false"sv, "0"sv, "-0"sv, "-1.5e+10"sv, "1E9"sv, "0.0"sv, "\"\""sv, "{}"sv, "[]"sv,
        " \t\r\n[ 1 , 2 ] "sv, R"({"a":{"b":[{}]},"c":""})"sv, R"("\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00")"sv,
        "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f\""sv, R"("\u0000")"sv, R"({"":1})"sv, "1e999"sv}) {
    EXPECT_TRUE(accepts(text)) << text;
  }
}

TEST(JsonReader, RefusesWhatTheGrammarDoesNotTake) {
  using namespace std::string_view_literals;
  for (const std::string_view text :
       {""sv,         " "sv,     "nul"sv,    "nullx"sv,    "True"sv,      "01"sv,          "-"sv,
        "+1"sv,       ".5"sv,    "1."sv,     "1e"sv,       "1e+"sv,       "0x1"sv,         "NaN"sv,
        "Infinity"sv, "\""sv,    "\"\\\""sv, R"("\x")"sv,  R"("\u12")"sv, R"("\u12g4")"sv, "\"\t\""sv,
        "\"\n\""sv,   "'a'"sv,   "{"sv,      "["sv,        "[1"sv,        "[1,"sv,         "[1,]"sv,
        "[,]"sv,      "[1 2]"sv, "{1:2}"sv,  R"({"a"})"sv, R"({"a":})"sv, R"({"a":1,})"sv, R"({"a":1 "b":2})"sv,
        R"({,})"sv,   "]"sv,     "}"sv,      "[}"sv,       "{]"sv,        "1 2"sv,         "[] []"sv,
        "// c\n1"sv,  "[1]//"sv, "/**/1"sv}) {
    EXPECT_FALSE(accepts(text)) << text;
  }
}

// G6: what one reader takes and another does not.
TEST(JsonReader, G6RefusesWhatReadersUnderstandDifferently) {
  using namespace std::string_view_literals;
  for (const std::string_view text : {
           "\xef\xbb\xbf{}"sv,  // byte order mark
           "{}\0"sv,
           "\0{}"sv,
           "\"a\0b\""sv,
           "[1\0,2]"sv,  // NUL
           "\"\x80\""sv,
           "\"\xc0\xaf\""sv,
           "\"\xc3\""sv,  // not UTF-8: no first byte, overlong, cut
           "\"\xe0\x80\x80\""sv,
           "\"\xed\xa0\x80\""sv,  // overlong, a surrogate
           "\"\xf4\x90\x80\x80\""sv,
           "\"\xf8\x88\x80\x80\x80\""sv,  // above U+10FFFF, five bytes
           R"("\ud800")"sv,
           R"("\udc00")"sv,
           R"("\ud800\u0041")"sv,
           R"("\ud800x")"sv,
           R"({"a":1,"a":2})"sv,
           R"({"a":1,"\u0061":2})"sv,
           R"([{"x":{"b":1,"c":2,"b":3}}])"sv,
       }) {
    EXPECT_FALSE(accepts(text)) << text;
  }
  EXPECT_TRUE(accepts(R"([{"a":1},{"a":{"a":2}},{"b":0,"a":1}])"));  // a name may stand once in each object
}

TEST(JsonReader, ValuesAreGivenAsTheyStand) {
  JsonReader in(R"({"t":true,"f":false,"n":null,"s":"a\u20ac\ud83d\ude00\n","i":9007199254740991,"d":-2.5e3,"e":[]})",
                kWhere);
  std::string seen;
  const Status status = in.object(kWhere, [&](std::string_view name) -> Status {
    seen += name;
    if (name == "t" || name == "f") {
      MR_TRY(const bool value, in.boolean(kWhere));
      EXPECT_EQ(value, seen == "t");
    } else if (name == "n") {
      MR_TRY(const bool null, in.take_null());
      EXPECT_TRUE(null);
    } else if (name == "s") {
      MR_TRY(const std::string_view value, in.string(kWhere));
      EXPECT_EQ(value, "a\xe2\x82\xac\xf0\x9f\x98\x80\n");
    } else if (name == "i") {
      MR_TRY(const std::uint64_t value, in.integer(kWhere));
      EXPECT_EQ(value, (std::uint64_t{1} << 53) - 1);
    } else if (name == "d") {
      MR_TRY(const double value, in.number(kWhere));
      EXPECT_EQ(value, -2500);
    } else {
      return in.array(kWhere, [](std::size_t) -> Status { return Error{}; });
    }
    return Ok{};
  });
  EXPECT_TRUE(status) << describe(status.error());
  EXPECT_TRUE(in.finish());
  EXPECT_EQ(seen, "tfnside");
}

// G2: sizes and counts come as plain digits.
TEST(JsonReader, G2IntegersArePlainAndExact) {
  for (const char* text : {"0", "1", "27", "9007199254740991"}) {
    EXPECT_TRUE(JsonReader(text, kWhere).integer("n")) << text;
  }
  for (const char* text : {"-1", "-0", "1.0", "1.5", "1e3", "9007199254740992", "9223372036854775808",
                           "18446744073709551616", "\"1\"", "null", "true", "[1]"}) {
    const auto number = JsonReader(text, kWhere).integer("n");
    ASSERT_FALSE(number) << text;
    EXPECT_EQ(number.error().where, "n");
  }
}

TEST(JsonReader, ErrorsHaveTheirPlaceAndElement) {
  JsonReader in(R"([{"a":1}, {"a":1}, {"a":"x"}])", kWhere);
  const Status status = in.array("list", [&](std::size_t) {
    return in.object("item", [&](std::string_view) -> Status {
      MR_TRY(in.integer("item: a"));
      return Ok{};
    });
  });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().where, "item: a");
  EXPECT_EQ(status.error().offset, 24u);
  EXPECT_EQ(status.error().detail, 3);

  const Status syntax = read_all("[1, 2, x]");
  ASSERT_FALSE(syntax);
  EXPECT_EQ(syntax.error().where, kWhere);
  EXPECT_EQ(syntax.error().offset, 7u);
}

TEST(JsonReader, LimitsHoldOnBothSides) {
  const auto code = [](std::string_view text, const JsonLimits& limits) {
    const Status status = read_all(text, limits);
    return status ? std::optional<ErrorCode>() : status.error().code;
  };
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(code(nested(64), {}), std::nullopt);
  EXPECT_EQ(code(nested(65), {}), ErrorCode::kLimitExceeded);
  const JsonLimits deep{.max_size = 1 << 26, .max_depth = 1 << 30};
  EXPECT_EQ(code(nested(JsonReader::kMaxDepth), deep), std::nullopt);
  EXPECT_EQ(code(nested(JsonReader::kMaxDepth + 1), deep), ErrorCode::kLimitExceeded);
  EXPECT_EQ(code(nested(10'000'000), deep), ErrorCode::kLimitExceeded);
  EXPECT_EQ(code(std::string(10'000'000, '['), deep), ErrorCode::kLimitExceeded);

  EXPECT_EQ(code("[1]", {.max_size = 3}), std::nullopt);
  EXPECT_EQ(code("[1]", {.max_size = 2}), ErrorCode::kLimitExceeded);

  EXPECT_EQ(code(R"({"a":{"a":1,"b":2},"b":{"a":1}})", {.max_members = 2}), std::nullopt);
  EXPECT_EQ(code(R"({"a":{"a":1,"b":2},"b":{"a":1},"c":0})", {.max_members = 2}), ErrorCode::kLimitExceeded);
}

// Oracle: nlohmann's parser, with the names of each object beside it.
struct Oracle : nlohmann::json_sax<nlohmann::json> {
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return names.emplace_back(), true; }
  bool key(string_t& name) override { return names.back().insert(name).second; }
  bool end_object() override { return names.pop_back(), true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) override {
    out_of_range = error.id == 406;  // a number beyond double: the grammar takes it, this parser stops
    return false;
  }
  std::vector<std::set<std::string>> names;
  bool out_of_range = false;
};

constexpr std::string_view kSeeds[] = {
    R"({"a":[1,-2.5e3,true,false,null,"x\u20ac\n"],"b":{"c":{},"d":[]},"e":"é\ud83d\ude00"})",
    R"([[],{},[{"k":"v","l":[0.125,1e-7]}],"",0])",
    R"("\\\"\/\b\f\r\t\u0041")",
};

TEST(JsonReader, AgreesWithAnotherParserOnMutatedTexts) {
  std::mt19937 random(20250101);
  constexpr std::string_view kBytes = "{}[]:,\"\\u0019aetrfnl.-+E \n\x01\x80\xc3\xa9\xff/";
  std::size_t accepted = 0;
  for (int round = 0; round < 60000; ++round) {
    std::string text(kSeeds[static_cast<std::size_t>(round) % std::size(kSeeds)]);
    for (auto edits = random() % 3 + 1; edits > 0 && !text.empty(); --edits) {
      const std::size_t at = random() % text.size();
      const char byte = kBytes[random() % kBytes.size()];
      switch (random() % 4) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.insert(at, 1, byte);
          break;
        case 2:
          text.erase(at, 1);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 8));
          break;
      }
    }
    Oracle oracle;
    const bool expected = nlohmann::json::sax_parse(text, &oracle);
    if (oracle.out_of_range) continue;
    ASSERT_EQ(accepts(text), expected) << text;
    accepted += expected ? 1 : 0;
  }
  EXPECT_GT(accepted, 1000u);  // both answers were asked for
}

std::string canonical(std::string_view text) {
  JsonReader in(text, kWhere);
  std::string out;
  const Status status = canonical_json(in, out);
  EXPECT_TRUE(status && in.finish()) << text;
  return out;
}

// RFC 8785, section 3.2.2 and 3.2.4.
TEST(CanonicalJson, TheSampleOfTheRfc) {
  EXPECT_EQ(canonical(R"({
  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
  "literals": [null, true, false]
})"),
            "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
            "\"string\":\"\xe2\x82\xac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
}

// RFC 8785, section 3.2.3: by UTF-16 code units, where a surrogate comes before U+FB33.
TEST(CanonicalJson, TheSortingSampleOfTheRfc) {
  EXPECT_EQ(canonical(R"({"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh",
                         "1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control",
                         "\u00f6":"Latin Small Letter O With Diaeresis"})"),
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\xc2\x80\":\"Control\","
            "\"\xc3\xb6\":\"Latin Small Letter O With Diaeresis\",\"\xe2\x82\xac\":\"Euro Sign\","
            "\"\xf0\x9f\x98\x80\":\"Emoji: Grinning Face\",\"\xef\xac\xb3\":\"Hebrew Letter Dalet With Dagesh\"}");
}

// RFC 8785, appendix B: IEEE 754 bits and their text.
TEST(CanonicalJson, TheNumbersOfTheRfc) {
  constexpr std::pair<std::uint64_t, std::string_view> kSamples[] = {
      {0x0000000000000000, "0"},
      {0x8000000000000000, "0"},
      {0x0000000000000001, "5e-324"},
      {0x8000000000000001, "-5e-324"},
      {0x7fefffffffffffff, "1.7976931348623157e+308"},
      {0xffefffffffffffff, "-1.7976931348623157e+308"},
      {0x4340000000000000, "9007199254740992"},
      {0xc340000000000000, "-9007199254740992"},
      {0x4430000000000000, "295147905179352830000"},
      {0x44b52d02c7e14af5, "9.999999999999997e+22"},
      {0x44b52d02c7e14af6, "1e+23"},
      {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
      {0x444b1ae4d6e2ef4e, "999999999999999700000"},
      {0x444b1ae4d6e2ef4f, "999999999999999900000"},
      {0x444b1ae4d6e2ef50, "1e+21"},
      {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
      {0x3eb0c6f7a0b5ed8d, "0.000001"},
      {0x41b3de4355555553, "333333333.3333332"},
      {0x41b3de4355555554, "333333333.33333325"},
      {0x41b3de4355555555, "333333333.3333333"},
      {0x41b3de4355555556, "333333333.3333334"},
      {0x41b3de4355555557, "333333333.33333343"},
      {0xbecbf647612f3696, "-0.0000033333333333333333"},
      {0x43143ff3c1cb0959, "1424953923781206.2"},
  };
  for (const auto& [bits, text] : kSamples) {
    std::string out;
    append_json_canonical(out, std::bit_cast<double>(bits));
    EXPECT_EQ(out, text);
    if (bits << 1 != 0) {  // -0 is lost, as it should be
      const auto back = JsonReader(out, kWhere).number(kWhere);
      ASSERT_TRUE(back);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(*back), bits);
    }
  }
  JsonReader too_large("1e999", kWhere);
  std::string out;
  EXPECT_FALSE(canonical_json(too_large, out));
}

TEST(CanonicalJson, AsDeepAsAReaderGoes) {
  const std::size_t depth = JsonReader::kMaxDepth;
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += i % 2 == 0 ? "[" : "{\"a\":";
  text += "0";
  for (std::size_t i = depth; i-- > 0;) text += i % 2 == 0 ? "]" : "}";
  JsonReader in(text, kWhere, {.max_depth = depth});
  std::string out;
  ASSERT_TRUE(canonical_json(in, out));
  EXPECT_EQ(out, text);
}

TEST(CanonicalJson, IsItsOwnCanonicalForm) {
  for (const std::string_view seed : kSeeds) {
    const std::string once = canonical(seed);
    EXPECT_EQ(canonical(once), once);
    EXPECT_EQ(nlohmann::json::parse(once), nlohmann::json::parse(seed));
  }
}

TEST(CanonicalJson, ObjectsInObjectsAreSortedEach) {
  EXPECT_EQ(canonical(R"({"b":{"d":[{"z":1,"y":2}],"c":{}},"a":{"":[],"A":0}})"),
            R"({"a":{"":[],"A":0},"b":{"c":{},"d":[{"y":2,"z":1}]}})");
}

TEST(JsonText, AsciiStringsAreReadBackByAnotherParser) {
  // The characters at both sides of each length of UTF-8, from the other parser.
  std::string text =
      nlohmann::json::parse(R"("\u0000\u001f\u007f\u0080\u07ff\u0800\ud7ff\ue000\uffff\ud800\udc00\udbff\udfff")");
  text += "\"\\/ plain";
  std::string out;
  ASSERT_TRUE(append_json_ascii(out, text));
  for (const char c : out) EXPECT_TRUE(c >= 0x20 && static_cast<unsigned char>(c) < 0x80);
  EXPECT_EQ(nlohmann::json::parse(out).get<std::string>(), text);
}

TEST(JsonText, InvalidUtf8LeavesTheTextAsItWas) {
  std::string out = "before";
  EXPECT_FALSE(append_json_ascii(out, "good \xff"));
  EXPECT_EQ(out, "before");
}

}  // namespace
}  // namespace millrace
