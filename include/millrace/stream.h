// How bytes flow: Source and Sink for streams, ReadAt and WriteAt for positions, and their ends in memory and files.
//
// One virtual call both fills (a file reads into `scratch`) and lends (memory, headers, a sealed segment come back as
// views of the source's own bytes). A stage is a few lines, and only the last consumer copies, if anyone must.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "millrace/bytes.h"
#include "millrace/result.h"

namespace millrace {

// Source produces a byte stream; its consumer pulls. One thread at a time.
class Source {
 public:
  virtual ~Source() = default;
  // pull returns the next 1..scratch.size() bytes, or an empty view at the end of the stream. They lie either at
  // scratch.data() or in memory the source lends; the view is valid until the next call on this source. Errors are
  // permanent. Requires a non-empty scratch.
  virtual Result<ByteView> pull(ByteSpan scratch) = 0;
  // remaining returns how many bytes are still to come, if known. A source that answers yields exactly that many or
  // fails, so no consumer looks ahead for the end (and Content-Length can be sent).
  virtual std::optional<std::uint64_t> remaining() const { return std::nullopt; }
};

// Sink accepts a byte stream; its producer pushes. One thread at a time.
class Sink {
 public:
  virtual ~Sink() = default;                 // without finish(): abandons the output, never completes it
  virtual ByteSpan scratch() = 0;            // memory in which the next bytes may be built; valid until the next call
  virtual Status write(ByteView bytes) = 0;  // takes all of them; free when they start at scratch()
  virtual Status finish() = 0;               // completes the output; the last call
};

// ReadAt and WriteAt are positional and safe to call from many threads.
class ReadAt {
 public:
  virtual ~ReadAt() = default;
  virtual Status read_at(std::uint64_t offset, ByteSpan dst) const = 0;  // fills dst or fails
  virtual std::uint64_t size() const = 0;
};
class WriteAt {
 public:
  virtual ~WriteAt() = default;
  virtual Status write_at(std::uint64_t offset, ByteView src) const = 0;
};

// read_full fills dst; a result below dst.size() means that the stream ended. It copies only what was lent.
Result<std::size_t> read_full(Source& from, ByteSpan dst);
// pump moves everything that is left of `from` and returns how much; the caller calls to.finish().
Result<std::uint64_t> pump(Source& from, Sink& to);

// MemorySource lends the caller's bytes, which must outlive it.
class MemorySource final : public Source {
 public:
  explicit MemorySource(ByteView bytes) : left_(bytes) {}
  Result<ByteView> pull(ByteSpan scratch) override;
  std::optional<std::uint64_t> remaining() const override { return left_.size(); }

 private:
  ByteView left_;
};

// PrependSource yields bytes that were already read from `rest`, then the rest itself: how a stream whose beginning
// was examined is put together again. Both must outlive it.
class PrependSource final : public Source {
 public:
  PrependSource(ByteView first, Source& rest) : first_(first), rest_(rest) {}
  Result<ByteView> pull(ByteSpan scratch) override;
  std::optional<std::uint64_t> remaining() const override;

 private:
  ByteView first_;
  Source& rest_;
};

// MemorySink collects a stream in a vector that it owns. `reserve` sizes the vector when the length is known, which
// lets producers build every byte in its final place.
class MemorySink final : public Sink {
 public:
  explicit MemorySink(std::size_t reserve = 0) : bytes_(reserve) {}
  ByteSpan scratch() override;
  Status write(ByteView bytes) override;
  Status finish() override;
  ByteView bytes() const { return ByteView(bytes_).first(used_); }

 private:
  std::vector<std::byte> bytes_;  // [0, used_) written, the rest is scratch
  std::size_t used_ = 0;
};

// NullSink counts and drops.
class NullSink final : public Sink {
 public:
  NullSink();
  ~NullSink() override;
  ByteSpan scratch() override;
  Status write(ByteView bytes) override;
  Status finish() override { return Ok{}; }
  std::uint64_t count() const { return count_; }

 private:
  struct Buffer;
  std::unique_ptr<Buffer> buffer_;
  std::uint64_t count_ = 0;
};

// MemoryReadAt serves the caller's bytes, which must outlive it.
class MemoryReadAt final : public ReadAt {
 public:
  explicit MemoryReadAt(ByteView bytes) : bytes_(bytes) {}
  Status read_at(std::uint64_t offset, ByteSpan dst) const override;
  std::uint64_t size() const override { return bytes_.size(); }

 private:
  ByteView bytes_;
};

// SliceReadAt is a stretch of another ReadAt, such as one member of an archive, as if it were the whole: a reader of it
// cannot get at the bytes around it. `in` must outlive it.
class SliceReadAt final : public ReadAt {
 public:
  // The bytes [from, from + size) of `in`. kInvalidArgument, with the size of `in` as the offset, if it has not all.
  static Result<SliceReadAt> create(const ReadAt& in, std::uint64_t from, std::uint64_t size);
  // Offsets count from `from`; a read beyond the slice is kInvalidArgument. Errors of `in` arrive as they are.
  Status read_at(std::uint64_t offset, ByteSpan dst) const override;
  std::uint64_t size() const override { return size_; }

 private:
  SliceReadAt(const ReadAt& in, std::uint64_t from, std::uint64_t size) : in_(&in), from_(from), size_(size) {}
  const ReadAt* in_;
  std::uint64_t from_;
  std::uint64_t size_;
};

// ReadAtSource reads [from, to) of a ReadAt as a stream. from <= to <= in.size(); `in` must outlive it.
class ReadAtSource final : public Source {
 public:
  ReadAtSource(const ReadAt& in, std::uint64_t from, std::uint64_t to) : in_(in), at_(from), end_(to) {}
  Result<ByteView> pull(ByteSpan scratch) override;
  std::optional<std::uint64_t> remaining() const override { return end_ - at_; }

 private:
  const ReadAt& in_;
  std::uint64_t at_;
  std::uint64_t end_;
  std::optional<Error> failed_;
};

// Fd owns a file descriptor and closes it; -1 is "none".
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& o) noexcept : fd_(o.release()) {}
  Fd& operator=(Fd&& o) noexcept;
  ~Fd();
  int get() const { return fd_; }
  int release();
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// open_for_reading opens a file, FIFO or device; a directory is an error. Errors: kIo with errno.
Result<Fd> open_for_reading(const std::string& path);

// FileSource reads a descriptor from its current position: a regular file, a pipe, a socket, a terminal. A regular
// file of a known size answers remaining(), yields exactly that many bytes, and fails if it became shorter.
class FileSource final : public Source {
 public:
  explicit FileSource(Fd fd);
  static Result<std::unique_ptr<FileSource>> open(const std::string& path);
  Result<ByteView> pull(ByteSpan scratch) override;
  std::optional<std::uint64_t> remaining() const override { return remaining_; }
  int descriptor() const { return fd_.get(); }

 private:
  Fd fd_;
  std::uint64_t position_ = 0;  // bytes delivered, for messages
  std::optional<std::uint64_t> remaining_;
  std::optional<Error> failed_;
};

// FileSink writes a descriptor at its current position. finish() reports what the kernel reports at close; a regular
// file is complete on disk only after a sync, which is not done here.
class FileSink final : public Sink {
 public:
  explicit FileSink(Fd fd);
  ~FileSink() override;
  ByteSpan scratch() override;
  Status write(ByteView bytes) override;
  Status finish() override;
  std::uint64_t count() const { return position_; }

 private:
  struct Buffer;
  Fd fd_;
  std::unique_ptr<Buffer> buffer_;  // made at the first scratch()
  std::uint64_t position_ = 0;
  std::optional<Error> failed_;
};

// FileReadAt reads a regular file or a block device at any position. It does not own the descriptor.
class FileReadAt final : public ReadAt {
 public:
  // The size is taken once; a file that is shorter when it is read is an error (kIo).
  static Result<FileReadAt> create(int fd);
  Status read_at(std::uint64_t offset, ByteSpan dst) const override;
  std::uint64_t size() const override { return size_; }

 private:
  FileReadAt(int fd, std::uint64_t size) : fd_(fd), size_(size) {}
  int fd_;
  std::uint64_t size_;
};

// FileWriteAt writes a regular file at any position. It does not own the descriptor.
class FileWriteAt final : public WriteAt {
 public:
  explicit FileWriteAt(int fd) : fd_(fd) {}
  Status write_at(std::uint64_t offset, ByteView src) const override;

 private:
  int fd_;
};

}  // namespace millrace
