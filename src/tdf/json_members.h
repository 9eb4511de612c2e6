// read_members: a JSON object of texts. Token headers, claims and metadata are such objects.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "millrace/result.h"

namespace millrace::tdf {

// Members has each member of the object: its text, or nothing when its value is no text.
using Members = std::map<std::string, std::optional<std::string>, std::less<>>;

// read_members takes one JSON object and nothing after it, of any size and at most 16 levels, as strictly as JsonReader
// is (encoding/json_reader.h): no name stands twice. Errors: kMalformed, kLimitExceeded.
Result<Members> read_members(std::string_view json);

// text_of is the text of a member; null when it is missing or no text. It lives as long as `members`.
const std::string* text_of(const Members& members, std::string_view name);

}  // namespace millrace::tdf
