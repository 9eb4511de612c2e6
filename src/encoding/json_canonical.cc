#include "encoding/json_canonical.h"

#include <algorithm>

#include "base/check.h"
#include "encoding/json_text.h"
#include "encoding/utf8.h"

namespace millrace {

namespace {

constexpr std::string_view kWhere = "JSON: number";

std::u16string utf16(std::string_view text) {
  std::u16string units;
  for (std::size_t i = 0; i < text.size();) {
    const std::optional<char32_t> c = utf8_decode(text, i);
    MR_CHECK(c);
    if (*c < 0x10000) {
      units += static_cast<char16_t>(*c);
    } else {
      units += static_cast<char16_t>(0xD800 + ((*c - 0x10000) >> 10));
      units += static_cast<char16_t>(0xDC00 + ((*c - 0x10000) & 0x3FF));
    }
  }
  return units;
}

}  // namespace

CanonicalObject::CanonicalObject(std::string& out) : out_(out), begin_(out.size()) {}

void CanonicalObject::name(std::string_view name) {
  if (!members_.empty()) members_.back().end = out_.size();
  members_.push_back({utf16(name), out_.size(), 0});
  append_json_canonical(out_, name);
  out_ += ':';
}

void CanonicalObject::finish() {
  if (!members_.empty()) members_.back().end = out_.size();
  std::ranges::sort(members_, {}, &Member::name);
  std::string sorted = "{";
  sorted.reserve(out_.size() - begin_ + members_.size() + 1);
  for (const Member& member : members_) {
    if (sorted.size() > 1) sorted += ',';
    sorted.append(out_, member.begin, member.end - member.begin);
  }
  sorted += '}';
  out_.replace(begin_, std::string::npos, sorted);
}

Status canonical_json(JsonReader& in, std::string& out) {  // as deep as JsonReader::kMaxDepth
  MR_TRY(const JsonKind kind, in.kind());
  switch (kind) {
    case JsonKind::kNull:
      MR_TRY(in.take_null());
      out += "null";
      break;
    case JsonKind::kBoolean: {
      MR_TRY(const bool value, in.boolean({}));
      out += value ? "true" : "false";
      break;
    }
    case JsonKind::kNumber: {
      MR_TRY(const double value, in.number(kWhere));
      append_json_canonical(out, value);
      break;
    }
    case JsonKind::kString: {
      MR_TRY(const std::string_view value, in.string({}));
      append_json_canonical(out, value);
      break;
    }
    case JsonKind::kArray: {
      out += '[';
      MR_TRY(in.array({}, [&](std::size_t index) {
        if (index > 0) out += ',';
        return canonical_json(in, out);
      }));
      out += ']';
      break;
    }
    case JsonKind::kObject: {
      CanonicalObject object(out);
      MR_TRY(in.object({}, [&](std::string_view name) {
        object.name(name);
        return canonical_json(in, out);
      }));
      object.finish();
      break;
    }
  }
  return Ok{};
}

}  // namespace millrace
