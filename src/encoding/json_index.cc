#include "encoding/json_index.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"

namespace millrace {

namespace {

using nlohmann::json;

constexpr bool is_tab_or_line_end(char c) { return c == '\t' || c == '\n' || c == '\r'; }
constexpr bool is_blank(char c) { return c == ' ' || is_tab_or_line_end(c); }
constexpr bool is_bracket_or_comma(char c) { return c == ']' || c == '}' || c == ','; }

// Feed is the text as the parser reads it, with spaces for tabs and line ends. For when the parser fails, it quotes
// what it has read since the last string or number, several times over and with 8 characters for each of those: a text
// full of them would cost 40 times itself.
class Feed {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  explicit Feed(const char* at) : at_(at) {}
  char operator*() const { return is_tab_or_line_end(*at_) ? ' ' : *at_; }
  Feed& operator++() {
    ++at_;
    return *this;
  }
  void operator++(int) { ++at_; }
  friend bool operator==(const Feed&, const Feed&) = default;

 private:
  const char* at_;
};

// Indexer is the handler of the parser's events; false ends the parse. The parser says what it has found, but not
// where. Each event is of the next token of the text, though, and what has been found to be one needs no grammar to be
// measured.
class Indexer {
 public:
  Indexer(std::string_view text, std::string_view where, const JsonLimits& limits)
      : text_(text), where_(where), limits_(limits) {}

  Result<JsonIndex> run() {
    const std::uint64_t max_size = std::min(limits_.max_size, kMaxJsonSize);
    if (text_.size() > max_size) return Error{ErrorCode::kLimitExceeded, where_, max_size};
    // The parser takes a NUL byte for the end of the text and skips a byte order mark; JSON has neither.
    if (const std::size_t nul = text_.find('\0'); nul != std::string_view::npos) return error_at(nul);
    if (text_.starts_with("\xef\xbb\xbf")) return error_at(0);
    const bool good = json::sax_parse(Feed(text_.data()), Feed(text_.data() + text_.size()), this,
                                      json::input_format_t::json, /*strict=*/true, /*ignore_comments=*/false);
    if (error_) return *error_;
    MR_CHECK(good && open_.empty());
    return std::move(index_);
  }

  bool null() { return add_word(); }
  bool boolean(bool) { return add_word(); }
  bool number_integer(json::number_integer_t) { return add_word(); }
  bool number_unsigned(json::number_unsigned_t) { return add_word(); }
  bool number_float(json::number_float_t, const std::string&) { return add_word(); }
  bool string(std::string&) { return add_string(); }
  bool key(std::string& name) { return add_string() && remember(name); }
  bool start_object(std::size_t) { return open(); }
  bool start_array(std::size_t) { return open(); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool binary(json::binary_t&) { return false; }  // not in JSON
  template <class Exception>
  bool parse_error(std::size_t characters_read, const std::string&, const Exception&) {
    // At the end of the text it counts one that is not there.
    return fail(std::min(characters_read - std::min<std::size_t>(characters_read, 1), text_.size()));
  }

 private:
  struct Name {
    std::size_t begin, size;  // in names_
  };
  struct Open {
    std::size_t place;        // in index_
    std::size_t first_name;   // in sorted_
    std::size_t names_begin;  // in names_
  };

  Error error_at(std::size_t offset, ErrorCode code = ErrorCode::kMalformed) const {
    return Error{code, where_, offset};
  }
  bool fail(std::size_t offset, ErrorCode code = ErrorCode::kMalformed) {
    error_ = error_at(offset, code);
    return false;
  }

  // next_begin: between the last token and the next the parser lets nothing pass but these.
  std::size_t next_begin() const {
    std::size_t i = last_end_;
    while (is_blank(text_[i]) || text_[i] == ',' || text_[i] == ':') ++i;
    return i;
  }

  bool add(std::size_t begin, std::size_t end) {
    index_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
    last_end_ = end;
    return true;
  }
  // add_word is for numbers, true, false and null.
  bool add_word() {
    const std::size_t begin = next_begin();
    std::size_t end = begin + 1;
    while (end < text_.size() && !is_blank(text_[end]) && !is_bracket_or_comma(text_[end])) ++end;
    return add(begin, end);
  }
  bool add_string() {
    const std::size_t begin = next_begin();
    std::size_t end = begin + 1;
    for (; text_[end] != '"'; ++end) {
      if (is_tab_or_line_end(text_[end])) return fail(end);  // the parser was shown a space
      if (text_[end] == '\\') ++end;
    }
    return add(begin, end + 1);
  }

  bool open() {
    const std::size_t begin = next_begin();
    if (open_.size() >= limits_.max_depth) return fail(begin, ErrorCode::kLimitExceeded);
    open_.push_back({index_.size(), sorted_.size(), names_.size()});
    return add(begin, begin + 1);  // until close()
  }
  bool close() {
    last_end_ = next_begin() + 1;
    index_[open_.back().place].end = static_cast<std::uint32_t>(last_end_);
    sorted_.resize(open_.back().first_name);
    names_.resize(open_.back().names_begin);
    open_.pop_back();
    return true;
  }

  bool remember(std::string_view name) {
    const auto first = sorted_.begin() + static_cast<std::ptrdiff_t>(open_.back().first_name);
    const auto text_of = [this](const Name& n) { return std::string_view(names_).substr(n.begin, n.size); };
    const auto place = std::ranges::lower_bound(first, sorted_.end(), name, {}, text_of);
    if (place != sorted_.end() && text_of(*place) == name) return fail(index_.back().begin);
    if (sorted_.size() - open_.back().first_name == limits_.max_members) {
      return fail(index_.back().begin, ErrorCode::kLimitExceeded);
    }
    sorted_.insert(place, Name{names_.size(), name.size()});
    names_ += name;
    return true;
  }

  const std::string_view text_;
  const std::string_view where_;
  const JsonLimits& limits_;
  std::size_t last_end_ = 0;  // of the last token
  JsonIndex index_;
  std::vector<Open> open_;
  // The names so far of every open object, the innermost last: the characters, and where they are, sorted in each
  // object.
  std::string names_;
  std::vector<Name> sorted_;
  std::optional<Error> error_;
};

}  // namespace

Result<JsonIndex> index_json(std::string_view text, std::string_view where, const JsonLimits& limits) {
  return Indexer(text, where, limits).run();
}

std::string decode_json_string(std::string_view quoted) {
  json value = json::parse(quoted.begin(), quoted.end(), /*cb=*/nullptr, /*allow_exceptions=*/false);
  MR_CHECK(value.is_string());
  return std::move(value.get_ref<std::string&>());
}

}  // namespace millrace
