#include "millrace/base64.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "encoding/base64_reference.h"

namespace millrace {
namespace {

using base64_reference::kAllOptions;
using base64_reference::random_bytes;

constexpr Base64Options kPadded = {Base64Alphabet::kStandard, Base64Padding::kRequired};
constexpr Base64Options kUnpadded = {Base64Alphabet::kStandard, Base64Padding::kForbidden};
constexpr Base64Options kUrl = {Base64Alphabet::kUrlSafe, Base64Padding::kRequired};

// The bytes as text, or "fault at N". A refused text must leave nothing in the output.
std::string decoded(std::string_view text, Base64Options options = kPadded) {
  std::vector<std::byte> out(base64_decoded_capacity(text.size()) + 3, std::byte{0x55});
  const Result<std::size_t> n = base64_decode(text, out, options);
  if (n) return std::string(as_text(ByteView(out).first(*n)));
  EXPECT_EQ(n.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(n.error().where, "base64");
  EXPECT_TRUE(std::all_of(out.begin(), out.end(), [](std::byte b) { return b == std::byte{0}; }));
  return "fault at " + std::to_string(n.error().offset);
}

TEST(Base64, Rfc4648Section10) {
  const std::pair<std::string_view, std::string_view> kVectors[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
  };
  for (const auto& [plain, text] : kVectors) {
    EXPECT_EQ(base64_encode(as_bytes(plain)), text);
    EXPECT_EQ(decoded(text), plain);
    const std::string_view unpadded = text.substr(0, text.find('='));
    EXPECT_EQ(base64_encode(as_bytes(plain), kUnpadded), unpadded);
    EXPECT_EQ(decoded(unpadded, kUnpadded), plain);
  }
}

TEST(Base64, EveryDigitInOrder) {
  // The alphabets of RFC 4648, tables 1 and 2, as texts of their own.
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::string bytes(48, '\0');  // the values 0, 1, ... 63 in six bits each
  for (unsigned bit = 0; bit < 384; ++bit) {
    if ((bit / 6 >> (5 - bit % 6) & 1) != 0) bytes[bit / 8] = static_cast<char>(bytes[bit / 8] | 1 << (7 - bit % 8));
  }
  EXPECT_EQ(base64_encode(as_bytes(bytes)), letters + "+/");
  EXPECT_EQ(base64_encode(as_bytes(bytes), kUrl), letters + "-_");
  EXPECT_EQ(decoded(letters + "+/"), bytes);
  EXPECT_EQ(decoded(letters + "-_", kUrl), bytes);
}

TEST(Base64, B01_BitsUnderThePaddingAreRefusedAtTheDigitThatHasThem) {
  EXPECT_EQ(decoded("AB=="), "fault at 1");
  EXPECT_EQ(decoded("AAB="), "fault at 2");
  EXPECT_EQ(decoded("AAAAAB=="), "fault at 5");
  EXPECT_EQ(decoded("AB", kUnpadded), "fault at 1");
  EXPECT_EQ(decoded("AAB", kUnpadded), "fault at 2");
  EXPECT_EQ(decoded("AA=="), std::string(1, '\0'));
  EXPECT_EQ(decoded("AAA="), std::string(2, '\0'));
  // Every last digit, against what its low bits say.
  for (unsigned v = 0; v < 64; ++v) {
    const std::string last(1, base64_reference::digit(v, Base64Alphabet::kStandard));
    EXPECT_EQ(decoded("A" + last + "==") == "fault at 1", v % 16 != 0) << last;
    EXPECT_EQ(decoded("AA" + last + "=") == "fault at 2", v % 4 != 0) << last;
    EXPECT_EQ(decoded("AAA" + last).size(), 3u) << last;
  }
}

TEST(Base64, B02_WrongLengthsAndPaddingAreRefused) {
  EXPECT_EQ(decoded(""), "");
  EXPECT_EQ(decoded("", kUnpadded), "");
  const std::pair<std::string_view, int> kPaddedFaults[] = {
      {"A", 1},     {"AA", 2},    {"AAA", 3},   {"AA=", 3},  {"A=", 1},       {"A===", 1},     {"=", 0},
      {"====", 0},  {"AAAA=", 4}, {"AAAAA", 5}, {"AA=A", 3}, {"AA==A", 4},    {"AA==AAAA", 4}, {"AAA=AAAA", 4},
      {"AA===", 4}, {"AAA==", 4}, {"A=AA", 1},  {"=AAA", 0}, {"AAAA====", 4}, {"AAAA==", 4},
  };
  for (const auto& [text, offset] : kPaddedFaults) {
    EXPECT_EQ(decoded(text), "fault at " + std::to_string(offset)) << text;
  }
  const std::pair<std::string_view, int> kUnpaddedFaults[] = {
      {"A", 1}, {"AAAAA", 5}, {"AA==", 2}, {"AAA=", 3}, {"AAAA=", 4}, {"=", 0},
  };
  for (const auto& [text, offset] : kUnpaddedFaults) {
    EXPECT_EQ(decoded(text, kUnpadded), "fault at " + std::to_string(offset)) << text;
  }
}

TEST(Base64, B03_LineBreaksAndBlanksAreForeign) {
  for (const char c : {'\n', '\r', ' ', '\t', '\0', '\v', '\f'}) {
    const std::string text = std::string("Zm9v") + c + "YmFy";
    EXPECT_EQ(decoded(text), "fault at 4");
    EXPECT_EQ(decoded("Zm9vYmFy" + std::string(1, c)), "fault at 8");
    EXPECT_EQ(decoded("Zg=" + std::string(1, c) + "="), "fault at 3");
  }
}

TEST(Base64, B04_TheOtherAlphabetIsForeign) {
  for (const std::string_view c : {"-", "_"}) {
    EXPECT_EQ(decoded("AAA" + std::string(c)), "fault at 3");
    EXPECT_EQ(decoded("AAA" + std::string(c), kUrl).size(), 3u);
  }
  for (const std::string_view c : {"+", "/"}) {
    EXPECT_EQ(decoded("AAA" + std::string(c), kUrl), "fault at 3");
    EXPECT_EQ(decoded("AAA" + std::string(c)).size(), 3u);
  }
}

TEST(Base64, SizesAreThoseOfTheTexts) {
  for (std::size_t n = 0; n < 200; ++n) {
    for (const Base64Options options : kAllOptions) {
      const std::string text = base64_reference::encode(random_bytes(n, 1), options);
      EXPECT_EQ(base64_encoded_size(n, options), text.size());
      const std::size_t capacity = base64_decoded_capacity(text.size());
      EXPECT_GE(capacity, n);
      EXPECT_EQ(capacity, text.ends_with("=") ? (n + 2) / 3 * 3 : n);
    }
  }
  // No overflow on the way to a result that fits.
  constexpr std::size_t kMost = SIZE_MAX / 4 * 3;
  EXPECT_EQ(base64_encoded_size(kMost - 1), SIZE_MAX - 3);
  EXPECT_EQ(base64_decoded_capacity(SIZE_MAX), kMost + 2);
}

TEST(Base64, EveryLengthTo4096IsTheReference) {
  const std::vector<std::byte> bytes = random_bytes(4096, 2);
  for (const Base64Options options : kAllOptions) {
    // Encoded in full, whole groups of every prefix are a prefix of that.
    const std::string full = base64_reference::encode(bytes, options);
    std::string text(base64_encoded_size(bytes.size(), options), '\0');
    std::vector<std::byte> out(base64_decoded_capacity(text.size()));
    for (std::size_t n = 0; n <= bytes.size(); ++n) {
      const ByteView prefix = ByteView(bytes).first(n);
      const std::size_t whole = n / 3 * 4;
      const std::string expected = full.substr(0, whole) + base64_reference::encode(prefix.subspan(n / 3 * 3), options);
      const std::size_t written = base64_encode(prefix, text, options);
      ASSERT_EQ(std::string_view(text).substr(0, written), expected) << n;
      const Result<std::size_t> decoded_size = base64_decode(expected, out, options);
      ASSERT_TRUE(decoded_size) << n;
      ASSERT_EQ(*decoded_size, n);
      ASSERT_TRUE(std::equal(prefix.begin(), prefix.end(), out.begin())) << n;
    }
  }
}

TEST(Base64, EveryByteValueAtEveryPositionIsJudgedLikeTheReference) {
  for (const Base64Options options : kAllOptions) {
    // Ends with each number of padding characters, and lengths around a vector and a block of every kernel.
    for (const std::size_t n : {1u, 2u, 3u, 23u, 49u, 193u}) {
      const std::string good = base64_reference::encode(random_bytes(n, 3), options);
      std::vector<std::byte> out(base64_decoded_capacity(good.size()));
      for (std::size_t at = 0; at < good.size(); ++at) {
        std::string text = good;
        for (unsigned c = 0; c < 256; ++c) {
          text[at] = static_cast<char>(c);
          const std::optional<std::size_t> fault = base64_reference::fault(text, options);
          const Result<std::size_t> size = base64_decode(text, out, options);
          ASSERT_EQ(size.has_value(), !fault) << n << " " << at << " " << c;
          if (fault) {
            ASSERT_EQ(size.error().offset, *fault) << n << " " << at << " " << c;
            ASSERT_TRUE(std::all_of(out.begin(), out.end(), [](std::byte b) { return b == std::byte{0}; }));
          } else {
            out.resize(*size);
            ASSERT_EQ(out, base64_reference::decode(text, options));
            out.resize(base64_decoded_capacity(good.size()));
          }
        }
      }
    }
  }
}

TEST(Base64, ShortTextsOfAFewCharactersAreAllJudgedLikeTheReference) {
  // Every text of up to seven characters from a set with a digit without low bits, one with, padding and a foreigner.
  constexpr std::string_view kCharacters = "AB=*";
  std::vector<std::byte> out(6);
  for (std::size_t length = 0; length <= 7; ++length) {
    for (std::size_t number = 0; number < std::size_t{1} << (2 * length); ++number) {
      std::string text;
      for (std::size_t i = 0; i < length; ++i) text += kCharacters[number >> (2 * i) & 3];
      for (const Base64Options options : {kPadded, kUnpadded}) {
        const std::optional<std::size_t> fault = base64_reference::fault(text, options);
        const Result<std::size_t> size = base64_decode(text, out, options);
        ASSERT_EQ(size.has_value(), !fault) << text;
        if (fault) {
          ASSERT_EQ(size.error().offset, *fault) << text;
        } else {
          ASSERT_EQ(*size, base64_reference::decode(text, options).size()) << text;
        }
      }
    }
  }
}

TEST(Base64, AFailedTextLeavesNothingBehind) {
  // The fault comes after everything was decoded, and the output is larger than needed.
  const std::string text = base64_encode(random_bytes(9000, 4)) + "AA=A";
  EXPECT_EQ(decoded(text), "fault at " + std::to_string(text.size() - 1));
}

}  // namespace
}  // namespace millrace
