// Borrowed bytes, the currency of every interface here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace millrace {

using ByteView = std::span<const std::byte>;  // borrowed, read-only
using ByteSpan = std::span<std::byte>;        // borrowed, writable

// as_bytes views the characters of `text` as bytes; the view lives as long as the characters do.
inline ByteView as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

// as_text views bytes as characters, without any claim about their encoding.
inline std::string_view as_text(ByteView bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace millrace
