#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "base/check.h"
#include "millrace/stream.h"
#include "stream/slab.h"

namespace millrace {

namespace {

// Linux moves at most 0x7ffff000 bytes in one call; a round number below it keeps the arithmetic plain.
constexpr std::size_t kMaxCall = std::size_t{1} << 30;

Error io_error(std::string_view where, std::uint64_t offset, int number) {
  return Error{ErrorCode::kIo, where, offset, number};
}

// retry tells whether a failed call is to be made again: after a signal, or, for a descriptor that somebody set to
// non-blocking (a shared terminal or socket), when it is ready.
bool retry(int fd, short events) {
  if (errno == EINTR) return true;
  if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
  pollfd waiting{fd, events, 0};
  return ::poll(&waiting, 1, -1) >= 0 || errno == EINTR;
}

// read_some reads once; 0 is the end of the input.
Result<std::size_t> read_some(int fd, ByteSpan dst, std::uint64_t offset) {
  for (;;) {
    const ssize_t n = ::read(fd, dst.data(), std::min(dst.size(), kMaxCall));
    if (n >= 0) return static_cast<std::size_t>(n);
    if (!retry(fd, POLLIN)) return io_error("read", offset, errno);
  }
}

}  // namespace

Fd& Fd::operator=(Fd&& o) noexcept {
  std::swap(fd_, o.fd_);
  return *this;
}

Fd::~Fd() {
  if (fd_ >= 0) ::close(fd_);
}

int Fd::release() { return std::exchange(fd_, -1); }

Result<Fd> open_for_reading(const std::string& path) {
  int fd;
  do {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return io_error("open", 0, errno);
  Fd owned(fd);
  struct stat st;
  if (::fstat(fd, &st) != 0) return io_error("open", 0, errno);
  if (S_ISDIR(st.st_mode)) return io_error("open", 0, EISDIR);
  return owned;
}

FileSource::FileSource(Fd fd) : fd_(std::move(fd)) {
  struct stat st;
  if (::fstat(fd_.get(), &st) != 0 || !S_ISREG(st.st_mode) || st.st_size <= 0) return;
  // A regular file that says it is empty may be one of /proc, which has contents all the same: it is read to its end.
  const off_t at = ::lseek(fd_.get(), 0, SEEK_CUR);
  if (at < 0) return;
  remaining_ = at < st.st_size ? static_cast<std::uint64_t>(st.st_size - at) : 0;
  ::posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);  // advice: doubles the kernel's read-ahead
}

Result<std::unique_ptr<FileSource>> FileSource::open(const std::string& path) {
  MR_TRY(Fd fd, open_for_reading(path));
  return std::make_unique<FileSource>(std::move(fd));
}

Result<ByteView> FileSource::pull(ByteSpan scratch) {
  MR_CHECK(!scratch.empty());
  if (failed_) return *failed_;
  if (remaining_ && *remaining_ == 0) return ByteView{};
  const std::size_t limit =
      remaining_ ? static_cast<std::size_t>(std::min<std::uint64_t>(scratch.size(), *remaining_)) : scratch.size();
  Result<std::size_t> n = read_some(fd_.get(), scratch.first(limit), position_);
  if (n && *n == 0 && remaining_) n = io_error("input became shorter while it was read", position_, 0);
  if (!n) {
    failed_ = n.error();
    return *failed_;
  }
  position_ += *n;
  if (remaining_) *remaining_ -= *n;
  return ByteView(scratch.first(*n));
}

struct FileSink::Buffer {
  Slab slab = Slab::acquire(kStreamBuffer);
};

FileSink::FileSink(Fd fd) : fd_(std::move(fd)) {}
FileSink::~FileSink() = default;

ByteSpan FileSink::scratch() {
  if (!buffer_) buffer_ = std::make_unique<Buffer>();
  return buffer_->slab.bytes();
}

Status FileSink::write(ByteView bytes) {
  if (failed_) return *failed_;
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_.get(), bytes.data(), std::min(bytes.size(), kMaxCall));
    if (n < 0) {
      if (retry(fd_.get(), POLLOUT)) continue;
      failed_ = io_error("write", position_, errno);
      return *failed_;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    position_ += static_cast<std::uint64_t>(n);
  }
  return Ok{};
}

Status FileSink::finish() {
  if (failed_) return *failed_;
  // Network file systems report a failed write as late as this.
  if (fd_.valid() && ::close(fd_.release()) != 0 && errno != EINTR) {
    failed_ = io_error("close", position_, errno);
    return *failed_;
  }
  return Ok{};
}

Result<FileReadAt> FileReadAt::create(int fd) {
  struct stat st;
  if (::fstat(fd, &st) != 0) return io_error("size of the input", 0, errno);
  if (S_ISREG(st.st_mode)) return FileReadAt(fd, static_cast<std::uint64_t>(st.st_size));
  if (S_ISBLK(st.st_mode)) {
    const off_t end = ::lseek(fd, 0, SEEK_END);
    if (end >= 0) return FileReadAt(fd, static_cast<std::uint64_t>(end));
    return io_error("size of the input", 0, errno);
  }
  return io_error("input at any position", 0, ESPIPE);
}

Status FileReadAt::read_at(std::uint64_t offset, ByteSpan dst) const {
  if (offset > size_ || dst.size() > size_ - offset) {
    return Error{ErrorCode::kInvalidArgument, "read beyond the end", offset};
  }
  while (!dst.empty()) {
    const ssize_t n = ::pread(fd_, dst.data(), std::min(dst.size(), kMaxCall), static_cast<off_t>(offset));
    if (n < 0) {
      if (errno == EINTR) continue;
      return io_error("read", offset, errno);
    }
    if (n == 0) return io_error("input became shorter while it was read", offset, 0);
    dst = dst.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  return Ok{};
}

Status FileWriteAt::write_at(std::uint64_t offset, ByteView src) const {
  if (offset > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()) - src.size()) {
    return io_error("write", offset, EFBIG);
  }
  while (!src.empty()) {
    const ssize_t n = ::pwrite(fd_, src.data(), std::min(src.size(), kMaxCall), static_cast<off_t>(offset));
    if (n < 0) {
      if (errno == EINTR) continue;
      return io_error("write", offset, errno);
    }
    src = src.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  return Ok{};
}

}  // namespace millrace
