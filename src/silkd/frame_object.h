// read_object: the part of a frame's JSON that a message is made of, and nothing else.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "millrace/bytes.h"
#include "millrace/result.h"

namespace millrace::silkd {

// read_name returns the text of the member `tag` of the frame's object, as soon as it has been read: what follows is
// not looked at.
Result<std::string> read_name(ByteView frame, std::string_view tag);

// read_object parses all of the frame and returns its object with the members in `keep`. Members of it that are not
// kept are skipped with all they hold. Refused: what is not one JSON object (a byte order mark and NUL bytes too), a
// name that stands twice in an object that is kept, more than kMaxFrameValues values.
Result<nlohmann::json> read_object(ByteView frame, std::span<const std::string_view> keep);

}  // namespace millrace::silkd
