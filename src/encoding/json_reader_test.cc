// JsonReader against the grammar, the rules that go beyond it, and hostile texts. Which texts are JSON was checked with
// Python's json module, which differs where two readers may: it takes NaN, Infinity, names twice and half surrogates.
#include "encoding/json_reader.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "encoding/json_canonical.h"
#include "encoding/json_text.h"

namespace millrace {
namespace {

using std::string_view_literals::operator""sv;

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
  for (const std::string_view text :
       {"null"sv, "true"sv, "false"sv, " \t\r\n[ 1 , 2 ] "sv, "\n{ \"a\" :\t1\r\n}\n"sv,
        // Numbers.
        "0"sv, "-0"sv, "-0.0"sv, "0.0"sv, "7"sv, "-1"sv, "1234567890"sv, "-1.5e+10"sv, "1E9"sv, "1E+2"sv, "1e-2"sv,
        "0e1"sv, "0e+1"sv, "123.456e78"sv, "0.1e00"sv, "18446744073709551616"sv, "-9223372036854775809"sv,
        "1.7976931348623157e308"sv, "1e-999"sv, "[0,-0,0.5,1e5]"sv,
        // Strings.
        "\"\""sv, "\" \""sv, "\"a/b\""sv, R"("\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00")"sv, R"("\u0000")"sv,
        R"("\u007f\u0080\u07FF\u0800\uffff")"sv, R"("\udbff\udfff")"sv, R"("\\u0041")"sv, R"("\\")"sv, "\"[{,:}]\""sv,
        "\"'\""sv, "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f\""sv,
        "\"\xef\xbf\xbf\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80\""sv, "\"\xef\xbb\xbf\""sv,
        // Arrays and objects.
        "[]"sv, "[ ]"sv, "[[]]"sv, "[[],[[]],{}]"sv, "[\"\"]"sv, "[null,1,\"1\",{}]"sv, "{}"sv, "{ }"sv, R"({"":1})"sv,
        R"({"a":{"b":[{}]},"c":""})"sv, R"({"a":[],"A":{}})"sv, R"({"\n":"\t"})"sv, R"({"a,b:c":"]"})"sv}) {
    EXPECT_TRUE(accepts(text)) << text;
  }
}

TEST(JsonReader, RefusesWhatTheGrammarDoesNotTake) {
  for (const std::string_view text :
       {""sv, " "sv, "nul"sv, "nullx"sv, "True"sv, "truee"sv, "fals"sv, "NULL"sv, "a"sv, "a b"sv, "<null>"sv,
        "\xc2\xa0"sv, "\f1"sv, "[1]\v"sv, "1 2"sv, "[] []"sv, "{}}"sv, "[]]"sv, "\"a\"\"b\""sv, "// c\n1"sv, "[1]//"sv,
        "/**/1"sv, "#1"sv, "[1] x"sv, "*"sv, "\x7f"sv,
        // Numbers.
        "01"sv, "-"sv, "+1"sv, "++1"sv, "--1"sv, "-01"sv, "-a"sv, "- 1"sv, ".5"sv, "-.5"sv, "1."sv, "1.e1"sv, "0.e1"sv,
        "1e"sv, "1e+"sv, "1E-"sv, "1e1.5"sv, "1e+-1"sv, "1.2.3"sv, "0x1"sv, "1_000"sv, "1 000"sv, "1,"sv, "1a"sv,
        "NaN"sv, "nan"sv, "Infinity"sv, "-Infinity"sv, "[1+2]"sv, "\xef\xbc\x91"sv,
        // Strings.
        "\""sv, "\"a"sv, "a\""sv, "\"\\\""sv, "\"\\"sv, R"("\x41")"sv, R"("\a")"sv, R"("\'")"sv, R"("\0")"sv,
        R"("\U0041")"sv, R"("\u")"sv, R"("\u12")"sv, R"("\u12g4")"sv, R"("\u 123")"sv, R"("\u+123")"sv, "\"\\\n\""sv,
        "\"\\u00"sv, "\"\t\""sv, "\"\n\""sv, "\"a\r\""sv, "[\"\\n\n\"]"sv, "\"\x1f\""sv, "{\"a\n\":1}"sv, "'a'"sv,
        "`a`"sv,
        // Arrays.
        "["sv, "[1"sv, "[1,"sv, "[1,]"sv, "[,]"sv, "[,1]"sv, "[1,,2]"sv, "[1 2]"sv, "[1:2]"sv, "[\"a\":1]"sv,
        "[\"a\" \"b\"]"sv, "[[1]"sv, "[}"sv, "]"sv, "[1}"sv, "[\n,"sv, "(1)"sv,
        // Objects.
        "{"sv, "{]"sv, "}"sv, "{,}"sv, "{1:2}"sv, "{null:1}"sv, "{a:1}"sv, "{'a':1}"sv, R"({"a"})"sv, R"({"a":})"sv,
        R"({"a" 1})"sv, R"({"a","b"})"sv, R"({:1})"sv, R"({"a"::1})"sv, R"({"a":1,})"sv, R"({,"a":1})"sv,
        R"({"a":1,,"b":2})"sv, R"({"a":1 "b":2})"sv, R"({"a":1;"b":2})"sv, R"({"a":1:2})"sv, R"({"a":1)"sv, R"({"a)"sv,
        R"({"a":1]})"sv, R"({"a":1}{)"sv, R"({[]:1})"sv, R"({"a":1,"b"})"sv}) {
    EXPECT_FALSE(accepts(text)) << text;
  }
}

// G6: what one reader takes and another does not.
TEST(JsonReader, G6RefusesWhatReadersUnderstandDifferently) {
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
           "{\"\\u00e9\":1,\"\\n\":0,\"\xc3\xa9\":2}"sv,
           "1e999"sv,
           "[-1e309]"sv,  // infinite to some
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

  const auto place_of = [](std::string_view text) -> std::uint64_t {
    const Status refused = read_all(text, {.max_depth = 2, .max_members = 2});
    if (refused) return 999;
    EXPECT_EQ(refused.error().where, kWhere);
    return refused.error().offset;
  };
  EXPECT_EQ(place_of("[1, 2, x]"), 7u);
  EXPECT_EQ(place_of("[1, 2"), 5u);
  EXPECT_EQ(place_of("[1 \"abc\"]"), 7u);  // the last character of what is wrong
  EXPECT_EQ(place_of("\xef\xbb\xbf[]"), 0u);
  EXPECT_EQ(place_of("[1,\0]"sv), 3u);
  EXPECT_EQ(place_of("[1, \"a\\n\t\"]"), 8u);
  EXPECT_EQ(place_of("\"a\xc3\""), 3u);
  EXPECT_EQ(place_of(R"({"\u0061":1, "a":2})"), 13u);
  EXPECT_EQ(place_of(R"({"a":1, "b":2 ,"c":3})"), 15u);
  EXPECT_EQ(place_of("[ [], [[]]]"), 7u);
}

// The places of what is read, whatever stands between: the reader finds the beginnings between what the parser reports.
TEST(JsonReader, ValuesHaveTheirPlaces) {
  JsonReader in(" { \"a\\n\" : [ -1.5 ,\"\\u0041\",true , [\n] ] , \"b\":7\t} ", kWhere);
  std::vector<std::uint64_t> places;
  const auto look = [&] {
    EXPECT_TRUE(in.kind());
    places.push_back(in.offset());
  };
  look();
  ASSERT_TRUE(in.object(kWhere, [&](std::string_view name) -> Status {
    places.push_back(in.fail(kWhere).offset);
    look();
    if (name == "b") return in.skip();
    MR_TRY(in.array(kWhere, [&](std::size_t) {
      look();
      const Status skipped = in.skip();
      places.push_back(in.offset());
      return skipped;
    }));
    places.push_back(in.offset());
    return Ok{};
  }));
  EXPECT_EQ(places, (std::vector<std::uint64_t>{1, 3, 11, 13, 17, 19, 27, 28, 32, 35, 38, 40, 43, 47}));
  EXPECT_EQ(in.offset(), 50u);
}

// 4 GiB of addresses without memory behind them: whoever looks at one dies.
TEST(JsonReader, ATextWithoutRoomInTheIndexIsNotLookedAt) {
  const std::size_t size = std::size_t{kMaxJsonSize} + 1;
  void* const nothing = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(nothing, MAP_FAILED);
  const Status status = read_all({static_cast<const char*>(nothing), size}, {.max_size = ~std::uint64_t{0}});
  munmap(nothing, size);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(status.error().offset, kMaxJsonSize);
}

// What is wrong with the text is found before anything of it is given out.
TEST(JsonReader, TheWholeTextIsCheckedBeforeTheFirstAnswer) {
  for (const std::string_view text : {"[1,x]"sv, R"([1,{"a":0,"a":0}])"sv, "[1]]"sv}) {
    JsonReader in(text, kWhere);
    EXPECT_FALSE(in.begin_array("list"));
    const Result<JsonKind> again = in.kind();
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().where, kWhere);
  }
}

TEST(JsonReader, AStringIsGivenUntilTheNextOne) {
  JsonReader in(R"(["plain","a long one with an escape \u20ac","\n",{"x\ty":"\\"}])", kWhere);
  ASSERT_TRUE(in.begin_array(kWhere));
  EXPECT_EQ(in.offset(), 1u);
  for (const std::string_view expected : {"plain"sv, "a long one with an escape \xe2\x82\xac"sv, "\n"sv}) {
    ASSERT_TRUE(*in.next_element());
    EXPECT_EQ(*in.string(kWhere), expected);
  }
  ASSERT_TRUE(*in.next_element());
  ASSERT_TRUE(in.begin_object(kWhere));
  EXPECT_EQ(*in.next_name(), "x\ty");
  EXPECT_EQ(*in.string(kWhere), "\\");
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
  EXPECT_EQ(code("[x]", {.max_size = 2}), ErrorCode::kLimitExceeded);  // not looked at

  EXPECT_EQ(code(R"({"a":{"a":1,"b":2},"b":{"a":1}})", {.max_members = 2}), std::nullopt);
  EXPECT_EQ(code(R"({"a":{"a":1,"b":2},"b":{"a":1},"c":0})", {.max_members = 2}), ErrorCode::kLimitExceeded);
}

constexpr std::string_view kSeeds[] = {
    R"({"a":[1,-2.5e3,true,false,null,"x\u20ac\n"],"b":{"c":{},"d":[]},"e":"é\ud83d\ude00"})",
    R"([[],{},[{"k":"v","l":[0.125,1e-7]}],"",0])",
    R"("\\\"\/\b\f\r\t\u0041")",
};

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
