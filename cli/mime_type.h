// The type of a plaintext, found out from its beginning and its name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "millrace/bytes.h"

namespace millrace::cli {

// How much of the beginning is worth looking at: what libmagic knows lies within, tar and ISO images included.
inline constexpr std::size_t kMimeSample = std::size_t{64} << 10;

struct MimeType {
  std::string type;           // "application/x-tar"
  std::string_view found_by;  // "its contents" or "its name"; empty when there was nothing to go by
};

// detect_mime_type asks libmagic about `beginning`. The extension of `name` decides where contents cannot: among texts,
// among ZIP containers, when libmagic or its database is missing. At worst it is application/octet-stream.
// libmagic's memory, up to 9 MiB, is given back before this returns.
MimeType detect_mime_type(ByteView beginning, std::string_view name);

}  // namespace millrace::cli
