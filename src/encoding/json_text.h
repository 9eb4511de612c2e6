// JSON strings and numbers as text.
#pragma once

#include <string>
#include <string_view>

namespace millrace {

// append_json_ascii adds `text` as a JSON string in pure ASCII: what is not ASCII becomes \u escapes. False, and `out`
// as it was, if `text` is not UTF-8.
bool append_json_ascii(std::string& out, std::string_view text);

// append_json_canonical adds it as RFC 8785 (section 3.2.2.2) wants: only what must be escaped is. `text` must be
// UTF-8.
void append_json_canonical(std::string& out, std::string_view text);
// The same for a number (section 3.2.2.3): as ECMAScript prints it. It must be finite.
void append_json_canonical(std::string& out, double number);

}  // namespace millrace
