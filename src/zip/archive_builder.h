// ArchiveBuilder: the bytes of a ZIP archive around the contents of its entries, without I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "millrace/bytes.h"
#include "millrace/result.h"

namespace millrace::zip {

// A stored entry and the archive around it (PKWARE APPNOTE 6.3.10; numbers little-endian):
//
//   | local header | name | zip64 extra | contents | descriptor | ... | directory | zip64 end | locator | end |
//
// The builder says what stands before and after the contents; who moves them (a stream, workers writing by position)
// is not its business. Sizes or offsets from 2^31 - 1 on, and lengths that are not known in advance, take ZIP64 fields:
// there are readers with signed 32-bit numbers. Times are 1980-01-01 00:00, so that equal contents are equal archives.
// Names are those that check_entry_name() takes. docs/formats/zip.md has every field.
//
// Errors of all calls: kInvalidArgument for a call out of turn; kLimitExceeded for an archive that would pass 2^63 - 1
// bytes. A call that fails changes nothing. Memory: the names, twice, and about 100 bytes an entry.
class ArchiveBuilder {
 public:
  // begin starts an entry whose checksum follows its contents (a descriptor): its local header, to stand at offset() as
  // it is before the call; the contents begin at offset() as it is after it. `size` decides between ZIP and ZIP64
  // layout; unknown is ZIP64. Errors: kInvalidArgument for a name that is not allowed or comes twice.
  Result<std::vector<std::byte>> begin(std::string_view name, std::optional<std::uint64_t> size);
  // end closes it: the descriptor, to stand behind the `size` bytes of contents. `crc` is the CRC-32 of the contents.
  // kInvalidArgument when `size` is not the one announced.
  Result<std::vector<std::byte>> end(std::uint64_t size, std::uint32_t crc);
  // add is an entry whose contents are at hand: the local header; the contents follow it, without a descriptor. Errors
  // as begin().
  Result<std::vector<std::byte>> add(std::string_view name, ByteView contents);
  // The same for contents of which the size and the CRC-32 are known.
  Result<std::vector<std::byte>> add(std::string_view name, std::uint64_t size, std::uint32_t crc);
  // finish makes the directory and the end records. Nothing follows it.
  Result<std::vector<std::byte>> finish();

  // Where the next byte of the archive goes: the next header, the contents of an open entry, or what is behind the end.
  std::uint64_t offset() const { return offset_; }

 private:
  struct Entry {
    std::string name;
    std::uint64_t header_offset = 0;
    std::uint64_t size = 0;
    std::uint32_t crc = 0;
    bool descriptor = false;
    bool zip64 = false;  // the layout of its local header and descriptor
  };
  static std::uint16_t flags(const Entry& entry);
  static std::vector<std::byte> local_header(const Entry& entry);
  static void append_central_header(std::vector<std::byte>& out, const Entry& entry);
  Result<std::vector<std::byte>> start(std::string_view name, std::optional<std::uint64_t> size, std::uint32_t crc,
                                       bool descriptor);
  bool has_room(std::uint64_t header_size, std::uint64_t size) const;

  std::vector<Entry> entries_;
  std::unordered_set<std::string> names_;
  std::uint64_t offset_ = 0;
  std::optional<std::uint64_t> announced_;  // of the open entry
  bool open_ = false;                       // the last entry is
  bool finished_ = false;
};

}  // namespace millrace::zip
