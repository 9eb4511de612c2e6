// ProducerSource: the output of a command as a Source that ends well only if the command does.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

#include "millrace/stream.h"

namespace millrace::cli {

// The command runs in /bin/sh, in a process group of its own that is ended with us. At the end of its output its exit
// status is looked at: unless it is 0, pull fails, so that no last segment is made of half a dump.
class ProducerSource final : public Source {
 public:
  explicit ProducerSource(std::string command);
  ~ProducerSource() override;
  Result<ByteView> pull(ByteSpan scratch) override;
  // What became of a command that failed: "exited with status 3", "was ended by signal 9".
  const std::string& failure() const { return failure_; }

 private:
  std::string command_;
  pid_t process_ = -1;
  std::unique_ptr<FileSource> output_;
  std::string failure_;
  std::optional<Error> failed_;
};

}  // namespace millrace::cli
