// The records of a ZIP archive, field by field (PKWARE APPNOTE 6.3.10, section 4.3). Numbers are little-endian and
// stand without gaps behind a signature of four bytes. Each list of fields serves writing and reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/check.h"
#include "base/endian.h"
#include "millrace/bytes.h"

namespace millrace::zip {

// All ones in a field of an old record: the number stands in a ZIP64 field.
inline constexpr std::uint16_t kInZip64Short = 0xffff;
inline constexpr std::uint32_t kInZip64 = 0xffffffff;

inline constexpr std::uint16_t kFlagEncrypted = 1 << 0;
inline constexpr std::uint16_t kFlagDescriptor = 1 << 3;  // sizes and CRC follow the contents
inline constexpr std::uint16_t kFlagUtf8 = 1 << 11;       // of the name

inline constexpr std::uint16_t kStored = 0;

// 4.3.7; the name and the extra fields follow.
struct LocalHeader {
  static constexpr std::uint32_t kSignature = 0x04034b50;
  std::uint16_t version_needed = 0;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint16_t time = 0;
  std::uint16_t date = 0;
  std::uint32_t crc = 0;
  std::uint32_t stored_size = 0;
  std::uint32_t plain_size = 0;
  std::uint16_t name_size = 0;
  std::uint16_t extra_size = 0;
  static constexpr auto fields(auto& r) {
    return std::tie(r.version_needed, r.flags, r.method, r.time, r.date, r.crc, r.stored_size, r.plain_size,
                    r.name_size, r.extra_size);
  }
};

// 4.3.9, with the signature that the format leaves open and every reader knows; after the contents.
template <class Size>
struct Descriptor {
  static constexpr std::uint32_t kSignature = 0x08074b50;
  std::uint32_t crc = 0;
  Size stored_size = 0;
  Size plain_size = 0;
  static constexpr auto fields(auto& r) { return std::tie(r.crc, r.stored_size, r.plain_size); }
};

// 4.3.12; the name, the extra fields and a comment follow.
struct CentralHeader {
  static constexpr std::uint32_t kSignature = 0x02014b50;
  std::uint16_t made_by = 0;
  std::uint16_t version_needed = 0;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint16_t time = 0;
  std::uint16_t date = 0;
  std::uint32_t crc = 0;
  std::uint32_t stored_size = 0;
  std::uint32_t plain_size = 0;
  std::uint16_t name_size = 0;
  std::uint16_t extra_size = 0;
  std::uint16_t comment_size = 0;
  std::uint16_t disk = 0;
  std::uint16_t internal_attributes = 0;
  std::uint32_t external_attributes = 0;
  std::uint32_t header_offset = 0;
  static constexpr auto fields(auto& r) {
    return std::tie(r.made_by, r.version_needed, r.flags, r.method, r.time, r.date, r.crc, r.stored_size, r.plain_size,
                    r.name_size, r.extra_size, r.comment_size, r.disk, r.internal_attributes, r.external_attributes,
                    r.header_offset);
  }
};

// 4.3.14, version 1; bytes of later versions may follow.
struct Zip64EndRecord {
  static constexpr std::uint32_t kSignature = 0x06064b50;
  std::uint64_t size_left = 0;  // of what follows this field
  std::uint16_t made_by = 0;
  std::uint16_t version_needed = 0;
  std::uint32_t disk = 0;
  std::uint32_t directory_disk = 0;
  std::uint64_t disk_entries = 0;
  std::uint64_t entries = 0;
  std::uint64_t directory_size = 0;
  std::uint64_t directory_offset = 0;
  static constexpr auto fields(auto& r) {
    return std::tie(r.size_left, r.made_by, r.version_needed, r.disk, r.directory_disk, r.disk_entries, r.entries,
                    r.directory_size, r.directory_offset);
  }
};

// 4.3.15
struct Zip64Locator {
  static constexpr std::uint32_t kSignature = 0x07064b50;
  std::uint32_t end_disk = 0;
  std::uint64_t end_offset = 0;  // of the Zip64EndRecord
  std::uint32_t disks = 0;
  static constexpr auto fields(auto& r) { return std::tie(r.end_disk, r.end_offset, r.disks); }
};

// 4.3.16; a comment follows, which ends the file.
struct EndRecord {
  static constexpr std::uint32_t kSignature = 0x06054b50;
  std::uint16_t disk = 0;
  std::uint16_t directory_disk = 0;
  std::uint16_t disk_entries = 0;
  std::uint16_t entries = 0;
  std::uint32_t directory_size = 0;
  std::uint32_t directory_offset = 0;
  std::uint16_t comment_size = 0;
  static constexpr auto fields(auto& r) {
    return std::tie(r.disk, r.directory_disk, r.disk_entries, r.entries, r.directory_size, r.directory_offset,
                    r.comment_size);
  }
};

// The extra field of ZIP64 (4.5.3): its id, the size of what follows, then up to three sizes or offsets of 8 bytes and
// a disk number of 4.
inline constexpr std::uint16_t kZip64ExtraId = 1;
inline constexpr std::size_t kExtraHeaderSize = 4;

template <class Record>
constexpr std::size_t record_size() {
  std::size_t size = sizeof(Record::kSignature);
  Record record;
  std::apply([&](const auto&... field) { ((size += sizeof field), ...); }, Record::fields(record));
  return size;
}

template <class T>
void append_number(std::vector<std::byte>& out, T value) {
  const std::size_t at = out.size();
  out.resize(at + sizeof value);
  store_le(ByteSpan(out).subspan(at), value);
}

template <class Record>
void append_record(std::vector<std::byte>& out, const Record& record) {
  append_number(out, Record::kSignature);
  std::apply([&](const auto&... field) { (append_number(out, field), ...); }, Record::fields(record));
}

// take_number reads the T at the front of `bytes` and moves on behind it.
template <class T>
T take_number(ByteView& bytes) {
  const T value = load_le<T>(bytes);
  bytes = bytes.subspan(sizeof(T));
  return value;
}

// parse_record reads the record at the front of `bytes`, of which there must be enough; nothing if the signature is
// another one.
template <class Record>
std::optional<Record> parse_record(ByteView bytes) {
  MR_CHECK(bytes.size() >= record_size<Record>());
  if (take_number<std::uint32_t>(bytes) != Record::kSignature) return std::nullopt;
  Record record;
  std::apply([&](auto&... field) { ((field = take_number<std::remove_cvref_t<decltype(field)>>(bytes)), ...); },
             Record::fields(record));
  return record;
}

}  // namespace millrace::zip
