// base64 (RFC 4648 sections 4 and 5), straight into the caller's buffer.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "millrace/bytes.h"
#include "millrace/result.h"

namespace millrace {

enum class Base64Alphabet : std::uint8_t { kStandard, kUrlSafe };   // "+/" or "-_"
enum class Base64Padding : std::uint8_t { kRequired, kForbidden };  // of the last group, with "="

struct Base64Options {
  Base64Alphabet alphabet = Base64Alphabet::kStandard;
  Base64Padding padding = Base64Padding::kRequired;
};

// base64_encoded_size is the exact number of characters for n bytes. n must be below 3/4 of the address space.
std::size_t base64_encoded_size(std::size_t n, Base64Options options = {});
// base64_decoded_capacity is enough bytes for any text of n characters; it is exact unless padding shortens the text.
std::size_t base64_decoded_capacity(std::size_t n);

// base64_encode writes base64_encoded_size(bytes.size()) characters and returns that number. `out` must have room and
// not overlap `bytes`.
std::size_t base64_encode(ByteView bytes, std::span<char> out, Base64Options options = {});
std::string base64_encode(ByteView bytes, Base64Options options = {});

// base64_decode writes the decoded bytes and returns their number. It is strict: a foreign character (line breaks and
// blanks too), a wrong length, missing or unwanted padding and non-zero bits under the padding are kMalformed with the
// offset of the character at fault; then `out` is zeroed. out.size() >= base64_decoded_capacity(text.size()); no
// overlap.
Result<std::size_t> base64_decode(std::string_view text, ByteSpan out, Base64Options options = {});

}  // namespace millrace
