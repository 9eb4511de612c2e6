#include "base/endian.h"

#include <gtest/gtest.h>

#include <array>

namespace millrace {
namespace {

constexpr std::array<std::byte, 9> kBytes = {std::byte{0x01}, std::byte{0x23}, std::byte{0x45},
                                             std::byte{0x67}, std::byte{0x89}, std::byte{0xab},
                                             std::byte{0xcd}, std::byte{0xef}, std::byte{0x55}};

TEST(Endian, LoadsTheFirstBytesInTheNamedOrder) {
  EXPECT_EQ(load_be<std::uint8_t>(kBytes), 0x01);
  EXPECT_EQ(load_le<std::uint8_t>(kBytes), 0x01);
  EXPECT_EQ(load_be<std::uint16_t>(kBytes), 0x0123);
  EXPECT_EQ(load_le<std::uint16_t>(kBytes), 0x2301);
  EXPECT_EQ(load_be<std::uint32_t>(kBytes), 0x01234567u);
  EXPECT_EQ(load_le<std::uint32_t>(kBytes), 0x67452301u);
  EXPECT_EQ(load_be<std::uint64_t>(kBytes), 0x0123456789abcdefu);
  EXPECT_EQ(load_le<std::uint64_t>(kBytes), 0xefcdab8967452301u);
  // Any alignment.
  EXPECT_EQ(load_be<std::uint64_t>(ByteView(kBytes).subspan(1)), 0x23456789abcdef55u);
}

template <class T>
void stores(T big, T little) {
  std::array<std::byte, 9> out;
  out.fill(std::byte{0x55});
  store_be(ByteSpan(out), big);
  for (std::size_t i = 0; i < sizeof(T); ++i) EXPECT_EQ(out[i], kBytes[i]);
  EXPECT_EQ(out[sizeof(T)], std::byte{0x55});
  out.fill(std::byte{0x55});
  store_le(ByteSpan(out), little);
  for (std::size_t i = 0; i < sizeof(T); ++i) EXPECT_EQ(out[i], kBytes[i]);
  EXPECT_EQ(out[sizeof(T)], std::byte{0x55});
}

TEST(Endian, StoresAsManyBytesAsTheTypeHas) {
  stores<std::uint8_t>(0x01, 0x01);
  stores<std::uint16_t>(0x0123, 0x2301);
  stores<std::uint32_t>(0x01234567u, 0x67452301u);
  stores<std::uint64_t>(0x0123456789abcdefu, 0xefcdab8967452301u);
}

}  // namespace
}  // namespace millrace
