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

std::string format_value(ByteView value, ValueStyle style);
// format_line writes one line without its end. A name with a backslash or a line break is escaped, and the line then
// starts with a backslash, as coreutils do it.
std::string format_line(DigestAlgorithm algorithm, ByteView value, std::string_view name, ListStyle list,
                        ValueStyle values);
// format_verdict writes NAME: VERDICT, the name escaped in the same way, so that a name cannot pass for another line.
std::string format_verdict(std::string_view name, std::string_view verdict);

struct ListedChecksum {
  DigestAlgorithm algorithm;
  std::vector<std::byte> value;
  std::string name;
};
// parse_line reads a line, without its end but perhaps with a carriage return, of either style, in hex or base64; also
// VALUE NAME with one blank (BSD) and SHA256(NAME)= VALUE (OpenSSL). A plain line does not name its algorithm: it is
// `given`, or the one that the size of its value stands for (4 bytes CRC-32, 8 CRC-64/NVME, 16 MD5, 20 SHA-1, 32
// SHA-256, 64 SHA-512). Nothing for a line that is none, or names another algorithm than `given`.
std::optional<ListedChecksum> parse_line(std::string_view line, std::optional<DigestAlgorithm> given);
// is_no_entry is true for what a list may hold besides checksums: empty lines and comments (#).
bool is_no_entry(std::string_view line);

}  // namespace millrace::cli
