#include <algorithm>
#include <string_view>

#include "millrace/tdf.h"

namespace millrace::tdf {

namespace {

bool starts_with_ignoring_case(std::string_view text, std::string_view lower) {
  const auto to_lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return text.size() >= lower.size() &&
         std::equal(lower.begin(), lower.end(), text.begin(), [&](char l, char t) { return l == to_lower(t); });
}

}  // namespace

FileKind recognize(ByteView first_bytes) {
  std::string_view text = as_text(first_bytes);
  if (text.starts_with("PK\3\4")) return FileKind::kTdf;
  if (text.starts_with("L1L")) return FileKind::kNanoTdf;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte order mark
  const std::size_t start = text.find_first_not_of(" \t\r\n\f");
  if (start == std::string_view::npos) return FileKind::kUnknown;
  text.remove_prefix(start);
  const bool html = starts_with_ignoring_case(text, "<!doctype html") || starts_with_ignoring_case(text, "<html");
  return html ? FileKind::kHtmlTdf : FileKind::kUnknown;
}

}  // namespace millrace::tdf
