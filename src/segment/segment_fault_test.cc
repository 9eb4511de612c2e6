// Sources and sinks that fail at every place: the error arrives unchanged and stays, whole segments came before it, and
// no nonce is used twice, whatever the caller does next.
#include <gtest/gtest.h>

#include "testing/segment_cases.h"
#include "testing/segment_drivers.h"

namespace millrace {
namespace {

using namespace millrace::testing;

std::vector<SegmentFormat> formats(SealLog* log = nullptr) {
  return {toy_format({24, 48, 0, 8, 24}, log), toy_format({0, 48, 12, 16, 0}, log)};
}

// whole_segments_of is true for the beginnings of `whole` that end where a segment ends (or the header, or nothing).
bool whole_segments_of(ByteView part, ByteView whole, const std::vector<std::uint64_t>& ends) {
  return is_prefix(part, whole) && std::find(ends.begin(), ends.end(), part.size()) != ends.end();
}

std::vector<std::uint64_t> cipher_ends(const SegmentLayout& layout, std::size_t size) {
  std::vector<std::uint64_t> ends = {0};
  for (std::uint64_t i = 0; layout.cipher_offset(i) < size; ++i) ends.push_back(layout.cipher_offset(i));
  ends.push_back(size);
  return ends;
}
std::vector<std::uint64_t> plain_ends(const SegmentLayout& layout, std::size_t size) {
  std::vector<std::uint64_t> ends = {0};
  for (std::uint64_t i = 1; layout.plain_offset(i) < size; ++i) ends.push_back(layout.plain_offset(i));
  ends.push_back(size);
  return ends;
}

TEST(SegmentFaults, SourceThatFailsAtEveryByte) {
  for (const SegmentFormat& format : formats()) {
    const Bytes plain = noise_bytes(format.layout.plain_capacity(0) + 95);
    const Bytes stream = seal_by_loop(format, plain);
    for (const unsigned threads : {1u, 2u}) {
      const Driver driver{Shape::kPull, threads};
      for (const bool lends : {false, true}) {
        for (const bool knows : {false, true}) {
          for (const std::size_t step : {std::size_t{1}, kUnlimited}) {
            for (std::size_t at = 0; at <= stream.size(); ++at) {
              // At the very end, a source of known length is not asked any more.
              const Supply supply{lends, step, knows, at};
              const Conditions run{supply, 1000, {}, {}};
              if (at < plain.size() || (at == plain.size() && !knows)) {
                SealLog log;
                const ToyCipher cipher(format.layout, toy_key(format.header), &log);
                const Outcome sealed = run_seal(driver, format, cipher, plain, run);
                ASSERT_TRUE(sealed.error) << supply.text();
                ASSERT_TRUE(same(*sealed.error, Error{ErrorCode::kIo, "test source", at, EIO})) << supply.text();
                ASSERT_TRUE(sealed.sticky) << supply.text();
                ASSERT_TRUE(whole_segments_of(sealed.bytes, stream, cipher_ends(format.layout, stream.size())));
                ASSERT_LT(sealed.bytes.size(), stream.size());
                // Everything that could be sealed without knowing what comes is there.
                std::uint64_t complete = format.layout.header_size();
                for (std::uint64_t i = 1; format.layout.plain_offset(i) < at + (knows ? 1 : 0); ++i)
                  complete = format.layout.cipher_offset(i);
                ASSERT_EQ(sealed.bytes.size(), complete) << supply.text();
                ASSERT_FALSE(log.repeated());
              }
              if (at < stream.size() || !knows) {
                const Outcome opened = run_open(driver, format, stream, run);
                ASSERT_TRUE(opened.error) << supply.text();
                ASSERT_TRUE(same(*opened.error, Error{ErrorCode::kIo, "test source", at, EIO})) << supply.text();
                ASSERT_TRUE(opened.sticky) << supply.text();
                ASSERT_TRUE(whole_segments_of(opened.bytes, plain, plain_ends(format.layout, plain.size())));
                ASSERT_LT(opened.bytes.size(), plain.size());
              }
            }
          }
        }
      }
    }
  }
}

// A source that announced more than it has is an input that became shorter, never a shorter stream.
TEST(SegmentFaults, SourceThatEndsBeforeItsKnownLength) {
  class Short final : public Source {
   public:
    Short(ByteView bytes, std::uint64_t announced) : bytes_(bytes), announced_(announced) {}
    Result<ByteView> pull(ByteSpan scratch) override {
      MemorySource memory(bytes_);
      const ByteView part = *memory.pull(scratch);
      bytes_ = bytes_.subspan(part.size());
      announced_ -= part.size();
      return part;
    }
    std::optional<std::uint64_t> remaining() const override { return announced_; }

   private:
    ByteView bytes_;
    std::uint64_t announced_;
  };
  for (const SegmentFormat& format : formats()) {
    const auto cipher = format.cipher();
    const Bytes plain = noise_bytes(format.layout.plain_capacity(0) + 95);
    const Bytes stream = seal_by_loop(format, plain);
    for (std::size_t have = 0; have < plain.size(); ++have) {
      Short in(slice(plain, 0, have), plain.size());
      SegmentSource sealed(SegmentStage(*cipher, Direction::kSeal), format.header, in);
      const Outcome outcome = drain(sealed, 1000);
      ASSERT_TRUE(outcome.error);
      ASSERT_EQ(outcome.error->code, ErrorCode::kIo);
      ASSERT_TRUE(outcome.sticky);
      ASSERT_TRUE(whole_segments_of(outcome.bytes, stream, cipher_ends(format.layout, stream.size())));
      ASSERT_LT(outcome.bytes.size(), stream.size());

      Short parallel_in(slice(plain, 0, have), plain.size());
      ParallelSegmentSource parallel(SegmentStage(*cipher, Direction::kSeal), format.header, parallel_in, 2);
      ASSERT_EQ(drain(parallel, 1000).bytes, outcome.bytes);
    }
  }
}

TEST(SegmentFaults, SinkThatFailsAtEveryWrite) {
  for (const Shape shape : {Shape::kPushWrite, Shape::kPushScratch}) {
    for (const std::size_t step : {std::size_t{1}, std::size_t{50}, std::size_t{1000}}) {
      for (const std::size_t scratch : {std::size_t{1}, std::size_t{4096}}) {
        for (const SegmentFormat& format : formats()) {
          const Bytes plain = noise_bytes(format.layout.plain_capacity(0) + 95);
          const Bytes stream = seal_by_loop(format, plain);
          bool failed = true;
          for (std::size_t at = 0; failed; ++at) {
            const Conditions run{{}, step, {scratch, at}, {}};
            SealLog log;
            const ToyCipher cipher(format.layout, toy_key(format.header), &log);
            const Outcome sealed = run_seal({shape}, format, cipher, plain, run);
            const Outcome opened = run_open({shape}, format, stream, run);
            ASSERT_FALSE(log.repeated());
            ASSERT_TRUE(sealed.sticky && opened.sticky);
            if (sealed.error) {
              ASSERT_EQ(sealed.error->where, "test sink");
              ASSERT_EQ(sealed.error->detail, ENOSPC);
              ASSERT_TRUE(whole_segments_of(sealed.bytes, stream, cipher_ends(format.layout, stream.size())));
              ASSERT_FALSE(open_by_loop(format, sealed.bytes).whole);
            }
            if (opened.error) {
              ASSERT_EQ(opened.error->where, "test sink");
              ASSERT_EQ(opened.error->detail, ENOSPC);
              ASSERT_TRUE(whole_segments_of(opened.bytes, plain, plain_ends(format.layout, plain.size())));
            }
            failed = sealed.error || opened.error;
            ASSERT_EQ(sealed.error || at > 0, true);  // the first write fails
          }
        }
      }
    }
  }
}

TEST(SegmentFaults, PositionsThatFailAtEveryByte) {
  for (const SegmentFormat& format : formats()) {
    const Bytes plain = noise_bytes(format.layout.plain_capacity(0) + 95);
    const Bytes stream = seal_by_loop(format, plain);
    for (const unsigned threads : {1u, 3u}) {
      for (std::size_t at = 0; at < stream.size(); ++at) {
        SealLog log;
        const ToyCipher cipher(format.layout, toy_key(format.header), &log);
        const SegmentStage sealing(cipher, Direction::kSeal);
        const MemoryReadAt plain_in(plain);
        const TestWriteAt full(stream.size(), at);
        const Status sealed = transform_at(sealing, format.header, plain_in, &full, threads);
        ASSERT_FALSE(sealed);
        ASSERT_EQ(sealed.error().detail, ENOSPC);
        ASSERT_FALSE(log.repeated());

        const TestReadAt bad_in(stream, at);
        const auto head = format.head();
        const auto opener = read_head(*head, bad_in);
        if (!opener) {
          ASSERT_EQ(opener.error().detail, EIO);
          continue;
        }
        const SegmentStage opening(**opener, Direction::kOpen);
        const TestWriteAt out(plain.size());
        const Status opened = transform_at(opening, {}, bad_in, &out, threads);
        ASSERT_FALSE(opened);
        ASSERT_EQ(opened.error().detail, EIO);
        if (at < plain.size()) {
          const TestReadAt bad_plain(plain, at);
          const TestWriteAt room(stream.size());
          ASSERT_EQ(transform_at(SegmentStage(**opener, Direction::kSeal), format.header, bad_plain, &room, threads)
                        .error()
                        .detail,
                    EIO);
        }
      }
    }
  }
}

TEST(SegmentFaults, RandomAccessReportsAFailedRead) {
  for (const SegmentFormat& format : formats()) {
    const Bytes plain = noise_bytes(format.layout.plain_capacity(0) + 95);
    const Bytes stream = seal_by_loop(format, plain);
    for (std::size_t at = format.layout.header_size(); at < stream.size(); ++at) {
      const TestReadAt in(stream, at);
      const auto cipher = format.cipher();
      const auto reader = SegmentReadAt::create(*cipher, in);
      const bool in_last = at >= format.layout.cipher_offset(*format.layout.segment_count(plain.size()) - 1);
      ASSERT_EQ(reader.has_value(), !in_last);
      if (!reader) {
        ASSERT_EQ(reader.error().detail, EIO);
        continue;
      }
      Bytes dst(plain.size(), std::byte{0xcc});
      const Status status = (*reader)->read_at(0, dst);
      ASSERT_FALSE(status);
      ASSERT_EQ(status.error().detail, EIO);
      ASSERT_TRUE(is_zero(dst));
    }
  }
}

TEST(SegmentSink, DroppedOneLeavesAStreamThatNobodyOpens) {
  for (const SegmentFormat& format : formats()) {
    const auto cipher = format.cipher();
    for (const std::size_t size : plain_sizes(format.layout, 3)) {
      const Bytes plain = noise_bytes(size);
      TestSink out;
      {
        SegmentSink sealing(SegmentStage(*cipher, Direction::kSeal), format.header, std::nullopt, out);
        ASSERT_TRUE(sealing.write(plain));
      }
      EXPECT_FALSE(open_by_loop(format, out.bytes()).whole);
      EXPECT_EQ(out.finishes(), 0u);
      EXPECT_TRUE(is_prefix(out.bytes(), seal_by_loop(format, plain)));
    }
  }
}

TEST(SegmentSink, KeepsToTheLengthThatWasAnnounced) {
  const SegmentFormat format = toy_format({5, 64, 0, 16, 0});
  const Bytes plain = noise_bytes(96, 5);  // two full segments
  for (const std::uint64_t announced : {0U, 1U, 47U, 48U, 95U, 96U, 97U, 1000U}) {
    for (const std::size_t step : {1U, 48U, 96U}) {
      const auto cipher = format.cipher();
      TestSink out;
      SegmentSink sealing(SegmentStage(*cipher, Direction::kSeal), format.header, announced, out);
      const Outcome outcome = push(sealing, plain, step, false);
      EXPECT_TRUE(outcome.sticky) << announced << ", " << step;
      EXPECT_EQ(!outcome.error, announced == plain.size()) << announced << ", " << step;
      if (outcome.error) {
        EXPECT_EQ(outcome.error->code, ErrorCode::kInvalidArgument);
        // Too few: no last segment was made. (Too many may come after it was.)
        if (announced > plain.size()) {
          EXPECT_FALSE(open_by_loop(format, out.bytes()).whole) << announced << ", " << step;
        }
      } else {
        EXPECT_EQ(out.bytes(), seal_by_loop(format, plain));
      }
    }
  }
}

TEST(SegmentSink, WritesOfNothingChangeNothing) {
  for (const SegmentFormat& format : formats()) {
    const Bytes plain = noise_bytes(200);
    const auto cipher = format.cipher();
    TestSink out;
    SegmentSink sealing(SegmentStage(*cipher, Direction::kSeal), format.header, std::nullopt, out);
    for (const std::byte b : plain) {
      ASSERT_TRUE(sealing.write({}));
      ASSERT_TRUE(sealing.write(ByteView(&b, 1)));
    }
    ASSERT_TRUE(sealing.write({}));
    ASSERT_TRUE(sealing.finish());
    EXPECT_EQ(out.bytes(), seal_by_loop(format, plain));
  }
}

TEST(OpenSink, DroppedOrCutStreamsReleaseOnlyWholeSegments) {
  for (const SegmentFormat& format : formats()) {
    const Bytes plain = noise_bytes(300);
    const Bytes stream = seal_by_loop(format, plain);
    for (std::size_t size = 0; size <= stream.size(); ++size) {
      TestSink out;
      {
        const auto head = format.head();
        OpenSink opening(*head, out);
        ASSERT_TRUE(opening.write(slice(stream, 0, size)));
      }
      EXPECT_EQ(out.finishes(), 0u);
      // The last segment is never released before finish(): it is not known to be the last.
      EXPECT_TRUE(whole_segments_of(out.bytes(), plain, plain_ends(format.layout, plain.size())));
      EXPECT_LT(out.bytes().size(), plain.size());
    }
  }
}

TEST(OpenSink, ErrorAnswersWritesOfNothingToo) {
  const SegmentFormat format = toy_format({24, 48, 0, 8, 24});
  const auto head = format.head();
  TestSink out;
  OpenSink opening(*head, out);
  const Bytes cut(10);
  ASSERT_TRUE(opening.write(cut));
  const Status finished = opening.finish();
  ASSERT_FALSE(finished);
  const Status written = opening.write({});
  ASSERT_FALSE(written);
  EXPECT_TRUE(same(written.error(), finished.error()));
}

TEST(ParallelSegmentSource, DestroyedAtAnyTimeDoesNotHang) {
  const SegmentFormat format = toy_format({24, 4096, 0, 16, 24});
  const auto cipher = format.cipher();
  const Bytes plain = noise_bytes(2000000);
  for (const std::size_t pulls : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{50}}) {
    for (const unsigned threads : {1u, 2u, 4u, 9u}) {
      TestSource in(plain, {});
      ParallelSegmentSource sealed(SegmentStage(*cipher, Direction::kSeal), format.header, in, threads);
      Bytes scratch(10000);
      for (std::size_t i = 0; i < pulls; ++i) ASSERT_TRUE(sealed.pull(scratch));
    }
  }
}

TEST(ParallelSegmentSource, ReadsAheadNoFurtherThanItsBatches) {
  const SegmentFormat format = toy_format({24, 300000, 0, 16, 24});
  const auto cipher = format.cipher();
  const Bytes plain = noise_bytes(6000000);
  TestSource in(plain, {});
  {
    ParallelSegmentSource sealed(SegmentStage(*cipher, Direction::kSeal), format.header, in, 2);
    Bytes scratch(100);
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(sealed.pull(scratch));
  }
  EXPECT_LE(in.delivered(), 6 * 300000u);  // four batches in the ring, a byte looked ahead
}

}  // namespace
}  // namespace millrace
