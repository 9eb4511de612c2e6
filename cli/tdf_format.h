// TDF files behind the interfaces that the verbs use.
#pragma once

#include <memory>
#include <optional>

#include "sealing.h"
#include "spool.h"
#include "tdf_options.h"

namespace millrace::cli {

std::unique_ptr<Sealing> seal_tdf(const TdfWriteOptions& options);
// Opens everything but the payload. Both must outlive what is returned.
std::unique_ptr<Opening> open_tdf(Transfer& transfer, const TdfKeys& keys);

// TdfFile is a TDF input by position: the input itself or, as the manifest is at the end, what was spooled of a pipe.
class TdfFile {
 public:
  explicit TdfFile(Transfer& transfer);
  const ReadAt& read_at() const { return *read_at_; }

 private:
  std::optional<Spool> spool_;
  const ReadAt* read_at_;
};

// open_reader fails with one line that names what the file can be opened with. `file` must outlive what is returned.
tdf::Reader open_reader(Transfer& transfer, const TdfFile& file, const TdfKeys& keys);
// fail_limit ends with an error of a file that passes a limit, and the option that raises it; returns for other errors.
void fail_limit(const Transfer& transfer, const Error& error);

}  // namespace millrace::cli
