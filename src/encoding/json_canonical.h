// Canonical JSON (RFC 8785, "JCS"): the one text of a value, for hashes and signatures.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "encoding/json_reader.h"
#include "millrace/result.h"

namespace millrace {

// canonical_json reads the next value and adds its canonical text to `out`: members sorted by the UTF-16 code units of
// their names, numbers as ECMAScript prints them, no blanks. Errors: those of the reader; a number beyond the range of
// a double is kMalformed. After an error `out` holds the beginning of a text.
Status canonical_json(JsonReader& in, std::string& out);

// CanonicalObject builds one object in a string: members are added in any order and sorted by finish().
class CanonicalObject {
 public:
  // `out` is borrowed; only the text of this object may be added to it until finish().
  explicit CanonicalObject(std::string& out);
  // name begins a member, which must not be there yet. Its value's canonical text is to be added to `out` next.
  void name(std::string_view name);
  void finish();

 private:
  struct Member {
    std::u16string name;
    std::size_t begin;  // of `"name":value` in out_
    std::size_t end;
  };
  std::string& out_;
  const std::size_t begin_;
  std::vector<Member> members_;
};

}  // namespace millrace
