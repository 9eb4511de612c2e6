#include "mime_type.h"

#include <magic.h>

#include <algorithm>
#include <memory>

namespace millrace::cli {

namespace {

// What contents look like. A name is believed only when it says something more exact about the same look.
enum class Look { kText, kZip, kOther };

struct Extension {
  std::string_view name;
  Look look;
  std::string_view type;
};

constexpr Extension kExtensions[] = {
    {"css", Look::kText, "text/css"},
    {"csv", Look::kText, "text/csv"},
    {"htm", Look::kText, "text/html"},
    {"html", Look::kText, "text/html"},
    {"js", Look::kText, "text/javascript"},
    {"json", Look::kText, "application/json"},
    {"log", Look::kText, "text/plain"},
    {"md", Look::kText, "text/markdown"},
    {"sql", Look::kText, "application/sql"},
    {"svg", Look::kText, "image/svg+xml"},
    {"toml", Look::kText, "application/toml"},
    {"tsv", Look::kText, "text/tab-separated-values"},
    {"txt", Look::kText, "text/plain"},
    {"xml", Look::kText, "application/xml"},
    {"yaml", Look::kText, "application/yaml"},
    {"yml", Look::kText, "application/yaml"},
    {"docx", Look::kZip, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    {"epub", Look::kZip, "application/epub+zip"},
    {"jar", Look::kZip, "application/java-archive"},
    {"odp", Look::kZip, "application/vnd.oasis.opendocument.presentation"},
    {"ods", Look::kZip, "application/vnd.oasis.opendocument.spreadsheet"},
    {"odt", Look::kZip, "application/vnd.oasis.opendocument.text"},
    {"pptx", Look::kZip, "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    {"xlsx", Look::kZip, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    {"zip", Look::kZip, "application/zip"},
    {"7z", Look::kOther, "application/x-7z-compressed"},
    {"bz2", Look::kOther, "application/x-bzip2"},
    {"doc", Look::kOther, "application/msword"},
    {"gif", Look::kOther, "image/gif"},
    {"gz", Look::kOther, "application/gzip"},
    {"jpeg", Look::kOther, "image/jpeg"},
    {"jpg", Look::kOther, "image/jpeg"},
    {"mp3", Look::kOther, "audio/mpeg"},
    {"mp4", Look::kOther, "video/mp4"},
    {"parquet", Look::kOther, "application/vnd.apache.parquet"},
    {"pdf", Look::kOther, "application/pdf"},
    {"png", Look::kOther, "image/png"},
    {"ppt", Look::kOther, "application/vnd.ms-powerpoint"},
    {"sqlite", Look::kOther, "application/vnd.sqlite3"},
    {"tar", Look::kOther, "application/x-tar"},
    {"tgz", Look::kOther, "application/gzip"},
    {"wav", Look::kOther, "audio/wav"},
    {"webm", Look::kOther, "video/webm"},
    {"webp", Look::kOther, "image/webp"},
    {"xls", Look::kOther, "application/vnd.ms-excel"},
    {"xz", Look::kOther, "application/x-xz"},
    {"zst", Look::kOther, "application/zstd"},
};

const Extension* find_extension(std::string_view name) {
  name = name.substr(name.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return nullptr;
  std::string lower(name.substr(dot + 1));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const auto* found =
      std::find_if(std::begin(kExtensions), std::end(kExtensions), [&](const Extension& e) { return e.name == lower; });
  return found == std::end(kExtensions) ? nullptr : found;
}

// ask_magic is empty when libmagic cannot tell: its database is missing, or there are no contents.
std::string ask_magic(ByteView beginning) {
  if (beginning.empty()) return {};
  // Not into compressed data: that runs other programs.
  const std::unique_ptr<magic_set, decltype(&magic_close)> magic(
      ::magic_open(MAGIC_MIME_TYPE | MAGIC_NO_CHECK_COMPRESS), &magic_close);
  if (!magic || ::magic_load(magic.get(), nullptr) != 0) return {};
  const char* type = ::magic_buffer(magic.get(), beginning.data(), beginning.size());
  return type == nullptr ? std::string() : std::string(type);
}

constexpr std::string_view kUnknown = "application/octet-stream";

}  // namespace

MimeType detect_mime_type(ByteView beginning, std::string_view name) {
  const Extension* extension = find_extension(name);
  const std::string contents = ask_magic(beginning);
  const auto name_says_more = [&] {
    if (contents.empty()) return true;
    if (contents.starts_with("text/") || contents == "application/json") return extension->look == Look::kText;
    if (contents == "application/zip") return extension->look == Look::kZip;
    return contents == kUnknown && extension->look == Look::kOther;
  };
  if (extension != nullptr && name_says_more()) return {std::string(extension->type), "its name"};
  if (contents.empty()) return {std::string(kUnknown), {}};
  return {contents, "its contents"};
}

}  // namespace millrace::cli
