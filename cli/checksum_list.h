// Lists of checksums as sha256sum, md5sum and cksum write and read them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/digest.h"

namespace millrace::cli {

enum class ListStyle { kPlain, kTagged };  // HEX  NAME   |   SHA256 (NAME) = HEX
enum class ValueStyle { kHex, kBase64 };

// format_line writes one line without its end. A name with a backslash or a line break is escaped, and the line then
// starts with a backslash, as coreutils do it.
std::string format_line(DigestAlgorithm algorithm, ByteView value, std::string_view name, ListStyle list,
                        ValueStyle values);

struct ListedChecksum {
  DigestAlgorithm algorithm;
  std::vector<std::byte> value;
  std::string name;
};
// parse_line reads a line of either style, in hex or base64. A plain line does not name its algorithm: it is `given`,
// or the one that its length stands for (8 CRC-32, 16 CRC-64/NVME, 32 MD5, 40 SHA-1, 64 SHA-256, 128 SHA-512 hex
// digits). Nothing for a line that is none.
std::optional<ListedChecksum> parse_line(std::string_view line, std::optional<DigestAlgorithm> given);

}  // namespace millrace::cli
