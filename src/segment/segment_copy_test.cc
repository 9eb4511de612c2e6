// The copy budget: at most one copy of each byte besides the transformation, and none where both ends allow it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "base/copy.h"
#include "testing/segment_drivers.h"

namespace millrace {
namespace {

using namespace millrace::testing;

// copies returns how many bytes `work` copied.
template <class Work>
std::uint64_t copies(const Work& work) {
  const std::uint64_t before = copied_bytes;
  work();
  return copied_bytes - before;
}

struct Case {
  SegmentFormat format;
  Bytes plain;
  Bytes stream;
  std::unique_ptr<const SegmentCipher> cipher;
  SegmentStage sealing;
  SegmentStage opening;

  explicit Case(const SegmentLayout::Params& params, std::size_t size = 3000000)
      : format(toy_format(params)),
        plain(noise_bytes(size)),
        stream(seal_by_loop(format, plain)),
        cipher(format.cipher()),
        sealing(*cipher, Direction::kSeal),
        opening(*cipher, Direction::kOpen) {}

  ByteView body() const { return ByteView(stream).subspan(format.header.size()); }
  ByteView input(Direction direction) const { return direction == Direction::kSeal ? ByteView(plain) : body(); }
  ByteView output(Direction direction) const { return direction == Direction::kSeal ? ByteView(stream) : plain; }
  ByteView header(Direction direction) const {
    return direction == Direction::kSeal ? ByteView(format.header) : ByteView{};
  }
  const SegmentStage& stage(Direction direction) const { return direction == Direction::kSeal ? sealing : opening; }
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::uint64_t segment : {4096u, 65536u, 1048576u}) {
    all.emplace_back(SegmentLayout::Params{24, segment, 0, 16, 24});
    all.emplace_back(SegmentLayout::Params{0, segment, 12, 16, 0});
  }
  return all;
}

class TempFile {
 public:
  explicit TempFile(ByteView contents) {
    char name[] = "/tmp/millrace-test-XXXXXX";
    fd_ = Fd(::mkstemp(name));
    path_ = name;
    MR_CHECK(FileWriteAt(fd_.get()).write_at(0, contents).has_value());
  }
  ~TempFile() { ::unlink(path_.c_str()); }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  const std::string& path() const { return path_; }
  int fd() const { return fd_.get(); }
  Bytes contents() const {
    const FileReadAt file = *FileReadAt::create(fd_.get());
    Bytes bytes(static_cast<std::size_t>(file.size()));
    MR_CHECK(file.read_at(0, bytes).has_value());
    return bytes;
  }

 private:
  Fd fd_;
  std::string path_;
};

TEST(SegmentCopies, FileToFileStreamCopiesNothing) {
  for (const Case& c : cases()) {
    for (const Direction direction : {Direction::kSeal, Direction::kOpen}) {
      const TempFile in(c.input(direction));
      const TempFile out({});
      EXPECT_EQ(copies([&] {
                  const auto source = *FileSource::open(in.path());
                  SegmentSource work(c.stage(direction), c.header(direction), *source);
                  FileSink sink(Fd(::open(out.path().c_str(), O_WRONLY)));
                  ASSERT_EQ(*pump(work, sink), c.output(direction).size());
                  ASSERT_TRUE(sink.finish());
                }),
                0u)
          << c.format.name;
      EXPECT_TRUE(equal(out.contents(), c.output(direction)));
    }
  }
}

TEST(SegmentCopies, FileToFileByPositionCopiesNothing) {
  for (const Case& c : cases()) {
    const TempFile in(c.plain);
    const TempFile sealed({});
    const TempFile opened({});
    const FileWriteAt sealed_out(sealed.fd());
    const FileWriteAt opened_out(opened.fd());
    EXPECT_EQ(copies([&] {
                const FileReadAt plain = *FileReadAt::create(in.fd());
                ASSERT_TRUE(transform_at(c.sealing, c.format.header, plain, &sealed_out, 2));
                const FileReadAt stream = *FileReadAt::create(sealed.fd());
                ASSERT_TRUE(transform_at(c.opening, {}, stream, &opened_out, 2));
              }),
              0u)
        << c.format.name;
    EXPECT_EQ(sealed.contents(), c.stream);
    EXPECT_EQ(opened.contents(), c.plain);
  }
}

TEST(SegmentCopies, MemoryOfKnownLengthToMemoryCopiesAtMostTheHeader) {
  for (const Case& c : cases()) {
    for (const Direction direction : {Direction::kSeal, Direction::kOpen}) {
      MemorySink sink(c.output(direction).size());
      const std::byte* const place = sink.scratch().data();
      EXPECT_LE(copies([&] {
                  MemorySource source(c.input(direction));
                  SegmentSource work(c.stage(direction), c.header(direction), source);
                  ASSERT_TRUE(pump(work, sink));
                }),
                c.header(direction).size())
          << c.format.name;
      EXPECT_TRUE(equal(sink.bytes(), c.output(direction)));
      EXPECT_EQ(sink.bytes().data(), place) << "the collected bytes were moved";
    }
  }
}

// A consumer with a small buffer of its own copies each byte once (here by read_full); one with a large buffer never.
TEST(SegmentCopies, PullIntoOwnBuffersCopiesAtMostOnce) {
  for (const Case& c : cases()) {
    for (const Direction direction : {Direction::kSeal, Direction::kOpen}) {
      for (const bool knows : {false, true}) {
        for (const std::size_t scratch : {std::size_t{1000}, std::size_t{65536}, std::size_t{4} << 20}) {
          const std::uint64_t size = c.output(direction).size();
          const std::uint64_t n = copies([&] {
            TestSource source(c.input(direction), {false, kUnlimited, knows});
            SegmentSource work(c.stage(direction), c.header(direction), source);
            Bytes buffer(scratch);
            std::uint64_t total = 0;
            while (const std::size_t got = *read_full(work, buffer)) total += got;
            ASSERT_EQ(total, size);
          });
          // While the length is unknown, the buffer of the first segment grows: less than a segment, once.
          const std::uint64_t growth = knows ? 0 : c.format.layout.segment_size();
          EXPECT_LE(n, size + growth) << c.format.name << " knows " << knows << " scratch " << scratch;
        }
      }
    }
  }
}

TEST(SegmentCopies, PushCopiesAtMostOnceWhateverTheWrites) {
  for (const Case& c : cases()) {
    for (const Direction direction : {Direction::kSeal, Direction::kOpen}) {
      const std::size_t segment = c.format.layout.segment_size();
      for (const std::size_t step : {std::size_t{100}, std::size_t{5000}, std::size_t{65536}, segment - 1, segment,
                                     segment + 1, 2 * segment + segment / 2, std::size_t{1} << 30}) {
        TestSink out({2 * segment, {}});
        const std::uint64_t n = copies([&] {
          SegmentSink work(c.stage(direction), c.header(direction), std::nullopt, out);
          for (ByteView left = c.input(direction); !left.empty();) {
            const ByteView part = left.first(std::min(step, left.size()));
            ASSERT_TRUE(work.write(part));
            left = left.subspan(part.size());
          }
          ASSERT_TRUE(work.finish());
        });
        EXPECT_TRUE(equal(out.bytes(), c.output(direction)));
        const std::uint64_t growth = step < segment ? segment : 0;  // of the buffer within the first segment
        EXPECT_LE(n, c.input(direction).size() + growth) << c.format.name << " step " << step;
      }
    }
  }
}

TEST(SegmentCopies, PushBuiltInScratchIsNotCopied) {
  for (const Case& c : cases()) {
    for (const Direction direction : {Direction::kSeal, Direction::kOpen}) {
      TestSink out({std::size_t{2} << 20, {}});
      const std::uint64_t n = copies([&] {
        SegmentSink work(c.stage(direction), c.header(direction), std::nullopt, out);
        for (ByteView left = c.input(direction); !left.empty();) {
          const ByteSpan room = work.scratch();
          const ByteView part = left.first(std::min(room.size(), left.size()));
          std::copy(part.begin(), part.end(), room.begin());
          ASSERT_TRUE(work.write(room.first(part.size())));
          left = left.subspan(part.size());
        }
        ASSERT_TRUE(work.finish());
      });
      EXPECT_TRUE(equal(out.bytes(), c.output(direction)));
      const std::uint64_t growth = c.format.layout.segment_size();  // of the buffer within the first segment
      EXPECT_LE(n, growth) << c.format.name;
    }
  }
}

}  // namespace
}  // namespace millrace
