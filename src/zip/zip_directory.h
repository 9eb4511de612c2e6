// Where the directory of a ZIP archive is: found from the end of the file, strictly.
#pragma once

#include <cstdint>

#include "millrace/result.h"
#include "millrace/stream.h"

namespace millrace::zip {

struct DirectoryPlace {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t entries = 0;  // at least 46 bytes of `size` each
  bool zip64 = false;         // there is a ZIP64 end record
};

// find_directory looks for the end record in the last 65,557 bytes. One counts if its comment ends where the file ends
// and the directory it names ends where the end records begin, so that signatures in contents and comments are not
// taken for it. Two that count make two archives of one file, which is refused. The directory lies inside the file; it
// was not looked at.
//
// A ZIP64 end record counts if its locator stands right before the end record, and must say the same as every field of
// the end record that is not all ones. Fields of all ones without one are refused, and so are archives of several
// disks.
//
// Errors: kMalformed, kIo. Memory: 64 KiB while it runs.
Result<DirectoryPlace> find_directory(const ReadAt& archive);

}  // namespace millrace::zip
