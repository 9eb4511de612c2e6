// Spool: a stream that has to be read by position goes to an unnamed file first.
#pragma once

#include "millrace/stream.h"

namespace millrace::cli {

class Transfer;

// Spool holds the whole input of a Transfer, as it came (encrypted), in a file without a name that only this process
// can reach and that is gone with it. It lies in $TMPDIR or /tmp. Memory: one buffer, whatever the size.
class Spool {
 public:
  // Reads the input to its end.
  explicit Spool(Transfer& transfer);
  const ReadAt& read_at() const { return *read_at_; }

 private:
  Fd fd_;
  std::optional<FileReadAt> read_at_;
};

}  // namespace millrace::cli
