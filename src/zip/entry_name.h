// The names that our archives give to entries: such as no reader takes for something else.
#pragma once

#include <string_view>

#include "millrace/result.h"

namespace millrace::zip {

// check_entry_name refuses, with kInvalidArgument: the empty name and more than 65,535 bytes; text that is not UTF-8,
// or holds a zero byte, which ends the name for readers in C; backslashes, which are separators for some readers and
// letters for others; absolute paths, also those that begin with a drive ("C:"); and the path components "", "." and
// "..", hence also names of directories ("a/").
Status check_entry_name(std::string_view name);

// is_ascii tells whether a name reads the same in every encoding that ZIP readers assume.
bool is_ascii(std::string_view name);

}  // namespace millrace::zip
