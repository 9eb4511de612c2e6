// index_json: what stands where in a JSON text (RFC 8259), once all of it has been checked.
//
// nlohmann's parser knows the grammar; what it does not say is where things are, and it lets pass some of what two
// readers could understand differently. Both are added here: the place of every name and value, and the strict rules,
// once for all formats. Refused are a name twice in an object, a byte order mark, NUL bytes, and, by the parser,
// invalid UTF-8, half of a surrogate pair, numbers beyond the range of a double, anything after the value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <string_view>

#include "millrace/result.h"

namespace millrace {

struct JsonLimits {
  std::uint64_t max_size = std::uint64_t{10} << 20;  // bytes of text; never more than kMaxJsonSize
  std::size_t max_depth = 64;                        // of objects and arrays
  std::size_t max_members = 1024;                    // of one object
};

// Places are kept in 32 bits.
inline constexpr std::uint64_t kMaxJsonSize = std::numeric_limits<std::uint32_t>::max();

// JsonSpan is one name or value: text[begin, end), with its quotes or brackets.
struct JsonSpan {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// A deque, because a vector that grows holds its old and its new room for a moment.
using JsonIndex = std::deque<JsonSpan>;

// index_json returns the spans of all names and values in the order in which they begin: an object is followed by its
// first name, that by its value, and so on; what begins before the end of an object or array lies in it.
//
// Memory: 8 bytes for each name and value, so at most 4 times the text ("0,0,0"), and as long as the call runs the
// parser's buffers and the names of the objects around the place it has come to: together at most 8 times the text, 12
// times when it fails, for its error quotes what it has read. A text that is too large is not looked at, and the other
// limits end the parse where they are passed.
// Errors, all at `where`: kLimitExceeded, kMalformed. The offset is that of the bracket or the name that is one too
// many (the limit itself for a text that is too large), of the name that stands twice, or of the character at which the
// parser stopped: the first that cannot stand there, but the last of a string, number or word that cannot, and the size
// of a text that ends too early.
Result<JsonIndex> index_json(std::string_view text, std::string_view where, const JsonLimits& limits);

// decode_json_string undoes the escapes of a string that index_json has found, given with its quotes.
std::string decode_json_string(std::string_view quoted);

}  // namespace millrace
