// protozero decodes the numbers. Its pbf_reader is not used: it cuts tags and lengths to 32 bits, so that a length of
// 2^32 + 5 would be read as 5 where every other parser refuses it.
#include "tink/keyset_proto.h"

#include <limits>
#include <protozero/exception.hpp>
#include <protozero/types.hpp>
#include <protozero/varint.hpp>

namespace millrace::tink {

Result<std::uint64_t> ProtoReader::varint() {
  const std::string_view text = as_text(message_.bytes);
  const char* cursor = text.data() + at_;
  try {  // the one place where protozero can throw
    const std::uint64_t value = protozero::decode_varint(&cursor, text.data() + text.size());
    at_ = static_cast<std::size_t>(cursor - text.data());
    return value;
  } catch (const protozero::end_of_buffer_exception&) {
    return malformed(where_, text.size());
  } catch (const protozero::exception&) {
    return malformed(where_, at_);
  }
}

Result<Located> ProtoReader::take(std::uint64_t size) {
  if (size > message_.bytes.size() - at_) return malformed(where_, message_.bytes.size());
  const Located taken{message_.bytes.subspan(at_, static_cast<std::size_t>(size)), message_.offset + at_};
  at_ += static_cast<std::size_t>(size);
  return taken;
}

Result<bool> ProtoReader::next() {
  if (at_ == message_.bytes.size()) return false;
  field_at_ = at_;
  MR_TRY(const std::uint64_t tag, varint());
  if (tag < 8 || tag > std::numeric_limits<std::uint32_t>::max()) return malformed(where_, field_at_);
  field_ = static_cast<std::uint32_t>(tag >> 3);
  wire_type_ = static_cast<std::uint32_t>(tag & 7);
  return true;
}

Result<std::uint32_t> ProtoReader::varint32(std::string_view where) {
  if (wire_type_ != static_cast<std::uint32_t>(protozero::pbf_wire_type::varint)) return malformed(where, field_at_);
  MR_TRY(const std::uint64_t value, varint());
  if (value > std::numeric_limits<std::uint32_t>::max()) return malformed(where, field_at_);
  return static_cast<std::uint32_t>(value);
}

Result<Located> ProtoReader::bytes(std::string_view where) {
  if (wire_type_ != static_cast<std::uint32_t>(protozero::pbf_wire_type::length_delimited))
    return malformed(where, field_at_);
  MR_TRY(const std::uint64_t size, varint());
  return take(size);
}

Status ProtoReader::skip() {
  switch (static_cast<protozero::pbf_wire_type>(wire_type_)) {
    case protozero::pbf_wire_type::varint:
      MR_TRY(varint());
      return Ok{};
    case protozero::pbf_wire_type::fixed64:
      MR_TRY(take(8));
      return Ok{};
    case protozero::pbf_wire_type::length_delimited:
      MR_TRY(bytes(where_));
      return Ok{};
    case protozero::pbf_wire_type::fixed32:
      MR_TRY(take(4));
      return Ok{};
    default:  // groups: no message of a keyset ever had one
      return malformed(where_, field_at_);
  }
}

}  // namespace millrace::tink
