// JsonReader: JSON (RFC 8259) from a text in memory, value by value, straight into the caller's types.
//
// A format's reader asks for what it expects and skips what it does not know; there is no document in between. Before
// the first answer the whole text is checked, by nlohmann's parser and the strict rules of json_index.h; what is kept
// of it is an index, the place of every name and value, along which the calls walk.
//
//   MR_TRY(in.object("thing", [&](std::string_view name) -> Status {
//     if (name == "sizes") return in.array("thing: sizes", [&](std::size_t) { return add(in.integer("thing: sizes"));
//     }); return in.skip();
//   }));
//   MR_TRY(in.finish());
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "encoding/json_index.h"
#include "millrace/result.h"

namespace millrace {

enum class JsonKind : std::uint8_t { kNull, kBoolean, kNumber, kString, kObject, kArray };

// The calls follow the text: after next_name() or a next_element() that says yes comes exactly one value. An error is
// the end: kMalformed or kLimitExceeded with the offset in the text. `where` is a string literal. What is wrong with
// the text itself is the error of the first call, at the constructor's `where`, wherever it stands in the text.
//
// Memory: the index, 8 bytes for each name and value, at most 4 times the text; and one string that has escapes, which
// is decoded when it is asked for. While the first call runs: see index_json.
//
// Secrets: the decoded string is cleansed when the next one takes its place and at the end, but the parser's own
// buffers, through which every string passes, are not. A format made of secrets needs another reader
// (tink/keyset_json.cc).
class JsonReader {
 public:
  // The depth that no text passes, whatever the limits say: code that follows the nesting with its own calls may rely
  // on this.
  static constexpr std::size_t kMaxDepth = 512;

  // The text is borrowed.
  JsonReader(std::string_view text, std::string_view where, const JsonLimits& limits = {});
  ~JsonReader() { cleanse(); }
  JsonReader(const JsonReader&) = delete;
  JsonReader& operator=(const JsonReader&) = delete;

  // kind looks at the next value.
  Result<JsonKind> kind();

  // take_null reads the next value if it is null.
  Result<bool> take_null();

  // The value, or kMalformed at `where` when it is of another kind. A string is valid until the next call.
  Result<bool> boolean(std::string_view where);
  Result<std::string_view> string(std::string_view where);
  // text copies a string, or leaves `out` as it is for null: an absent member by another name.
  Status text(std::string_view where, std::string& out);
  // integer takes 0 to 2^53 - 1 in plain digits, what all readers of JSON understand alike.
  Result<std::uint64_t> integer(std::string_view where);
  // number takes whatever fits a double.
  Result<double> number(std::string_view where);

  Status begin_object(std::string_view where);
  // next_name returns the name of the next member (valid until the next call), or nothing once the object is closed.
  Result<std::optional<std::string_view>> next_name();
  Status begin_array(std::string_view where);
  // next_element says whether another element follows; if not, the array is closed.
  Result<bool> next_element();

  // object reads one: member(name) is to read the value (the name is valid until it does).
  template <class F>
  Status object(std::string_view where, F&& member);
  // array reads one: element(index) is to read the element. An error gets the number of the innermost element as
  // detail.
  template <class F>
  Status array(std::string_view where, F&& element);

  // skip passes over one value of any kind.
  Status skip();
  // finish checks that the value has been read to its end; nothing follows it, as the first call has seen.
  Status finish();

  // offset is the place of the next value, once kind() has looked; else just behind the last name, value or bracket
  // that was read.
  std::uint64_t offset() const { return position_; }
  // fail is a format's own objection to the value (or name) that began last.
  Error fail(std::string_view where, ErrorCode code = ErrorCode::kMalformed, int detail = 0) const {
    return Error{code, where, value_offset_, detail};
  }

 private:
  struct Level {
    bool is_object;
    std::uint32_t end;  // in the text
  };

  Status start();
  void cleanse();
  Status expect(JsonKind wanted, std::string_view where);
  // take passes over the value that kind() looked at, without what is in it, and returns its text.
  std::string_view take();
  std::string_view text_of(JsonSpan span) const { return text_.substr(span.begin, span.end - span.begin); }
  // decoded returns what a string means, given with its quotes.
  std::string_view decoded(std::string_view quoted);
  Status begin(JsonKind kind, std::string_view where);
  bool next_item(bool is_object);

  const std::string_view text_;
  const std::string_view where_;
  const JsonLimits limits_;
  JsonIndex index_;                 // empty before the first call
  std::size_t next_ = 0;            // in index_
  bool value_is_next_ = true;       // the caller is to read one
  std::uint64_t position_ = 0;      // for offset()
  std::uint64_t value_offset_ = 0;  // of the last value or name
  std::string scratch_;             // a string that had escapes
  std::vector<Level> levels_;
};

template <class F>
Status JsonReader::object(std::string_view where, F&& member) {
  MR_TRY(begin_object(where));
  while (true) {
    MR_TRY(const std::optional<std::string_view> name, next_name());
    if (!name) return Ok{};
    MR_TRY(member(*name));
  }
}

template <class F>
Status JsonReader::array(std::string_view where, F&& element) {
  MR_TRY(begin_array(where));
  for (std::size_t index = 0;; ++index) {
    MR_TRY(const bool more, next_element());
    if (!more) return Ok{};
    if (const Status read = element(index); !read) {
      Error error = read.error();
      if (error.detail == 0 && std::in_range<int>(index + 1)) error.detail = static_cast<int>(index + 1);
      return error;
    }
  }
}

}  // namespace millrace
