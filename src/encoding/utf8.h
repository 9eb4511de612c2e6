// UTF-8 (RFC 3629), strictly: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace millrace {

// utf8_decode returns the character that begins at text[position] and moves position behind it; nothing, and position
// as it was, if there is none. position < text.size().
std::optional<char32_t> utf8_decode(std::string_view text, std::size_t& position);
bool utf8_is_valid(std::string_view text);

}  // namespace millrace
