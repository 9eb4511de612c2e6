// The words of aws-chunked (internal).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace millrace::aws_chunked {

inline constexpr std::string_view kCrlf = "\r\n";
inline constexpr std::string_view kChunkSignature = ";chunk-signature=";
inline constexpr std::string_view kTrailerSignature = "x-amz-trailer-signature";
inline constexpr std::string_view kChecksumPrefix = "x-amz-checksum-";
inline constexpr std::size_t kSignatureSize = 64;  // hex digits

// hex_digits is how many digits a size has, without leading zeros.
constexpr std::size_t hex_digits(std::uint64_t size) {
  return size == 0 ? 1 : (static_cast<std::size_t>(std::bit_width(size)) + 3) / 4;
}

}  // namespace millrace::aws_chunked
