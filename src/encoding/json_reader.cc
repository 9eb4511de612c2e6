#include "encoding/json_reader.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"
#include "millrace/bytes.h"
#include "millrace/secret.h"

namespace millrace {

JsonReader::JsonReader(std::string_view text, std::string_view where, const JsonLimits& limits)
    : text_(text), where_(where), limits_{limits.max_size, std::min(limits.max_depth, kMaxDepth), limits.max_members} {}

Status JsonReader::start() {
  if (!index_.empty()) return Ok{};
  MR_TRY(index_, index_json(text_, where_, limits_));
  return Ok{};
}

void JsonReader::cleanse() { secure_zero(std::as_writable_bytes(std::span(scratch_))); }

// The first character says it, in a text that has been checked.
Result<JsonKind> JsonReader::kind() {
  MR_TRY(start());
  MR_CHECK(value_is_next_);
  position_ = value_offset_ = index_[next_].begin;
  switch (text_[index_[next_].begin]) {
    case 'n':
      return JsonKind::kNull;
    case 't':
    case 'f':
      return JsonKind::kBoolean;
    case '"':
      return JsonKind::kString;
    case '{':
      return JsonKind::kObject;
    case '[':
      return JsonKind::kArray;
    default:
      return JsonKind::kNumber;
  }
}

Status JsonReader::expect(JsonKind wanted, std::string_view where) {
  MR_TRY(const JsonKind found, kind());
  if (found != wanted) return fail(where);
  return Ok{};
}

std::string_view JsonReader::take() {
  const JsonSpan span = index_[next_++];
  position_ = span.end;
  value_is_next_ = false;
  return text_of(span);
}

std::string_view JsonReader::decoded(std::string_view quoted) {
  if (quoted.find('\\') == std::string_view::npos) return quoted.substr(1, quoted.size() - 2);
  cleanse();
  scratch_ = decode_json_string(quoted);
  return scratch_;
}

Result<bool> JsonReader::take_null() {
  MR_TRY(const JsonKind found, kind());
  if (found != JsonKind::kNull) return false;
  take();
  return true;
}

Result<bool> JsonReader::boolean(std::string_view where) {
  MR_TRY(expect(JsonKind::kBoolean, where));
  return take() == "true";
}

Result<std::string_view> JsonReader::string(std::string_view where) {
  MR_TRY(expect(JsonKind::kString, where));
  return decoded(take());
}

Status JsonReader::text(std::string_view where, std::string& out) {
  MR_TRY(const bool absent, take_null());
  if (absent) return Ok{};
  MR_TRY(out, string(where));
  return Ok{};
}

Result<std::uint64_t> JsonReader::integer(std::string_view where) {
  MR_TRY(expect(JsonKind::kNumber, where));
  const std::string_view digits = take();
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc{} || stop != end || value >= std::uint64_t{1} << 53) return fail(where);
  return value;
}

Result<double> JsonReader::number(std::string_view where) {
  MR_TRY(expect(JsonKind::kNumber, where));
  const std::string_view digits = take();
  double value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{}) return fail(where);
  return value;
}

Status JsonReader::begin(JsonKind kind, std::string_view where) {
  MR_TRY(expect(kind, where));
  levels_.push_back({kind == JsonKind::kObject, index_[next_].end});
  take();
  position_ = value_offset_ + 1;
  return Ok{};
}

Status JsonReader::begin_object(std::string_view where) { return begin(JsonKind::kObject, where); }
Status JsonReader::begin_array(std::string_view where) { return begin(JsonKind::kArray, where); }

// next_item says whether the innermost object or array has more, and closes it if not.
bool JsonReader::next_item(bool is_object) {
  MR_CHECK(!value_is_next_ && !levels_.empty() && levels_.back().is_object == is_object);
  const std::uint32_t end = levels_.back().end;
  if (next_ < index_.size() && index_[next_].begin < end) return true;
  position_ = end;
  levels_.pop_back();
  return false;
}

Result<bool> JsonReader::next_element() {
  value_is_next_ = next_item(/*is_object=*/false);
  return value_is_next_;
}

Result<std::optional<std::string_view>> JsonReader::next_name() {
  if (!next_item(/*is_object=*/true)) return std::optional<std::string_view>();
  value_offset_ = index_[next_].begin;
  const std::string_view name = decoded(take());
  value_is_next_ = true;
  return std::optional<std::string_view>(name);
}

// What begins before the end of the value lies in it.
Status JsonReader::skip() {
  MR_TRY(kind());
  const JsonSpan value = index_[next_];
  take();
  const auto rest = index_.begin() + static_cast<std::ptrdiff_t>(next_);
  next_ +=
      static_cast<std::size_t>(std::ranges::lower_bound(rest, index_.end(), value.end, {}, &JsonSpan::begin) - rest);
  return Ok{};
}

Status JsonReader::finish() {
  MR_TRY(start());
  MR_CHECK(!value_is_next_ && levels_.empty());
  return Ok{};
}

}  // namespace millrace
