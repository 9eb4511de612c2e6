#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "millrace/stream.h"
#include "testing/streams.h"

namespace millrace {
namespace {

using namespace millrace::testing;

class TempDirectory {
 public:
  TempDirectory() {
    char name[] = "/tmp/millrace-test-XXXXXX";
    MR_CHECK(::mkdtemp(name) != nullptr);
    path_ = name;
  }
  ~TempDirectory() {
    for (const std::string& file : files_) ::unlink(file.c_str());
    ::rmdir(path_.c_str());
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  std::string name(const std::string& file) {
    files_.push_back(path_ + "/" + file);
    return files_.back();
  }
  std::string file(const std::string& name_of_file, const Bytes& contents) {
    const std::string path = name(name_of_file);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(contents.data()), static_cast<std::streamsize>(contents.size()));
    return path;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::vector<std::string> files_;
};

struct Pipe {
  Fd reader;
  Fd writer;
  Pipe() {
    int ends[2];
    MR_CHECK(::pipe2(ends, O_CLOEXEC) == 0);
    reader = Fd(ends[0]);
    writer = Fd(ends[1]);
  }
};

Fd open_for_writing(const std::string& path) { return Fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC)); }

// A short rest, so that the other side of a pipe finds it empty.
void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

// read_all reads to the end with a scratch of `step` bytes.
Result<Bytes> read_all(Source& source, std::size_t step = 1000) {
  Bytes all;
  Bytes scratch(step);
  for (;;) {
    MR_TRY(const ByteView got, source.pull(scratch));
    if (got.empty()) return all;
    append(all, got);
  }
}

TEST(FileSource, RegularFileKnowsItsLength) {
  TempDirectory dir;
  const Bytes bytes = noise_bytes(10000);
  const auto source = *FileSource::open(dir.file("a", bytes));
  EXPECT_EQ(source->remaining(), 10000u);
  Bytes scratch(3000);
  EXPECT_TRUE(equal(*source->pull(scratch), slice(bytes, 0, 3000)));
  EXPECT_EQ(source->remaining(), 7000u);
  EXPECT_EQ(*read_all(*source), to_bytes(slice(bytes, 3000, 7000)));
  EXPECT_EQ(source->remaining(), 0u);
  EXPECT_TRUE(source->pull(scratch)->empty());
}

TEST(FileSource, StartsAtTheCurrentPosition) {
  TempDirectory dir;
  const Bytes bytes = noise_bytes(500);
  Fd fd = *open_for_reading(dir.file("a", bytes));
  ASSERT_EQ(::lseek(fd.get(), 123, SEEK_SET), 123);
  FileSource source(std::move(fd));
  EXPECT_EQ(source.remaining(), 377u);
  EXPECT_EQ(*read_all(source), to_bytes(slice(bytes, 123, 377)));
}

TEST(FileSource, PositionBehindTheEndIsAnEmptyInput) {
  TempDirectory dir;
  Fd fd = *open_for_reading(dir.file("a", noise_bytes(5)));
  ASSERT_EQ(::lseek(fd.get(), 100, SEEK_SET), 100);
  FileSource source(std::move(fd));
  EXPECT_EQ(source.remaining(), 0u);
  EXPECT_TRUE(read_all(source)->empty());
}

TEST(FileSource, EmptyFileAndNull) {
  TempDirectory dir;
  EXPECT_TRUE(read_all(**FileSource::open(dir.file("a", {})))->empty());
  EXPECT_TRUE(read_all(**FileSource::open("/dev/null"))->empty());
}

TEST(FileSource, DeviceFilesAndProcHaveNoKnownLength) {
  const auto proc = *FileSource::open("/proc/self/status");  // a regular file of size 0, with contents
  EXPECT_EQ(proc->remaining(), std::nullopt);
  EXPECT_GT(read_all(*proc)->size(), 100u);
  const auto zero = *FileSource::open("/dev/zero");
  EXPECT_EQ(zero->remaining(), std::nullopt);
  Bytes scratch(10, std::byte{1});
  EXPECT_TRUE(is_zero(*zero->pull(scratch)));
}

TEST(FileSource, MissingFileAndDirectoryKeepTheirErrno) {
  TempDirectory dir;
  const auto missing = FileSource::open(dir.path() + "/none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kIo);
  EXPECT_EQ(missing.error().detail, ENOENT);
  const auto directory = FileSource::open(dir.path());
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().code, ErrorCode::kIo);
  EXPECT_EQ(directory.error().detail, EISDIR);
}

TEST(FileSource, FileThatShrinksIsAnErrorForEver) {
  TempDirectory dir;
  const std::string path = dir.file("a", noise_bytes(1000));
  const auto source = *FileSource::open(path);
  Bytes scratch(300);
  ASSERT_TRUE(source->pull(scratch));
  ASSERT_EQ(::truncate(path.c_str(), 500), 0);
  EXPECT_EQ(source->pull(scratch)->size(), 200u);
  const auto cut = source->pull(scratch);
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, ErrorCode::kIo);
  EXPECT_EQ(cut.error().offset, 500u);
  ASSERT_EQ(::truncate(path.c_str(), 1000), 0);  // too late
  EXPECT_FALSE(source->pull(scratch));
}

TEST(FileSource, FileThatGrowsYieldsWhatItAnnounced) {
  TempDirectory dir;
  const Bytes bytes = noise_bytes(1000);
  const std::string path = dir.file("a", bytes);
  const auto source = *FileSource::open(path);
  std::ofstream(path, std::ios::app) << "more";
  EXPECT_EQ(*read_all(*source), bytes);
}

TEST(FileSource, PipeOfSingleBytesAndPauses) {
  Pipe pipe;
  const Bytes bytes = noise_bytes(200);
  std::thread producer([&] {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (i % 50 == 0) rest();
      EXPECT_EQ(::write(pipe.writer.get(), &bytes[i], 1), 1);
    }
    pipe.writer = Fd();
  });
  FileSource source(std::move(pipe.reader));
  EXPECT_EQ(source.remaining(), std::nullopt);
  Bytes whole(300);
  EXPECT_EQ(*read_full(source, whole), 200u);  // short reads are gone on with
  producer.join();
  EXPECT_TRUE(is_prefix(bytes, whole));
}

TEST(FileSource, Fifo) {
  TempDirectory dir;
  const std::string path = dir.name("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const Bytes bytes = noise_bytes(100000);
  std::thread producer([&] {
    FileSink sink(open_for_writing(path));
    EXPECT_TRUE(sink.write(bytes));
    EXPECT_TRUE(sink.finish());
  });
  const auto source = *FileSource::open(path);
  EXPECT_EQ(source->remaining(), std::nullopt);
  const Result<Bytes> got = read_all(*source);
  producer.join();
  EXPECT_EQ(*got, bytes);
}

TEST(FileSource, NonBlockingPipeWaits) {
  Pipe pipe;
  ASSERT_EQ(::fcntl(pipe.reader.get(), F_SETFL, O_NONBLOCK), 0);
  std::thread producer([&] {
    for (int i = 0; i < 3; ++i) {
      rest();
      EXPECT_EQ(::write(pipe.writer.get(), "abc", 3), 3);
    }
    rest();
    pipe.writer = Fd();
  });
  FileSource source(std::move(pipe.reader));
  const Result<Bytes> got = read_all(source);
  producer.join();
  ASSERT_TRUE(got);
  EXPECT_EQ(as_text(*got), "abcabcabc");
}

TEST(FileSource, ErrorOfReadIsKept) {
  TempDirectory dir;
  FileSource source(open_for_writing(dir.file("a", noise_bytes(10))));  // not open for reading
  Bytes scratch(5);
  for (int i = 0; i < 2; ++i) {
    const auto got = source.pull(scratch);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, ErrorCode::kIo);
    EXPECT_EQ(got.error().detail, EBADF);
  }
}

TEST(FileSink, WritesScratchAndForeignBytes) {
  TempDirectory dir;
  const std::string path = dir.file("a", {});
  FileSink sink(open_for_writing(path));
  const Bytes bytes = noise_bytes(1000);
  const ByteSpan room = sink.scratch();
  std::copy(bytes.begin(), bytes.begin() + 400, room.begin());
  ASSERT_TRUE(sink.write(room.first(400)));
  ASSERT_TRUE(sink.write(slice(bytes, 400, 600)));
  ASSERT_TRUE(sink.write({}));
  EXPECT_EQ(sink.count(), 1000u);
  ASSERT_TRUE(sink.finish());
  EXPECT_TRUE(sink.finish());
  EXPECT_FALSE(sink.write(bytes));
  EXPECT_EQ(*read_all(**FileSource::open(path)), bytes);
}

TEST(FileSink, FullDevice) {
  FileSink sink(open_for_writing("/dev/full"));
  const Bytes bytes = noise_bytes(10);
  for (int i = 0; i < 2; ++i) {
    const Status written = sink.write(bytes);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::kIo);
    EXPECT_EQ(written.error().detail, ENOSPC);
  }
  const Status finished = sink.finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().detail, ENOSPC);
}

TEST(FileSink, ClosedReader) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  Pipe pipe;
  pipe.reader = Fd();
  FileSink sink(std::move(pipe.writer));
  const Bytes bytes = noise_bytes(10);
  const Status written = sink.write(bytes);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().detail, EPIPE);
  EXPECT_FALSE(sink.finish());
  std::signal(SIGPIPE, before);
}

TEST(FileSink, NonBlockingPipeWaitsForItsReader) {
  Pipe pipe;
  ASSERT_EQ(::fcntl(pipe.writer.get(), F_SETFL, O_NONBLOCK), 0);
  const Bytes bytes = noise_bytes(300000);  // more than a pipe holds
  Bytes got;
  std::thread consumer([&] {
    rest();
    FileSource source(std::move(pipe.reader));
    got = *read_all(source, 5000);
  });
  FileSink sink(std::move(pipe.writer));
  EXPECT_TRUE(sink.write(bytes));
  EXPECT_TRUE(sink.finish());
  consumer.join();
  EXPECT_EQ(got, bytes);
}

TEST(FileReadAt, AnyPositionUpToTheEnd) {
  TempDirectory dir;
  const Bytes bytes = noise_bytes(1000);
  const Fd fd = *open_for_reading(dir.file("a", bytes));
  const FileReadAt file = *FileReadAt::create(fd.get());
  EXPECT_EQ(file.size(), 1000u);
  for (const std::size_t start : {std::size_t{0}, std::size_t{1}, std::size_t{999}, std::size_t{1000}}) {
    Bytes dst(std::min<std::size_t>(50, 1000 - start));
    EXPECT_TRUE(file.read_at(start, dst));
    EXPECT_TRUE(equal(dst, slice(bytes, start, dst.size())));
  }
  Bytes dst(2);
  EXPECT_EQ(file.read_at(999, dst).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(file.read_at(~std::uint64_t{0}, dst).error().code, ErrorCode::kInvalidArgument);
}

TEST(FileReadAt, PipesAndDirectoriesHaveNoPositions) {
  TempDirectory dir;
  const Pipe pipe;
  EXPECT_EQ(FileReadAt::create(pipe.reader.get()).error().detail, ESPIPE);
  const Fd directory(::open(dir.path().c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(FileReadAt::create(directory.get()).error().code, ErrorCode::kIo);
  EXPECT_EQ(FileReadAt::create(-1).error().detail, EBADF);
}

TEST(FileReadAt, FileThatShrinksIsAnError) {
  TempDirectory dir;
  const std::string path = dir.file("a", noise_bytes(1000));
  const Fd fd = *open_for_reading(path);
  const FileReadAt file = *FileReadAt::create(fd.get());
  ASSERT_EQ(::truncate(path.c_str(), 500), 0);
  Bytes dst(600);
  const Status status = file.read_at(0, dst);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kIo);
  EXPECT_EQ(status.error().offset, 500u);
}

TEST(FileWriteAt, AnyOrderAndErrors) {
  TempDirectory dir;
  const Bytes bytes = noise_bytes(1000);
  const std::string path = dir.file("a", {});
  const Fd fd = open_for_writing(path);
  const FileWriteAt file(fd.get());
  ASSERT_TRUE(file.write_at(600, slice(bytes, 600, 400)));
  ASSERT_TRUE(file.write_at(0, slice(bytes, 0, 600)));
  EXPECT_EQ(*read_all(**FileSource::open(path)), bytes);
  EXPECT_EQ(file.write_at(~std::uint64_t{0}, bytes).error().detail, EFBIG);
  EXPECT_EQ(file.write_at((std::uint64_t{1} << 63) - 1, bytes).error().detail, EFBIG);
  const Fd full = open_for_writing("/dev/full");
  EXPECT_EQ(FileWriteAt(full.get()).write_at(0, bytes).error().detail, ENOSPC);
  const Pipe pipe;
  EXPECT_EQ(FileWriteAt(pipe.writer.get()).write_at(0, bytes).error().detail, ESPIPE);
}

TEST(Fd, OwnsOneDescriptor) {
  Pipe pipe;
  const int number = pipe.reader.get();
  Fd moved(std::move(pipe.reader));
  EXPECT_FALSE(pipe.reader.valid());
  EXPECT_EQ(moved.get(), number);
  EXPECT_EQ(::fcntl(number, F_GETFD), FD_CLOEXEC);
  moved = Fd();
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
  Fd released(std::move(pipe.writer));
  const int kept = released.release();
  EXPECT_FALSE(released.valid());
  EXPECT_NE(::fcntl(kept, F_GETFD), -1);
  ::close(kept);
}

}  // namespace
}  // namespace millrace
