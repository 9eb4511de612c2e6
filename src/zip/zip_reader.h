// ZipReader: finds the entries of a ZIP archive, strictly, by position.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/bytes.h"
#include "millrace/result.h"
#include "millrace/stream.h"

namespace millrace::zip {

struct ZipLimits {
  std::uint64_t max_entries = 65536;
  std::uint64_t max_directory_size = std::uint64_t{16} << 20;
};

struct ZipEntry {
  std::string name;                 // the bytes of the directory; never empty, no zero byte
  std::uint64_t header_offset = 0;  // of the local header
  std::uint64_t data_offset = 0;    // of the contents
  std::uint64_t stored_size = 0;    // bytes in the archive
  std::uint64_t plain_size = 0;     // bytes when unpacked; equal for stored entries
  std::uint32_t crc = 0;
  std::uint16_t method = 0;  // 0: stored
  std::uint16_t flags = 0;   // 1: encrypted the ZIP way
};

// ZipReader has read the directory of an archive and every local header: names agree, contents lie inside the archive
// and do not overlap, no name comes twice. Nothing of the contents was read. A value.
//
// It refuses what two readers could understand differently (docs/formats/zip.md lists it), and takes what harmless
// writers do: comments, extra fields of any kind, bytes before and between entries, entries of other methods. Names are
// not checked for being safe as paths.
//
// Memory: the names and about 100 bytes an entry, that is at most max_directory_size and max_entries times 100; 128 KiB
// besides while it opens.
class ZipReader {
 public:
  // Errors: kMalformed with the offset of the record at fault; kLimitExceeded; kIo. Costs a few reads and one more for
  // each entry.
  static Result<ZipReader> open(const ReadAt& archive, const ZipLimits& limits = {});

  // In the order of the directory.
  const std::vector<ZipEntry>& entries() const { return entries_; }
  bool zip64() const { return zip64_; }
  // stored finds an entry by name that is neither compressed nor encrypted. kMalformed says which it is, or that there
  // is none.
  Result<const ZipEntry*> stored(std::string_view name) const;

 private:
  std::vector<ZipEntry> entries_;
  bool zip64_ = false;
};

}  // namespace millrace::zip
