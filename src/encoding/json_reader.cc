#include "encoding/json_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/check.h"
#include "encoding/utf8.h"

namespace millrace {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

JsonReader::JsonReader(std::string_view text, std::string_view where, const JsonLimits& limits)
    : text_(text), where_(where), limits_(limits) {}

Status JsonReader::start() {
  started_ = true;
  if (text_.size() > limits_.max_size) return Error{ErrorCode::kLimitExceeded, where_, limits_.max_size};
  return Ok{};
}

void JsonReader::skip_blanks() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return;
    ++position_;
  }
}

bool JsonReader::take(char c) {
  if (position_ == text_.size() || text_[position_] != c) return false;
  ++position_;
  return true;
}

Result<JsonKind> JsonReader::kind() {
  if (!started_) MR_TRY(start());
  skip_blanks();
  value_offset_ = position_;
  if (position_ == text_.size()) return syntax();
  const char c = text_[position_];
  if (c == '-' || is_digit(c)) return JsonKind::kNumber;
  switch (c) {
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
      return syntax();
  }
}

Status JsonReader::expect(JsonKind wanted, std::string_view where) {
  MR_TRY(const JsonKind found, kind());
  if (found != wanted) return fail(where);
  return Ok{};
}

Status JsonReader::take_literal(std::string_view literal) {
  for (const char c : literal) {
    if (!take(c)) return syntax();
  }
  return Ok{};
}

Result<bool> JsonReader::take_null() {
  MR_TRY(const JsonKind found, kind());
  if (found != JsonKind::kNull) return false;
  MR_TRY(take_literal("null"));
  return true;
}

Result<bool> JsonReader::boolean(std::string_view where) {
  MR_TRY(expect(JsonKind::kBoolean, where));
  const bool value = text_[position_] == 't';
  MR_TRY(take_literal(value ? "true" : "false"));
  return value;
}

Result<std::string_view> JsonReader::string(std::string_view where) {
  MR_TRY(expect(JsonKind::kString, where));
  return scan_string();
}

Status JsonReader::text(std::string_view where, std::string& out) {
  MR_TRY(const bool absent, take_null());
  if (absent) return Ok{};
  MR_TRY(out, string(where));
  return Ok{};
}

// scan_number: [-] int [frac] [exp] of RFC 8259.
Status JsonReader::scan_number() {
  const auto digits = [this] {
    const std::size_t begin = position_;
    while (position_ < text_.size() && is_digit(text_[position_])) ++position_;
    return position_ > begin;
  };
  take('-');
  if (!take('0') && !digits()) return syntax();
  if (take('.') && !digits()) return syntax();
  if (take('e') || take('E')) {
    if (!take('+')) take('-');
    if (!digits()) return syntax();
  }
  return Ok{};
}

Result<std::uint64_t> JsonReader::integer(std::string_view where) {
  MR_TRY(expect(JsonKind::kNumber, where));
  MR_TRY(scan_number());
  std::uint64_t value = 0;
  const char* const end = text_.data() + position_;
  const auto [stop, error] = std::from_chars(text_.data() + value_offset_, end, value);
  if (error != std::errc{} || stop != end || value >= std::uint64_t{1} << 53) return fail(where);
  return value;
}

Result<double> JsonReader::number(std::string_view where) {
  MR_TRY(expect(JsonKind::kNumber, where));
  MR_TRY(scan_number());
  double value = 0;
  const auto [stop, error] = std::from_chars(text_.data() + value_offset_, text_.data() + position_, value);
  if (error != std::errc{}) return fail(where);
  return value;
}

Result<std::uint32_t> JsonReader::scan_hex4() {
  std::uint32_t value = 0;
  if (text_.size() - position_ < 4) {
    position_ = text_.size();
    return syntax();
  }
  for (int i = 0; i < 4; ++i, ++position_) {
    const char c = text_[position_];
    const char lower = static_cast<char>(c | 0x20);
    if (is_digit(c)) {
      value = value * 16 + static_cast<std::uint32_t>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      value = value * 16 + static_cast<std::uint32_t>(lower - 'a' + 10);
    } else {
      return syntax();
    }
  }
  return value;
}

// scan_escape reads what follows a backslash into scratch_.
Status JsonReader::scan_escape() {
  if (position_ == text_.size()) return syntax();
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (const std::size_t letter = kLetters.find(text_[position_]); letter != std::string_view::npos) {
    scratch_ += kMeanings[letter];
    ++position_;
    return Ok{};
  }
  if (!take('u')) return syntax();
  MR_TRY(char32_t c, scan_hex4());
  if (c >= 0xDC00 && c <= 0xDFFF) return syntax();
  if (c >= 0xD800 && c <= 0xDBFF) {
    MR_TRY(take_literal("\\u"));
    MR_TRY(const char32_t low, scan_hex4());
    if (low < 0xDC00 || low > 0xDFFF) return syntax();
    c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
  }
  utf8_append(scratch_, c);
  return Ok{};
}

Result<std::string_view> JsonReader::scan_string() {
  ++position_;
  std::size_t begin = position_;  // of what is not yet in scratch_
  bool has_escapes = false;
  while (position_ < text_.size()) {
    const auto c = static_cast<unsigned char>(text_[position_]);
    if (c == '"') {
      const std::string_view rest = text_.substr(begin, position_ - begin);
      ++position_;
      if (!has_escapes) return rest;
      scratch_ += rest;
      return std::string_view(scratch_);
    }
    if (c < 0x20) return syntax();
    if (c == '\\') {
      if (!has_escapes) scratch_.clear();
      has_escapes = true;
      scratch_ += text_.substr(begin, position_ - begin);
      ++position_;
      MR_TRY(scan_escape());
      begin = position_;
    } else if (c < 0x80) {
      ++position_;
    } else if (!utf8_decode(text_, position_)) {
      return syntax();
    }
  }
  return syntax();
}

Status JsonReader::begin(JsonKind kind, std::string_view where) {
  MR_TRY(expect(kind, where));
  if (levels_.size() >= std::min(limits_.max_depth, kMaxDepth)) return fail(where_, ErrorCode::kLimitExceeded);
  ++position_;
  levels_.push_back({kind == JsonKind::kObject, /*is_fresh=*/true, sorted_.size(), names_.size()});
  return Ok{};
}

Status JsonReader::begin_object(std::string_view where) { return begin(JsonKind::kObject, where); }
Status JsonReader::begin_array(std::string_view where) { return begin(JsonKind::kArray, where); }

// next_item moves to the next member or element, or behind `close`.
Result<bool> JsonReader::next_item(char close) {
  MR_CHECK(!levels_.empty());
  Level& level = levels_.back();
  MR_CHECK(level.is_object == (close == '}'));
  skip_blanks();
  if (take(close)) {
    sorted_.resize(level.first_name);
    names_.resize(level.names_begin);
    levels_.pop_back();
    return false;
  }
  if (!level.is_fresh) {
    if (!take(',')) return syntax();
    skip_blanks();
  }
  level.is_fresh = false;
  return true;
}

Result<bool> JsonReader::next_element() { return next_item(']'); }

Result<std::optional<std::string_view>> JsonReader::next_name() {
  MR_TRY(const bool more, next_item('}'));
  if (!more) return std::optional<std::string_view>();
  value_offset_ = position_;
  if (position_ == text_.size() || text_[position_] != '"') return syntax();
  MR_TRY(const std::string_view name, scan_string());
  MR_TRY(remember(name));
  skip_blanks();
  if (!take(':')) return syntax();
  return std::optional<std::string_view>(name);
}

Status JsonReader::remember(std::string_view name) {
  const auto first = sorted_.begin() + static_cast<std::ptrdiff_t>(levels_.back().first_name);
  const auto text_of = [this](const Name& n) { return std::string_view(names_).substr(n.begin, n.size); };
  const auto place = std::ranges::lower_bound(first, sorted_.end(), name, {}, text_of);
  if (place != sorted_.end() && text_of(*place) == name) return fail(where_);
  if (sorted_.size() - levels_.back().first_name == limits_.max_members) {
    return fail(where_, ErrorCode::kLimitExceeded);
  }
  sorted_.insert(place, Name{names_.size(), name.size()});
  names_ += name;
  return Ok{};
}

// skip does not call itself, so that nesting costs no stack.
Status JsonReader::skip() {
  const std::size_t outside = levels_.size();
  do {
    if (levels_.size() > outside) {
      if (levels_.back().is_object) {
        MR_TRY(const std::optional<std::string_view> name, next_name());
        if (!name) continue;
      } else {
        MR_TRY(const bool more, next_element());
        if (!more) continue;
      }
    }
    MR_TRY(const JsonKind found, kind());
    switch (found) {
      case JsonKind::kNull:
        MR_TRY(take_null());
        break;
      case JsonKind::kBoolean:
        MR_TRY(boolean(where_));
        break;
      case JsonKind::kNumber:
        MR_TRY(scan_number());
        break;
      case JsonKind::kString:
        MR_TRY(scan_string());
        break;
      case JsonKind::kObject:
      case JsonKind::kArray:
        MR_TRY(begin(found, where_));
        break;
    }
  } while (levels_.size() > outside);
  return Ok{};
}

Status JsonReader::finish() {
  MR_CHECK(levels_.empty());
  skip_blanks();
  if (position_ != text_.size()) return syntax();
  return Ok{};
}

}  // namespace millrace
