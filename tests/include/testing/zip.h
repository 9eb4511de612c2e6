// ZIP archives for tests, made field by field and not by the code under test, and archives of gigabytes without them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "millrace/stream.h"
#include "testing/bytes.h"

namespace millrace::testing {

// The check value of CRC-32: the CRC of these nine digits, from the catalogue of CRCs.
inline constexpr std::string_view kDigits = "123456789";
inline constexpr std::uint32_t kDigitsCrc = 0xcbf43926;

// from_hex reads pairs of digits; blanks between them are for the eye.
inline Bytes from_hex(std::string_view text) {
  Bytes bytes;
  std::string digits;
  for (const char c : text) {
    if (c == ' ' || c == '\n') continue;
    digits += c;
    if (digits.size() < 2) continue;
    bytes.push_back(static_cast<std::byte>(std::stoul(digits, nullptr, 16)));
    digits.clear();
  }
  MR_CHECK(digits.empty());
  return bytes;
}

// Little-endian numbers of n bytes.
inline void put(Bytes& to, std::uint64_t value, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to.push_back(static_cast<std::byte>(value >> (8 * i)));
}
inline void put(Bytes& to, std::string_view text) { append(to, as_bytes(text)); }
inline std::uint64_t number_at(ByteView bytes, std::size_t at, std::size_t n) {
  std::uint64_t value = 0;
  for (std::size_t i = n; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  return value;
}

// extra_field is an extra field of any kind; zip64_extra one of ZIP64.
inline Bytes extra_field(std::uint16_t id, const Bytes& data) {
  Bytes bytes;
  put(bytes, id, 2);
  put(bytes, data.size(), 2);
  append(bytes, data);
  return bytes;
}
inline Bytes zip64_extra(const std::vector<std::uint64_t>& numbers) {
  Bytes data;
  for (const std::uint64_t number : numbers) put(data, number, 8);
  return extra_field(1, data);
}

// RawEntry is an entry with every field that a test changes. What is not set is what a plain archive has.
struct RawEntry {
  std::string name = "a";
  std::string contents = std::string(kDigits);
  std::uint16_t method = 0;
  std::uint16_t flags = 0;
  Bytes extra = {};
  std::string comment = {};
  Bytes descriptor = {};  // what stands behind the contents
  std::uint32_t crc = kDigitsCrc;
  std::uint16_t disk = 0;
  std::optional<std::uint32_t> stored_size = {};
  std::optional<std::uint32_t> plain_size = {};
  std::optional<std::uint32_t> header_offset = {};
  // The local header, where it differs.
  std::optional<std::string> local_name = {};
  std::optional<std::uint16_t> local_method = {};
  std::optional<std::uint16_t> local_flags = {};
  std::optional<std::uint32_t> local_crc = {};
  std::optional<std::uint32_t> local_size = {};  // both of them
  Bytes local_extra = {};
};

// RawEnd is what stands behind the directory.
struct RawEnd {
  std::string comment = {};
  Bytes before = {};  // between the directory and the end records
  std::uint16_t disk = 0;
  std::optional<std::uint16_t> entries = {};
  std::optional<std::uint16_t> disk_entries = {};
  std::optional<std::uint32_t> directory_size = {};
  std::optional<std::uint32_t> directory_offset = {};
  // With a ZIP64 end record:
  bool zip64 = false;
  Bytes zip64_more = {};  // bytes of a later version
  std::optional<std::uint64_t> zip64_size_left = {};
  std::optional<std::uint64_t> zip64_entries = {};
  std::optional<std::uint64_t> zip64_directory_size = {};
  std::optional<std::uint64_t> zip64_directory_offset = {};
  std::optional<std::uint64_t> locator_offset = {};
  std::uint32_t locator_disks = 1;
  Bytes behind_locator = {};
};

inline Bytes raw_zip(const std::vector<RawEntry>& entries, const RawEnd& end = {}, const Bytes& prefix = {}) {
  Bytes zip = prefix;
  Bytes directory;
  for (const RawEntry& e : entries) {
    const auto size = static_cast<std::uint32_t>(e.contents.size());
    const std::size_t offset = zip.size();
    const std::string local_name = e.local_name.value_or(e.name);
    put(zip, "PK\3\4");
    put(zip, 20, 2);
    put(zip, e.local_flags.value_or(e.flags), 2);
    put(zip, e.local_method.value_or(e.method), 2);
    put(zip, 0x00210000, 4);
    put(zip, e.local_crc.value_or(e.crc), 4);
    put(zip, e.local_size.value_or(e.stored_size.value_or(size)), 4);
    put(zip, e.local_size.value_or(e.plain_size.value_or(size)), 4);
    put(zip, local_name.size(), 2);
    put(zip, e.local_extra.size(), 2);
    put(zip, local_name);
    append(zip, e.local_extra);
    put(zip, e.contents);
    append(zip, e.descriptor);

    put(directory, "PK\1\2");
    put(directory, 20, 2);
    put(directory, 20, 2);
    put(directory, e.flags, 2);
    put(directory, e.method, 2);
    put(directory, 0x00210000, 4);
    put(directory, e.crc, 4);
    put(directory, e.stored_size.value_or(size), 4);
    put(directory, e.plain_size.value_or(size), 4);
    put(directory, e.name.size(), 2);
    put(directory, e.extra.size(), 2);
    put(directory, e.comment.size(), 2);
    put(directory, e.disk, 2);
    put(directory, 0, 6);
    put(directory, e.header_offset.value_or(static_cast<std::uint32_t>(offset)), 4);
    put(directory, e.name);
    append(directory, e.extra);
    put(directory, e.comment);
  }
  const std::size_t directory_offset = zip.size();
  append(zip, directory);
  append(zip, end.before);
  const std::uint32_t ones = 0xffffffff;
  if (end.zip64) {
    const std::size_t record = zip.size();
    put(zip, "PK\6\6");
    put(zip, end.zip64_size_left.value_or(44 + end.zip64_more.size()), 8);
    put(zip, 45, 2);
    put(zip, 45, 2);
    put(zip, 0, 8);
    put(zip, end.zip64_entries.value_or(entries.size()), 8);
    put(zip, end.zip64_entries.value_or(entries.size()), 8);
    put(zip, end.zip64_directory_size.value_or(directory.size()), 8);
    put(zip, end.zip64_directory_offset.value_or(directory_offset), 8);
    append(zip, end.zip64_more);
    put(zip, "PK\6\7");
    put(zip, 0, 4);
    put(zip, end.locator_offset.value_or(record), 8);
    put(zip, end.locator_disks, 4);
    append(zip, end.behind_locator);
  }
  const auto count = static_cast<std::uint16_t>(end.zip64 ? ones : entries.size());
  put(zip, "PK\5\6");
  put(zip, end.disk, 2);
  put(zip, end.disk, 2);
  put(zip, end.disk_entries.value_or(end.entries.value_or(count)), 2);
  put(zip, end.entries.value_or(count), 2);
  put(zip, end.directory_size.value_or(end.zip64 ? ones : static_cast<std::uint32_t>(directory.size())), 4);
  put(zip, end.directory_offset.value_or(end.zip64 ? ones : static_cast<std::uint32_t>(directory_offset)), 4);
  put(zip, end.comment.size(), 2);
  put(zip, end.comment);
  return zip;
}

// SparseBytes is a file of any size that holds zeros but for the pieces put into it.
class SparseBytes final : public ReadAt {
 public:
  void put_at(std::uint64_t offset, ByteView bytes) {
    pieces_[offset] = to_bytes(bytes);
    size_ = std::max(size_, offset + bytes.size());
  }
  Status read_at(std::uint64_t offset, ByteSpan dst) const override {
    MR_CHECK(offset <= size_ && dst.size() <= size_ - offset);
    std::fill(dst.begin(), dst.end(), std::byte{0});
    for (const auto& [at, piece] : pieces_) {
      const std::uint64_t from = std::max(at, offset);
      const std::uint64_t to = std::min(at + piece.size(), offset + dst.size());
      if (from < to) std::memcpy(&dst[from - offset], &piece[from - at], to - from);
    }
    return Ok{};
  }
  std::uint64_t size() const override { return size_; }
  // read gives zeros for what lies outside.
  Bytes read(std::uint64_t offset, std::size_t n) const {
    Bytes bytes(n);
    const std::uint64_t inside = std::min<std::uint64_t>(n, size_ - std::min(size_, offset));
    if (inside > 0) MR_CHECK(read_at(offset, ByteSpan(bytes).first(inside)).has_value());
    return bytes;
  }

 private:
  std::map<std::uint64_t, Bytes> pieces_;
  std::uint64_t size_ = 0;
};

}  // namespace millrace::testing
