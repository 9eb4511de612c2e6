// What a bulk frame costs besides its base64: no allocation after the first frame, at most one copy of each byte. A
// program of its own: it counts every allocation of the process.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "base/copy.h"
#include "stream/slab.h"
#include "testing/silkd.h"

namespace {
std::atomic<std::size_t> allocations{0};
}  // namespace

// Not inline, or g++ sees a free() of what came from new.
[[gnu::noinline]] void* operator new(std::size_t n) {
  ++allocations;
  void* const block = std::malloc(n);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept { std::free(block); }

// Large slabs come from here; where a sanitizer looks at memory, they come from operator new as well.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MILLRACE_TEST_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MILLRACE_TEST_SANITIZED
#endif
#ifndef MILLRACE_TEST_SANITIZED
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t n) {
  ++allocations;
  void* block = nullptr;
  return ::posix_memalign(&block, alignment, n) == 0 ? block : nullptr;
}
#endif

namespace millrace::silkd {
namespace {

using namespace millrace::testing;

// Gives `piece` over and over without a copy, lent or, as a file would, into the scratch.
class Repeated final : public Source {
 public:
  Repeated(ByteView piece, std::size_t times, bool lends) : piece_(piece), left_(times * piece.size()), lends_(lends) {}
  Result<ByteView> pull(ByteSpan scratch) override {
    const std::size_t at = piece_.size() - (left_ % piece_.size() == 0 ? piece_.size() : left_ % piece_.size());
    const ByteView bytes =
        left_ == 0 ? ByteView() : piece_.subspan(at).first(std::min(scratch.size(), piece_.size() - at));
    left_ -= bytes.size();
    if (lends_) return bytes;
    std::copy(bytes.begin(), bytes.end(), scratch.begin());  // the kernel's copy, which is not counted
    return ByteView(scratch.first(bytes.size()));
  }

 private:
  ByteView piece_;
  std::size_t left_;
  bool lends_;
};

class NowhereSink final : public Sink {
 public:
  ByteSpan scratch() override { return {}; }
  Status write(ByteView bytes) override {
    written += bytes.size();
    return Ok{};
  }
  Status finish() override { return Ok{}; }
  std::size_t written = 0;
};

constexpr std::size_t kSizes[] = {1, 100, 32 * 1024, 256 * 1024, 1024 * 1024, 6291432};

TEST(SilkdFrameMemory, SendingABulkFrameAllocatesAndCopiesNothingAfterTheFirst) {
  for (const std::size_t size : kSizes) {
    const Bytes payload = noise_bytes(size);
    NowhereSink sink;
    FrameWriter writer(sink);
    ASSERT_TRUE(writer.send(Bulk::kDataRequest, payload));
    const std::size_t before = allocations;
    const std::uint64_t copied = copied_bytes;
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(writer.send(Bulk::kDataRequest, payload));
    EXPECT_EQ(allocations, before) << size;
    EXPECT_EQ(copied_bytes, copied) << size;
    EXPECT_EQ(sink.written, 21 * bulk_frame_size(Bulk::kDataRequest, size));
  }
}

TEST(SilkdFrameMemory, FramesOfASourceAllocateAndCopyNothingAfterTheFirst) {
  for (const std::size_t size : kSizes) {
    const Bytes payload = noise_bytes(size);
    for (const bool lends : {false, true}) {
      Repeated source(payload, 20, lends);
      const std::uint64_t copied = copied_bytes;
      FrameSource frames(Bulk::kDataRequest, source, Closing::kYes, size);
      ASSERT_TRUE(frames.frame());
      const std::size_t before = allocations;
      for (;;) {
        const Result<ByteView> frame = frames.frame();
        ASSERT_TRUE(frame);
        if (frame->empty()) break;
      }
      EXPECT_EQ(allocations, before) << size;
      EXPECT_EQ(copied_bytes, copied) << size;
    }
  }
}

TEST(SilkdFrameMemory, ReadingABulkFrameAllocatesNothingAfterTheFirstAndCopiesEachByteAtMostOnce) {
  constexpr std::size_t kFrames = 24;
  for (const std::size_t size : kSizes) {
    const std::string frame = json_frame(Bulk::kDataRequest, noise_bytes(size));
    for (const bool lends : {false, true}) {
      for (const bool take : {false, true}) {
        Repeated source(as_bytes(frame), kFrames, lends);
        Bytes out(size + 2);
        const std::uint64_t copied = copied_bytes;
        FrameReader reader(source, Direction::kRequests);
        std::size_t before = 0;
        for (std::size_t i = 0; i < kFrames; ++i) {
          if (i == 2) before = allocations;  // the second frame of 32 KiB arrives in part behind the first
          ASSERT_TRUE(*reader.next());
          ASSERT_TRUE(!take || *reader.payload(out) == size);
        }
        ASSERT_FALSE(*reader.next());
        EXPECT_EQ(allocations, before) << size;
        EXPECT_LE(copied_bytes - copied, kFrames * frame.size()) << size;
      }
    }
  }
}

TEST(SilkdFrameMemory, APayloadIsDecodedIntoTheConsumersBuffer) {
  const Bytes payload = noise_bytes(256 * 1024);
  const std::string frame = json_frame(Bulk::kDataRequest, payload);
  Repeated source(as_bytes(frame), 8, true);
  FrameReader reader(source, Direction::kRequests);
  PayloadSource bytes(reader);
  Bytes scratch(payload.size() + 2);
  const std::uint64_t copied = copied_bytes;
  for (int i = 0; i < 8; ++i) {
    const Result<ByteView> got = bytes.pull(scratch);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->data(), scratch.data());
    EXPECT_TRUE(equal(*got, payload));
  }
  EXPECT_LE(copied_bytes - copied, 8 * frame.size());
}

}  // namespace
}  // namespace millrace::silkd
