#include "encoding/hex.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace millrace {
namespace {

// The bytes in hexadecimal by the C library, or "fault at N". A refused text must leave nothing in the output.
std::string decoded(std::string_view text) {
  std::vector<std::byte> out(text.size() / 2 + 2, std::byte{0x55});
  const Result<std::size_t> n = hex_decode(text, out);
  if (!n) {
    EXPECT_EQ(n.error().code, ErrorCode::kMalformed);
    EXPECT_TRUE(std::all_of(out.begin(), out.end(), [](std::byte b) { return b == std::byte{0}; }));
    return "fault at " + std::to_string(n.error().offset);
  }
  EXPECT_EQ(out[*n], std::byte{0x55});
  std::string shown;
  for (std::size_t i = 0; i < *n; ++i) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", std::to_integer<unsigned>(out[i]));
    shown += two;
  }
  return shown;
}

TEST(Hex, EveryByteInBothDirections) {
  std::vector<std::byte> bytes;
  std::string text, upper;
  for (unsigned b = 0; b < 256; ++b) {
    char two[3];
    bytes.push_back(static_cast<std::byte>(b));
    std::snprintf(two, sizeof two, "%02x", b);
    text += two;
    std::snprintf(two, sizeof two, "%02X", b);
    upper += two;
  }
  EXPECT_EQ(hex_encode(bytes), text);
  std::string room(text.size() + 1, '?');
  hex_encode(bytes, room);
  EXPECT_EQ(room, text + '?');
  EXPECT_EQ(decoded(text), text);
  EXPECT_EQ(decoded(upper), text);
}

TEST(Hex, EmptyIsEmpty) {
  EXPECT_EQ(hex_encode({}), "");
  EXPECT_EQ(hex_decode("", {}).has_value(), true);
}

TEST(Hex, EveryOtherCharacterIsRefusedWhereItStands) {
  for (unsigned c = 0; c < 256; ++c) {
    const char character = static_cast<char>(c);
    if (std::string_view("0123456789abcdefABCDEF").find(character) != std::string_view::npos) continue;
    for (std::size_t at = 0; at < 6; ++at) {
      std::string text = "0aF9b1";
      text[at] = character;
      EXPECT_EQ(decoded(text), "fault at " + std::to_string(at)) << c;
    }
  }
}

TEST(Hex, HalfAByteIsRefusedAtTheEnd) {
  EXPECT_EQ(decoded("a"), "fault at 1");
  EXPECT_EQ(decoded("00a"), "fault at 3");
  EXPECT_EQ(decoded("0x0"), "fault at 1");
}

}  // namespace
}  // namespace millrace
