#include "checksum_list.h"

#include <fmt/core.h>

#include <algorithm>

#include "encoding/hex.h"
#include "millrace/base64.h"

namespace millrace::cli {

namespace {

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

std::string escape(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c == '\\') {
      result += "\\\\";
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\r') {
      result += "\\r";
    } else {
      result += c;
    }
  }
  return result;
}

std::optional<std::string> unescape(std::string_view name) {
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '\\') {
      result += name[i];
      continue;
    }
    if (++i == name.size()) return std::nullopt;
    if (name[i] == '\\') {
      result += '\\';
    } else if (name[i] == 'n') {
      result += '\n';
    } else if (name[i] == 'r') {
      result += '\r';
    } else {
      return std::nullopt;
    }
  }
  return result;
}

// marked puts the backslash in front of a line whose name was escaped.
std::string marked(std::string_view name, std::string_view escaped, std::string line) {
  return escaped == name ? line : '\\' + std::move(line);
}

// The bytes of a value in hex or base64. Hex comes first: base64 of a size that a digest has ends with "=".
std::optional<std::vector<std::byte>> parse_value(std::string_view text) {
  if (text.size() > 2 * kMaxDigestSize) return std::nullopt;
  std::vector<std::byte> value(std::max(text.size() / 2, base64_decoded_capacity(text.size())));
  Result<std::size_t> size = hex_decode(text, value);
  if (!size) size = base64_decode(text, value);
  if (!size) return std::nullopt;
  value.resize(*size);
  return value;
}

std::optional<DigestAlgorithm> algorithm_of_size(std::size_t size) {
  switch (size) {
    case 4:
      return DigestAlgorithm::kCrc32;
    case 8:
      return DigestAlgorithm::kCrc64Nvme;
    case 16:
      return DigestAlgorithm::kMd5;
    case 20:
      return DigestAlgorithm::kSha1;
    case 32:
      return DigestAlgorithm::kSha256;
    case 64:
      return DigestAlgorithm::kSha512;
    default:
      return std::nullopt;
  }
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The parts of a line, not yet looked into.
struct Parts {
  std::optional<DigestAlgorithm> algorithm;
  std::string_view name;
  std::string_view value;
};

// ALGORITHM (NAME) = VALUE; the name may hold parentheses, the value cannot.
std::optional<Parts> split_tagged(std::string_view line) {
  const std::size_t open = line.find('(');
  const std::size_t close = line.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  std::string_view tag = line.substr(0, open);
  if (tag.ends_with(' ')) tag.remove_suffix(1);
  const auto algorithm = parse_digest_name(tag);
  const std::string_view rest = without_blanks(line.substr(close + 1));
  if (!algorithm || !rest.starts_with('=')) return std::nullopt;
  return Parts{algorithm, line.substr(open + 1, close - open - 1), without_blanks(rest.substr(1))};
}

// VALUE, a blank, a blank or an asterisk (binary mode, which makes no difference here) or neither, NAME.
std::optional<Parts> split_plain(std::string_view line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  std::string_view name = line.substr(blank + 1);
  if (name.starts_with(' ') || name.starts_with('*')) name.remove_prefix(1);
  return Parts{std::nullopt, name, line.substr(0, blank)};
}

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::string format_value(ByteView value, ValueStyle style) {
  return style == ValueStyle::kHex ? hex_encode(value) : base64_encode(value);
}

std::string format_line(DigestAlgorithm algorithm, ByteView value, std::string_view name, ListStyle list,
                        ValueStyle values) {
  const std::string escaped = escape(name);
  const std::string text = format_value(value, values);
  return marked(name, escaped,
                list == ListStyle::kPlain ? fmt::format("{}  {}", text, escaped)
                                          : fmt::format("{} ({}) = {}", upper(digest_name(algorithm)), escaped, text));
}

std::string format_verdict(std::string_view name, std::string_view verdict) {
  const std::string escaped = escape(name);
  return marked(name, escaped, fmt::format("{}: {}", escaped, verdict));
}

bool is_no_entry(std::string_view line) {
  line = without_return(line);
  return line.empty() || line.front() == '#';
}

std::optional<ListedChecksum> parse_line(std::string_view line, std::optional<DigestAlgorithm> given) {
  line = without_return(line);
  const bool escaped = line.starts_with('\\');
  if (escaped) line.remove_prefix(1);
  auto parts = split_tagged(line);
  if (!parts) parts = split_plain(line);
  if (!parts) return std::nullopt;
  auto value = parse_value(parts->value);
  if (!value) return std::nullopt;

  auto algorithm = parts->algorithm ? parts->algorithm : given;
  if (!algorithm) algorithm = algorithm_of_size(value->size());
  if (!algorithm || (given && *algorithm != *given) || value->size() != digest_size(*algorithm)) return std::nullopt;
  const auto name = escaped ? unescape(parts->name) : std::string(parts->name);
  // A name with a NUL would be cut there by the system, and another file opened.
  if (!name || name->empty() || name->find('\0') != std::string::npos) return std::nullopt;
  return ListedChecksum{*algorithm, std::move(*value), *name};
}

}  // namespace millrace::cli
