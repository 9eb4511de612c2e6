// JsonReader: JSON (RFC 8259) from a text in memory, value by value, straight into the caller's types.
//
// A format's reader asks for what it expects and skips what it does not know; there is no document in between. So
// memory does not depend on what a text holds, only on what is kept of it, and every error has its place in the text.
//
// What two readers could understand differently is refused here, once for all formats: a name twice in an object (in
// skipped values too), a byte order mark, NUL bytes, invalid UTF-8, half of a surrogate pair, anything after the value.
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

#include "millrace/result.h"

namespace millrace {

enum class JsonKind : std::uint8_t { kNull, kBoolean, kNumber, kString, kObject, kArray };

struct JsonLimits {
  std::uint64_t max_size = std::uint64_t{10} << 20;  // bytes of text
  std::size_t max_depth = 64;                        // of objects and arrays; never more than JsonReader::kMaxDepth
  std::size_t max_members = 1024;                    // of one object
};

// The calls follow the text: after next_name() or a next_element() that says yes comes exactly one value. An error is
// the end: kMalformed or kLimitExceeded with the offset in the text. `where` is a string literal; syntax errors carry
// the constructor's. Memory: the names of the objects around this place, and one string that has escapes.
class JsonReader {
 public:
  // Whatever the limits say: code that follows the nesting with its own calls may rely on this.
  static constexpr std::size_t kMaxDepth = 512;

  // The text is borrowed.
  JsonReader(std::string_view text, std::string_view where, const JsonLimits& limits = {});

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

  // skip reads one value of any kind and drops it; it is checked like any other.
  Status skip();
  // finish checks that nothing follows the value.
  Status finish();

  // offset is the place of the next value, once kind() has looked; else just behind the last one.
  std::uint64_t offset() const { return position_; }
  // fail is a format's own objection to the value (or name) that began last.
  Error fail(std::string_view where, ErrorCode code = ErrorCode::kMalformed, int detail = 0) const {
    return Error{code, where, value_offset_, detail};
  }

 private:
  struct Name {
    std::size_t begin, size;  // in names_
  };
  struct Level {
    bool is_object;
    bool is_fresh;            // nothing was read of it yet
    std::size_t first_name;   // in sorted_
    std::size_t names_begin;  // in names_
  };

  Status start();
  void skip_blanks();
  bool take(char c);
  Status take_literal(std::string_view literal);
  Status expect(JsonKind wanted, std::string_view where);
  Status begin(JsonKind kind, std::string_view where);
  Result<bool> next_item(char close);
  Status scan_number();
  Status scan_escape();
  Result<std::uint32_t> scan_hex4();
  // scan_string reads from the opening quote to behind the closing one.
  Result<std::string_view> scan_string();
  Status remember(std::string_view name);
  Error syntax() const { return Error{ErrorCode::kMalformed, where_, position_}; }

  const std::string_view text_;
  const std::string_view where_;
  const JsonLimits limits_;
  std::size_t position_ = 0;
  std::size_t value_offset_ = 0;  // of the last value or name
  bool started_ = false;
  std::string scratch_;  // a string that has escapes
  std::vector<Level> levels_;
  // The names so far of every open object, the innermost last: the characters, and where they are, sorted in each
  // level.
  std::string names_;
  std::vector<Name> sorted_;
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
