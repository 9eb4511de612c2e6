// The OpenTDF golden files (tests/vectors/opentdf).
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace millrace::testing {

inline std::string read_vector(const std::string& name) {
  std::ifstream in(std::string(MILLRACE_TEST_VECTORS) + "/opentdf/" + name, std::ios::binary);
  EXPECT_TRUE(in) << name;
  return {std::istreambuf_iterator<char>(in), {}};
}

// manifest_text_of cuts the manifest out of a golden file, or returns nothing. It knows just enough of ZIP for stored
// entries: central records are found by their signature, sizes by the second field of a zip64 extra where they are
// large.
inline std::string manifest_text_of(std::string_view archive) {
  const auto number = [archive](std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0 && at + i < archive.size();) {
      value = value << 8 | static_cast<unsigned char>(archive[at + i]);
    }
    return value;
  };
  constexpr std::string_view kName = "0.manifest.json";
  constexpr std::size_t kCentral = 46;  // bytes of a central record before the name
  constexpr std::size_t kLocal = 30;    // and of a local header
  for (std::size_t at = 0; (at = archive.find("PK\x01\x02", at)) != std::string_view::npos; ++at) {
    if (archive.size() - at < kCentral || archive.substr(at + kCentral, kName.size()) != kName) continue;
    std::uint64_t size = number(at + 20, 4);
    std::uint64_t offset = number(at + 42, 4);
    const std::size_t zip64 = at + kCentral + kName.size() + 4;
    if (size == 0xFFFFFFFF) size = number(zip64 + 8, 8);
    if (offset == 0xFFFFFFFF) offset = number(zip64 + 16, 8);
    if (offset >= archive.size() || archive.substr(offset, 4) != "PK\x03\x04") continue;
    const std::uint64_t begin = offset + kLocal + number(offset + 26, 2) + number(offset + 28, 2);
    if (begin <= archive.size() && size <= archive.size() - begin) return std::string(archive.substr(begin, size));
  }
  return {};
}

}  // namespace millrace::testing
