// Hexadecimal text: digests, identifiers and keys as people and HTTP headers write them. Not a bulk path.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "millrace/bytes.h"
#include "millrace/result.h"

namespace millrace {

// hex_encode writes two lower-case digits for each byte, the upper half first.
std::string hex_encode(ByteView bytes);
// The same into `out`, of which it writes the first 2 * bytes.size() characters.
void hex_encode(ByteView bytes, std::span<char> out);

// hex_decode writes text.size() / 2 bytes and returns that number; out.size() >= text.size() / 2. Both cases of digits
// are taken, nothing else is: no prefix, blanks or separators. kMalformed has the offset of the first foreign
// character, or text.size() if the last byte lacks a digit; then `out` is zeroed.
//
// Neither function reads a table or takes a branch by what a byte or digit is worth, because keys pass here; only that
// a text was refused, and where, shows in the time. The texts themselves are the caller's to cleanse.
Result<std::size_t> hex_decode(std::string_view text, ByteSpan out);

}  // namespace millrace
