#include "checksum_list.h"

#include <gtest/gtest.h>

#include "encoding/hex.h"
#include "millrace/base64.h"

namespace millrace::cli {
namespace {

using enum DigestAlgorithm;

// Of "123456789": published check values, and what coreutils print.
constexpr std::string_view kCrc32Hex = "cbf43926";
constexpr std::string_view kMd5Hex = "25f9e794323b453885f5181f1b624d0b";
constexpr std::string_view kSha256Hex = "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225";

std::vector<std::byte> bytes(std::string_view hex) {
  std::vector<std::byte> out(hex.size() / 2);
  EXPECT_TRUE(hex_decode(hex, out));
  return out;
}

std::string line(std::string_view value, std::string_view separator, std::string_view name) {
  return std::string(value) + std::string(separator) + std::string(name);
}

void expect(std::string_view text, DigestAlgorithm algorithm, std::string_view hex, std::string_view name,
            std::optional<DigestAlgorithm> given = std::nullopt) {
  const auto listed = parse_line(text, given);
  ASSERT_TRUE(listed) << text;
  EXPECT_EQ(listed->algorithm, algorithm) << text;
  EXPECT_EQ(listed->value, bytes(hex)) << text;
  EXPECT_EQ(listed->name, name) << text;
}

TEST(ChecksumList, ALineOfEitherStyle) {
  const auto value = bytes(kSha256Hex);
  EXPECT_EQ(format_line(kSha256, value, "a b", ListStyle::kPlain, ValueStyle::kHex), line(kSha256Hex, "  ", "a b"));
  EXPECT_EQ(format_line(kSha256, value, "a b", ListStyle::kTagged, ValueStyle::kHex),
            line("SHA256 (a b) = ", "", kSha256Hex));
  EXPECT_EQ(format_line(kCrc32, bytes(kCrc32Hex), "x", ListStyle::kPlain, ValueStyle::kBase64), "y/Q5Jg==  x");
  EXPECT_EQ(format_line(kCrc64Nvme, bytes("ae8b14860a799888"), "x", ListStyle::kTagged, ValueStyle::kBase64),
            "CRC64NVME (x) = rosUhgp5mIg=");
}

TEST(ChecksumList, NamesAreEscapedWithAMarkInFront) {
  const auto value = bytes(kCrc32Hex);
  EXPECT_EQ(format_line(kCrc32, value, "a\nb\\c\rd", ListStyle::kPlain, ValueStyle::kHex),
            "\\cbf43926  a\\nb\\\\c\\rd");
  EXPECT_EQ(format_line(kCrc32, value, "a\nb", ListStyle::kTagged, ValueStyle::kHex), "\\CRC32 (a\\nb) = cbf43926");
  EXPECT_EQ(format_verdict("a b", "OK"), "a b: OK");
  EXPECT_EQ(format_verdict("x: OK\ny", "FAILED"), "\\x: OK\\ny: FAILED");
}

TEST(ChecksumList, WhatIsWrittenIsReadBack) {
  for (const std::string_view name : {"a", " ", "  lead", "*star", "a b", "a (b) = c", "(", ")", "SHA256 (x) = y", "\\",
                                      "\\n", "a\nb", "\r", "-", "#x", "tail ", "\xff\xfe", "\xc3\xa4"}) {
    for (const DigestAlgorithm algorithm : digest_algorithms()) {
      std::vector<std::byte> value(digest_size(algorithm));
      for (std::size_t i = 0; i < value.size(); ++i) value[i] = static_cast<std::byte>(37 * i + 0xa5);
      for (const ListStyle list : {ListStyle::kPlain, ListStyle::kTagged}) {
        for (const ValueStyle values : {ValueStyle::kHex, ValueStyle::kBase64}) {
          const std::string text = format_line(algorithm, value, name, list, values);
          EXPECT_EQ(text.find('\n'), std::string::npos);
          const auto listed = parse_line(text, list == ListStyle::kPlain ? std::optional(algorithm) : std::nullopt);
          ASSERT_TRUE(listed) << text;
          EXPECT_EQ(listed->algorithm, algorithm) << text;
          EXPECT_EQ(listed->value, value) << text;
          EXPECT_EQ(listed->name, name) << text;
        }
      }
    }
  }
}

TEST(ChecksumList, ReadsWhatOthersWrite) {
  expect(line(kSha256Hex, "  ", "f"), kSha256, kSha256Hex, "f");
  expect(line(kSha256Hex, " *", "f"), kSha256, kSha256Hex, "f");    // binary mode
  expect(line(kMd5Hex, " ", "f"), kMd5, kMd5Hex, "f");              // md5 -r of the BSDs
  expect(line(kSha256Hex, "  ", "f\r"), kSha256, kSha256Hex, "f");  // from Windows
  expect(line("MD5 (f) = ", kMd5Hex, "\r"), kMd5, kMd5Hex, "f");
  expect(line("SHA256(f)= ", kSha256Hex, ""), kSha256, kSha256Hex, "f");  // openssl dgst
  expect(line("SHA256 (f) = ", kSha256Hex, ""), kSha256, kSha256Hex, "f");
  expect("SHA256 (f) = FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU=", kSha256, kSha256Hex, "f");  // cksum --base64
  expect(line("MD5 (a) = ) = ", kMd5Hex, ""), kMd5, kMd5Hex, "a) = ");
  expect(line("\\MD5 (a\\nb\\\\) = ", kMd5Hex, ""), kMd5, kMd5Hex, "a\nb\\");
  expect(line("\\", kMd5Hex, "  a\\nb"), kMd5, kMd5Hex, "a\nb");
  expect(line(kMd5Hex, "  ", "a\\nb"), kMd5, kMd5Hex, "a\\nb");  // no mark: a backslash is one
  expect("CBF43926  f", kCrc32, kCrc32Hex, "f");
  expect("XXH64 (f) = 8cb841db40e6ae83", kXxh64, "8cb841db40e6ae83", "f");
}

TEST(ChecksumList, TheSizeOfAPlainValueNamesTheAlgorithm) {
  const struct {
    std::size_t size;
    DigestAlgorithm algorithm;
  } known[] = {{4, kCrc32}, {8, kCrc64Nvme}, {16, kMd5}, {20, kSha1}, {32, kSha256}, {64, kSha512}};
  for (const auto& entry : known) {
    const std::vector<std::byte> value(entry.size, std::byte{0x5c});
    for (const ValueStyle style : {ValueStyle::kHex, ValueStyle::kBase64}) {
      expect(line(format_value(value, style), "  ", "f"), entry.algorithm, hex_encode(value), "f");
    }
  }
  for (const std::size_t size : {0u, 1u, 3u, 5u, 12u, 24u, 28u, 48u, 63u, 65u}) {
    EXPECT_FALSE(parse_line(line(std::string(2 * size, 'a'), "  ", "f"), std::nullopt)) << size;
  }
}

TEST(ChecksumList, AGivenAlgorithmIsTheOnlyOne) {
  expect("cbf43926  f", kCrc32c, kCrc32Hex, "f", kCrc32c);
  expect("CRC32C (f) = cbf43926", kCrc32c, kCrc32Hex, "f", kCrc32c);
  EXPECT_FALSE(parse_line("CRC32 (f) = cbf43926", kCrc32c));
  EXPECT_FALSE(parse_line("cbf43926  f", kSha256));
}

TEST(ChecksumList, WhatIsNoLine) {
  const std::string sha(kSha256Hex);
  for (const std::string& text : {std::string(),
                                  std::string("\r"),
                                  std::string("x"),
                                  std::string("\\"),
                                  std::string("  "),
                                  sha,
                                  sha + " ",
                                  sha + "  ",
                                  sha + " *",
                                  sha + "\tf",
                                  std::string("  ") + sha + "  f",
                                  sha.substr(1) + "  f",
                                  sha + "0  f",
                                  std::string("g") + sha.substr(1) + "  f",
                                  std::string("0x") + sha + "  f",
                                  std::string("\\") + sha + "  a\\",
                                  std::string("\\") + sha + "  a\\x",
                                  std::string("SHA256 () = ") + sha,
                                  std::string("SHA256 (f) = "),
                                  std::string("SHA256 (f) = cbf43926"),
                                  std::string("SHA256 (f) ") + sha,
                                  std::string("SHA256 f = ") + sha,
                                  std::string("SHA25 (f) = ") + sha,
                                  std::string("SHA256  (f) = ") + sha,
                                  std::string("(f) = ") + sha,
                                  std::string("SHA256 )f( = ") + sha,
                                  std::string("SHA256 (f) = ") + sha + " x",
                                  sha + std::string("  f\0g", 5),
                                  std::string("y/Q5Jg=  f"),
                                  std::string("y/Q5Jh==  f"),
                                  std::string("y_Q5Jg==  f")}) {
    EXPECT_FALSE(parse_line(text, std::nullopt)) << text;
  }
}

TEST(ChecksumList, EmptyLinesAndCommentsAreNoEntries) {
  for (const std::string_view text : {"", "\r", "#", "# x", "#\r"}) EXPECT_TRUE(is_no_entry(text)) << text;
  for (const std::string_view text : {" ", "x", " #", "\\"}) EXPECT_FALSE(is_no_entry(text)) << text;
}

}  // namespace
}  // namespace millrace::cli
