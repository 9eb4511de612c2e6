// Sealing by pieces, over the same cases and the same oracle as the other drivers: a plain loop over seal().
#include "segment/segment_pieces.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/copy.h"
#include "testing/segment_cases.h"
#include "testing/segment_drivers.h"

namespace millrace {
namespace {

using namespace millrace::testing;

constexpr ToyTraits kMarked{true, true};     // the last flag is sealed: lengths must be known
constexpr ToyTraits kUnmarked{false, true};  // it is not: they need not be

std::vector<SegmentFormat> formats(const ToyTraits& traits) {
  std::vector<SegmentFormat> all;
  for (const SegmentLayout::Params& params :
       {SegmentLayout::Params{24, 48, 0, 8, 24}, SegmentLayout::Params{0, 48, 12, 16, 0},
        SegmentLayout::Params{1, 10, 0, 8, 1}, SegmentLayout::Params{5, 4096, 3, 8, 11},
        SegmentLayout::Params{0, 300000, 12, 16, 100}}) {
    all.push_back(toy_format(params, nullptr, traits));
  }
  return all;
}

std::size_t many_segments(const SegmentFormat& format) { return format.layout.segment_size() <= 4096 ? 5 : 1; }

// One stream by a driver of pieces: pulled, or pushed in one of two ways.
Outcome seal_pieces(Shape shape, const SegmentFormat& format, const SegmentCipher& cipher, ByteView plain,
                    const Conditions& run) {
  const SegmentStage stage(cipher, Direction::kSeal);
  if (shape == Shape::kPull) {
    TestSource in(plain, run.supply);
    PieceSource sealed(stage, format.header, in);
    Outcome outcome = drain(sealed, run.step);
    if (in.pulled_after_error() || in.pulled_after_end()) outcome.sticky = false;
    return outcome;
  }
  TestSink out(run.demand);
  const std::optional<std::uint64_t> total =
      run.supply.knows_length ? std::optional<std::uint64_t>(plain.size()) : std::nullopt;
  PieceSink sealing(stage, format.header, total, out);
  Outcome outcome = push(sealing, plain, run.step, shape == Shape::kPushScratch);
  outcome.bytes = out.bytes();
  if (out.written_after_error() || out.finishes() != 0) outcome.sticky = false;
  return outcome;
}

using Check = std::function<void(Shape, const Conditions&)>;

void for_each_run(const SegmentFormat& format, bool marked, const Check& check) {
  const std::size_t segment = format.layout.segment_size();
  std::vector<std::size_t> widths = {1, format.layout.overhead() + 63, format.layout.overhead() + 64, segment};
  if (segment > 256) widths = {1000, std::size_t{1} << 20};
  for (const bool knows : {false, true}) {
    if (marked && !knows) continue;
    for (const std::size_t width : widths) {
      for (const std::size_t step : {std::size_t{segment > 256 ? 4097u : 7u}, kUnlimited}) {
        for (const bool lends : {false, true}) check(Shape::kPull, {{lends, step, knows, {}}, width, {}, {}});
        for (const Shape shape : {Shape::kPushWrite, Shape::kPushScratch}) {
          check(shape, {{false, kUnlimited, knows, {}}, step, {width, {}}, {}});
        }
      }
    }
  }
}

TEST(SegmentPieces, SealEveryCase) {
  for (const ToyTraits& traits : {kMarked, kUnmarked}) {
    for (const SegmentFormat& format : formats(traits)) {
      for (const std::size_t size : plain_sizes(format, many_segments(format))) {
        const Bytes plain = noise_bytes(size);
        const Bytes expected = seal_by_loop(format, plain);
        for_each_run(format, traits.marks_last, [&](Shape shape, const Conditions& run) {
          SealLog log;
          const ToyCipher cipher(format.layout, toy_key(format.header), &log, traits);
          const Outcome outcome = seal_pieces(shape, format, cipher, plain, run);
          const auto place = [&] {
            return format.name + "; size " + std::to_string(size) + "; " + Driver{shape}.text() + "; " +
                   run.supply.text() + "; step " + std::to_string(run.step) + "; scratch " +
                   std::to_string(run.demand.scratch);
          };
          ASSERT_FALSE(outcome.error) << place() << ": " << describe(*outcome.error);
          ASSERT_TRUE(outcome.bytes == expected) << place();
          ASSERT_TRUE(outcome.sticky) << place();
          ASSERT_FALSE(log.repeated()) << place();
        });
      }
    }
  }
}

TEST(SegmentPieces, PositionsOfSegmentsLargerThanAPiece) {
  for (const ToyTraits& traits : {kMarked, kUnmarked}) {
    for (const SegmentLayout::Params& params :
         {SegmentLayout::Params{24, kFilePieceSize + 1, 0, 16, 24}, SegmentLayout::Params{0, 1100000, 12, 16, 100},
          SegmentLayout::Params{0, 2 * kFilePieceSize + 28, 12, 16, 0}}) {
      const SegmentFormat format = toy_format(params, nullptr, traits);
      for (const std::size_t size : plain_sizes(format, 2)) {
        const Bytes plain = noise_bytes(size);
        const Bytes expected = seal_by_loop(format, plain);
        for (const unsigned threads : {1u, 2u, 4u}) {
          SealLog log;
          const ToyCipher cipher(format.layout, toy_key(format.header), &log, traits);
          const Outcome outcome = run_seal({Shape::kPositions, threads}, format, cipher, plain);
          ASSERT_FALSE(outcome.error);
          ASSERT_TRUE(outcome.bytes == expected) << format.name << " size " << size << " threads " << threads;
          ASSERT_FALSE(log.repeated());
        }
      }
    }
  }
}

TEST(SegmentPieces, RuleNeedsASealerAndAnEndThatNeedNotBeAwaited) {
  const SegmentLayout layout = *SegmentLayout::create({0, 48, 12, 16, 0});
  EXPECT_TRUE(can_seal_pieces(ToyCipher(layout, 1, nullptr, kMarked), 5));
  EXPECT_FALSE(can_seal_pieces(ToyCipher(layout, 1, nullptr, kMarked), std::nullopt));
  EXPECT_TRUE(can_seal_pieces(ToyCipher(layout, 1, nullptr, kUnmarked), 5));
  EXPECT_TRUE(can_seal_pieces(ToyCipher(layout, 1, nullptr, kUnmarked), std::nullopt));
  EXPECT_FALSE(can_seal_pieces(ToyCipher(layout, 1, nullptr, {true, false}), 5));
  EXPECT_FALSE(can_seal_pieces(ToyCipher(layout, 1, nullptr, {false, false}), std::nullopt));
}

TEST(PieceSource, RemainingIsTheSizeOfTheStreamOrUnknown) {
  for (const SegmentFormat& format : formats(kUnmarked)) {
    const auto cipher = format.cipher();
    const Bytes plain = noise_bytes(200);
    MemorySource known(plain);
    const PieceSource sealed(SegmentStage(*cipher, Direction::kSeal), format.header, known);
    EXPECT_EQ(sealed.remaining(), *format.layout.cipher_size(200));
    TestSource unknown(plain, {});
    const PieceSource open_ended(SegmentStage(*cipher, Direction::kSeal), format.header, unknown);
    EXPECT_EQ(open_ended.remaining(), std::nullopt);
  }
}

TEST(PieceSource, SourceThatEndsBeforeItsKnownLengthIsAnError) {
  class Short final : public Source {
   public:
    Short(ByteView bytes, std::uint64_t missing) : bytes_(bytes), missing_(missing) {}
    Result<ByteView> pull(ByteSpan scratch) override { return bytes_.pull(scratch); }
    std::optional<std::uint64_t> remaining() const override { return *bytes_.remaining() + missing_; }

   private:
    MemorySource bytes_;
    std::uint64_t missing_;
  };
  for (const SegmentFormat& format :
       {toy_format({24, 48, 0, 8, 24}, nullptr, kMarked), toy_format({0, 48, 12, 16, 0}, nullptr, kUnmarked)}) {
    const auto cipher = format.cipher();
    const Bytes plain = noise_bytes(100);
    const Bytes stream = seal_by_loop(format, plain);
    for (std::size_t have = 0; have < plain.size(); ++have) {
      Short in(slice(plain, 0, have), plain.size() - have);
      PieceSource sealed(SegmentStage(*cipher, Direction::kSeal), format.header, in);
      const Outcome outcome = drain(sealed, 1000);
      ASSERT_TRUE(outcome.error);
      EXPECT_EQ(outcome.error->code, ErrorCode::kIo);
      EXPECT_TRUE(outcome.sticky);
      EXPECT_TRUE(is_prefix(outcome.bytes, stream));
      EXPECT_LT(outcome.bytes.size(), stream.size());
    }
  }
}

TEST(PieceSink, OtherLengthThanAnnouncedIsAnError) {
  for (const SegmentFormat& format :
       {toy_format({24, 48, 0, 8, 24}, nullptr, kMarked), toy_format({0, 48, 12, 16, 0}, nullptr, kUnmarked)}) {
    const auto cipher = format.cipher();
    for (const std::size_t announced : plain_sizes(format, 2)) {
      for (const std::size_t size : {announced + 1, announced + 100, announced == 0 ? 1 : announced - 1}) {
        for (const bool by_scratch : {false, true}) {
          TestSink out;
          PieceSink sealing(SegmentStage(*cipher, Direction::kSeal), format.header, announced, out);
          const Outcome outcome = push(sealing, noise_bytes(size), 17, by_scratch);
          ASSERT_TRUE(outcome.error) << announced << " " << size;
          EXPECT_EQ(outcome.error->code, ErrorCode::kInvalidArgument);
          EXPECT_TRUE(outcome.sticky);
          EXPECT_FALSE(out.written_after_error());
        }
      }
    }
  }
}

TEST(PieceSink, WritesOfNothingChangeNothing) {
  const SegmentFormat format = toy_format({24, 48, 0, 8, 24}, nullptr, kUnmarked);
  const auto cipher = format.cipher();
  TestSink out;
  PieceSink sealing(SegmentStage(*cipher, Direction::kSeal), format.header, std::nullopt, out);
  ASSERT_TRUE(sealing.write({}));
  EXPECT_EQ(out.writes(), 0u);
  ASSERT_TRUE(sealing.finish());
  EXPECT_EQ(out.bytes(), seal_by_loop(format, {}));
}

TEST(SegmentPieces, SourceThatFailsAtEveryByte) {
  for (const bool knows : {false, true}) {
    const ToyTraits traits = knows ? kMarked : kUnmarked;
    const SegmentFormat format = toy_format({24, 48, 3, 8, 24}, nullptr, traits);
    const Bytes plain = noise_bytes(120);
    const Bytes stream = seal_by_loop(format, plain);
    for (std::size_t at = 0; at < plain.size() + (knows ? 0 : 1); ++at) {
      for (const std::size_t step : {std::size_t{1}, kUnlimited}) {
        SealLog log;
        const ToyCipher cipher(format.layout, toy_key(format.header), &log, traits);
        const Outcome outcome =
            seal_pieces(Shape::kPull, format, cipher, plain, {{false, step, knows, at}, 50, {}, {}});
        ASSERT_TRUE(outcome.error);
        ASSERT_TRUE(same(*outcome.error, Error{ErrorCode::kIo, "test source", at, EIO}));
        ASSERT_TRUE(outcome.sticky);
        ASSERT_TRUE(is_prefix(outcome.bytes, stream));
        ASSERT_TRUE(traits.marks_last ? !open_by_loop(format, outcome.bytes).whole : true);
        ASSERT_FALSE(log.repeated());
      }
    }
  }
}

TEST(SegmentPieces, SinkThatFailsAtEveryWrite) {
  for (const bool knows : {false, true}) {
    const ToyTraits traits = knows ? kMarked : kUnmarked;
    const SegmentFormat format = toy_format({24, 48, 3, 8, 24}, nullptr, traits);
    const Bytes plain = noise_bytes(120);
    const Bytes stream = seal_by_loop(format, plain);
    for (const Shape shape : {Shape::kPushWrite, Shape::kPushScratch}) {
      for (const std::size_t scratch : {std::size_t{1}, std::size_t{4096}}) {
        bool failed = true;
        std::size_t failures = 0;
        for (std::size_t at = 0; failed; ++at) {
          SealLog log;
          const ToyCipher cipher(format.layout, toy_key(format.header), &log, traits);
          const Outcome outcome =
              seal_pieces(shape, format, cipher, plain, {{false, kUnlimited, knows, {}}, 50, {scratch, at}, {}});
          failed = outcome.error.has_value();
          failures += failed;
          ASSERT_TRUE(outcome.sticky) << at;
          ASSERT_TRUE(is_prefix(outcome.bytes, stream));
          ASSERT_EQ(outcome.bytes.size() == stream.size(), !failed);
          ASSERT_TRUE(!failed || outcome.error->detail == ENOSPC);
          ASSERT_FALSE(log.repeated());
        }
        EXPECT_GE(failures, 4u);
      }
    }
  }
}

TEST(SegmentPieces, PositionsThatFailReportTheFirstInTheStream) {
  const SegmentFormat format = toy_format({24, 300000, 12, 16, 24}, nullptr, kMarked);
  const Bytes plain = noise_bytes(1000000);
  const std::size_t size = static_cast<std::size_t>(*format.layout.cipher_size(plain.size()));
  for (const unsigned threads : {1u, 3u}) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{5}, std::size_t{270000}, plain.size() - 1}) {
      SealLog log;
      const ToyCipher cipher(format.layout, toy_key(format.header), &log, kMarked);
      const SegmentStage stage(cipher, Direction::kSeal);
      const TestWriteAt out(size);
      EXPECT_EQ(transform_at(stage, format.header, TestReadAt(plain, at), &out, threads).error().detail, EIO);
      const TestWriteAt full(size, at);
      const ToyCipher again(format.layout, toy_key(format.header), nullptr, kMarked);
      EXPECT_EQ(transform_at(SegmentStage(again, Direction::kSeal), format.header, MemoryReadAt(plain), &full, threads)
                    .error()
                    .detail,
                ENOSPC);
      EXPECT_FALSE(log.repeated());
    }
    // Every read fails: the error is that of the first segment, wherever the workers are.
    class Failing final : public ReadAt {
     public:
      Status read_at(std::uint64_t offset, ByteSpan) const override {
        return Error{ErrorCode::kIo, "test read", offset, EIO};
      }
      std::uint64_t size() const override { return 1000000; }
    };
    const auto cipher = format.cipher();
    const TestWriteAt out(size);
    EXPECT_EQ(
        transform_at(SegmentStage(*cipher, Direction::kSeal), format.header, Failing(), &out, threads).error().offset,
        0u);
  }
}

TEST(SegmentPieces, NumberOfSegmentsIsLimited) {
  for (const bool knows : {false, true}) {
    const ToyTraits traits = knows ? kMarked : kUnmarked;
    const SegmentFormat format = toy_format({24, 48, 0, 8, 24, 3}, nullptr, traits);
    const SegmentFormat unlimited = toy_format({24, 48, 0, 8, 24, 1000}, nullptr, traits);
    for (const std::size_t over : {std::size_t{0}, std::size_t{1}, std::size_t{100}}) {
      const Bytes plain = noise_bytes(16 + 40 + 40 + over);
      for (const Shape shape : {Shape::kPull, Shape::kPushWrite, Shape::kPushScratch}) {
        SealLog log;
        const ToyCipher cipher(format.layout, toy_key(format.header), &log, traits);
        const Outcome outcome = seal_pieces(shape, format, cipher, plain, {{false, kUnlimited, knows, {}}, 48, {}, {}});
        EXPECT_EQ(outcome.error.has_value(), over > 0);
        EXPECT_TRUE(outcome.sticky);
        EXPECT_LE(log.size(), 3u);
        EXPECT_TRUE(is_prefix(outcome.bytes, seal_by_loop(unlimited, plain)));
        if (over > 0) {
          EXPECT_EQ(outcome.error->code, ErrorCode::kLimitExceeded);
        }
      }
    }
  }
}

TEST(SegmentPieces, NoDriverCopies) {
  const Bytes plain = noise_bytes(3000000);
  for (const SegmentLayout::Params& params :
       {SegmentLayout::Params{24, 4096, 0, 16, 24}, SegmentLayout::Params{0, 1048576, 12, 16, 0}}) {
    const SegmentFormat format = toy_format(params, nullptr, kMarked);
    const auto cipher = format.cipher();
    const Bytes expected = seal_by_loop(format, plain);
    for (const Shape shape : {Shape::kPull, Shape::kPushWrite, Shape::kPushScratch}) {
      for (const bool lends : {false, true}) {
        for (const std::size_t width : {std::size_t{50}, std::size_t{100000}, std::size_t{2} << 20}) {
          const std::uint64_t before = copied_bytes;
          const Outcome outcome =
              seal_pieces(shape, format, *cipher, plain, {{lends, kUnlimited, true, {}}, width, {width, {}}, {}});
          EXPECT_EQ(copied_bytes - before, 0u);
          EXPECT_TRUE(outcome.bytes == expected);
        }
      }
    }
  }
}

// What a producer builds lies where its ciphertext will be in the sink below.
TEST(PieceSink, ScratchIsThatOfTheSinkBelow) {
  const SegmentFormat format = toy_format({24, 1048576, 12, 16, 0}, nullptr, kUnmarked);
  const auto cipher = format.cipher();
  const Bytes plain = noise_bytes(1500000);
  MemorySink out(static_cast<std::size_t>(*format.layout.cipher_size(plain.size())));
  const std::byte* const place = out.scratch().data();
  PieceSink sealing(SegmentStage(*cipher, Direction::kSeal), format.header, std::nullopt, out);
  EXPECT_EQ(sealing.scratch().data(), place + 24 + 12);
  MemorySource in(plain);
  ASSERT_TRUE(pump(in, sealing));
  ASSERT_TRUE(sealing.finish());
  EXPECT_TRUE(equal(out.bytes(), seal_by_loop(format, plain)));
  EXPECT_EQ(out.bytes().data(), place);
}

}  // namespace
}  // namespace millrace
