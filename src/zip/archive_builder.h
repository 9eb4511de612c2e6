// ArchiveBuilder: the bytes of a ZIP archive around the contents of its entries, without I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
class ArchiveBuilder {
 public:
  // begin starts an entry whose checksum follows its contents (a descriptor): its local header, to stand at offset().
  // `size` decides between ZIP and ZIP64 layout; unknown is ZIP64. Errors: kInvalidArgument for an empty, absolute, too
  // long or doubled name.
  Result<std::vector<std::byte>> begin(std::string_view name, std::optional<std::uint64_t> size);
  // end closes it: the descriptor. kInvalidArgument when `size` is not the one announced.
  Result<std::vector<std::byte>> end(std::uint64_t size, std::uint32_t crc);
  // add is an entry whose contents are at hand: the local header; the contents follow it, without a descriptor.
  Result<std::vector<std::byte>> add(std::string_view name, ByteView contents);
  // finish makes the directory and the end records. Nothing follows it.
  Result<std::vector<std::byte>> finish();

  // Where the next byte of the archive goes, contents included.
  std::uint64_t offset() const { return offset_; }

 private:
  struct Entry {
    std::string name;
    std::uint64_t header_offset = 0;
    std::uint64_t size = 0;
    std::uint32_t crc = 0;
    bool zip64 = false;
    bool descriptor = false;
  };
  std::vector<Entry> entries_;
  std::uint64_t offset_ = 0;
  std::optional<std::uint64_t> announced_;  // of the open entry
  bool open_ = false;
  bool finished_ = false;
};

}  // namespace millrace::zip
