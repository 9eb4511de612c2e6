// Walking the fields of a protobuf message, for the dozen messages of a keyset.
#pragma once

#include <cstdint>
#include <string_view>

#include "millrace/bytes.h"
#include "millrace/result.h"

namespace millrace::tink {

// Located bytes remember where in the input they begin, for error messages.
struct Located {
  ByteView bytes;
  std::uint64_t offset = 0;
};

// ProtoReader visits fields in the order of the wire: next(), then exactly one of varint32(), bytes(), skip(). All
// errors are kMalformed, with the offset of the field or of the byte at which the message ends too early.
class ProtoReader {
 public:
  // `where` names the message in errors; a literal.
  ProtoReader(Located message, std::string_view where) : message_(message), where_(where) {}

  Result<bool> next();  // false at the end of the message
  std::uint32_t field() const { return field_; }
  // varint32 reads a uint32 or enum. Protobuf parsers drop the upper half of a longer number, each in its own way for
  // enums; here it is refused.
  Result<std::uint32_t> varint32(std::string_view where);
  Result<Located> bytes(std::string_view where);
  Status skip();

 private:
  Result<std::uint64_t> varint();
  Result<Located> take(std::uint64_t size);
  Error malformed(std::string_view where, std::size_t at) const {
    return Error{ErrorCode::kMalformed, where, message_.offset + at};
  }

  Located message_;
  std::string_view where_;
  std::size_t at_ = 0;        // first unread byte
  std::size_t field_at_ = 0;  // first byte of the current field
  std::uint32_t field_ = 0;
  std::uint32_t wire_type_ = 0;
};

}  // namespace millrace::tink
