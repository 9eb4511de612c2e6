#include "spool.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "failure.h"
#include "transfer.h"

namespace millrace::cli {

namespace {

// create_unnamed makes a file of mode 0600 in `directory` that no name leads to.
Fd create_unnamed(const std::string& directory) {
  Fd fd(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (fd.valid()) return fd;
  // Not every file system can do that.
  std::string name = directory + "/millrace.XXXXXX";
  Fd named(::mkostemp(name.data(), O_CLOEXEC));
  if (!named.valid())
    fail_with(directory, Error{ErrorCode::kIo, "create a temporary file", 0, errno}, "TMPDIR says where");
  ::unlink(name.c_str());
  return named;
}

}  // namespace

Spool::Spool(Transfer& transfer) {
  const char* wanted = std::getenv("TMPDIR");
  const std::string directory = wanted != nullptr && *wanted != '\0' ? wanted : "/tmp";
  fd_ = create_unnamed(directory);
  Fd copy(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 3));
  if (!copy.valid()) fail_with(directory, Error{ErrorCode::kIo, "open", 0, errno});
  FileSink sink(std::move(copy));
  Source& from = transfer.source();
  for (;;) {
    const ByteView bytes = transfer.or_fail(from.pull(sink.scratch()));
    if (bytes.empty()) break;
    if (const Status written = sink.write(bytes); !written)
      fail_with(fmt::format("temporary file in {}", directory), written.error(),
                "TMPDIR says where; or use a file as the input");
  }
  check_or_fail(sink.finish(), fmt::format("temporary file in {}", directory));
  read_at_.emplace(value_or_fail(FileReadAt::create(fd_.get()), directory));
}

}  // namespace millrace::cli
