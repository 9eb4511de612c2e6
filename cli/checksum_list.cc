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

std::optional<std::vector<std::byte>> parse_value(std::string_view text, std::size_t size) {
  std::vector<std::byte> value(std::max(size, base64_decoded_capacity(text.size())));
  if (text.size() == 2 * size) {
    const Result<std::size_t> n = hex_decode(text, ByteSpan(value).first(size));
    if (n) {
      value.resize(size);
      return value;
    }
  }
  const Result<std::size_t> n = base64_decode(text, value);
  if (!n || *n != size) return std::nullopt;
  value.resize(size);
  return value;
}

std::optional<DigestAlgorithm> algorithm_of_length(std::size_t digits) {
  switch (digits) {
    case 8:
      return DigestAlgorithm::kCrc32;
    case 16:
      return DigestAlgorithm::kCrc64Nvme;
    case 32:
      return DigestAlgorithm::kMd5;
    case 40:
      return DigestAlgorithm::kSha1;
    case 64:
      return DigestAlgorithm::kSha256;
    case 128:
      return DigestAlgorithm::kSha512;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string format_line(DigestAlgorithm algorithm, ByteView value, std::string_view name, ListStyle list,
                        ValueStyle values) {
  const std::string escaped = escape(name);
  const std::string_view mark = escaped == name ? "" : "\\";
  const std::string text = values == ValueStyle::kHex ? hex_encode(value) : base64_encode(value);
  if (list == ListStyle::kPlain) return fmt::format("{}{}  {}", mark, text, escaped);
  return fmt::format("{}{} ({}) = {}", mark, upper(digest_name(algorithm)), escaped, text);
}

std::optional<ListedChecksum> parse_line(std::string_view line, std::optional<DigestAlgorithm> given) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  const bool escaped = !line.empty() && line.front() == '\\';
  if (escaped) line.remove_prefix(1);
  ListedChecksum result;
  std::string_view name;
  std::string_view value;

  // ALGORITHM (NAME) = VALUE; the name may hold ") = " itself, the value cannot.
  const std::size_t open = line.find(" (");
  const std::size_t close = line.rfind(") = ");
  const auto tagged = open == std::string_view::npos ? std::nullopt : parse_digest_name(line.substr(0, open));
  if (tagged && close != std::string_view::npos && close >= open + 2) {
    if (given && *given != *tagged) return std::nullopt;
    result.algorithm = *tagged;
    name = line.substr(open + 2, close - open - 2);
    value = line.substr(close + 4);
  } else {
    // VALUE, a blank, a blank or an asterisk (binary mode, which makes no difference here), NAME.
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos || blank + 2 >= line.size()) return std::nullopt;
    if (line[blank + 1] != ' ' && line[blank + 1] != '*') return std::nullopt;
    value = line.substr(0, blank);
    name = line.substr(blank + 2);
    const auto algorithm = given ? given : algorithm_of_length(value.size());
    if (!algorithm) return std::nullopt;
    result.algorithm = *algorithm;
  }
  auto bytes = parse_value(value, digest_size(result.algorithm));
  if (!bytes || name.empty()) return std::nullopt;
  result.value = std::move(*bytes);
  if (escaped) {
    auto plain = unescape(name);
    if (!plain) return std::nullopt;
    result.name = std::move(*plain);
  } else {
    result.name = name;
  }
  return result;
}

}  // namespace millrace::cli
