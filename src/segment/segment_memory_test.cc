// Sealing by pieces costs the same memory whatever the segment size. A program of its own: it counts every allocation.
#include <gtest/gtest.h>

#include "segment/segment_file.h"
#include "segment/segment_sink.h"
#include "segment/segment_source.h"
#include "testing/live_memory.h"
#include "testing/segment_format.h"
#include "testing/unstored.h"

namespace millrace {
namespace {

using namespace millrace::testing;

constexpr std::uint64_t kInput = 40 << 20;  // less than a segment and a half
constexpr std::size_t kSegment = 28 << 20;
constexpr std::size_t kHugeSegment = 256 << 20;
constexpr std::size_t kBudget = 1 << 20;

TEST(SegmentMemory, SealingByPiecesIsFlatInTheSegment) {
  for (const std::size_t segment : {kSegment, kHugeSegment}) {
    const SegmentLayout layout = *SegmentLayout::create({0, segment, 12, 16, 0});
    const ToyCipher cipher(layout, 1, nullptr, {false, true});
    const SegmentStage stage(cipher, Direction::kSeal);
    const std::uint64_t expected = *layout.cipher_size(kInput);
    for (const bool knows : {false, true}) {
      const auto total = knows ? std::optional<std::uint64_t>(kInput) : std::nullopt;
      NullSink pushed;
      EXPECT_LT(cost([&] {
                  Zeros in(kInput, knows);
                  PieceSink sealing(stage, {}, total, pushed);
                  ASSERT_TRUE(pump(in, sealing));
                  ASSERT_TRUE(sealing.finish());
                }),
                kBudget)
          << segment;
      EXPECT_EQ(pushed.count(), expected);
      NullSink pulled;
      EXPECT_LT(cost([&] {
                  Zeros in(kInput, knows);
                  PieceSource sealed(stage, {}, in);
                  ASSERT_TRUE(pump(sealed, pulled));
                }),
                kBudget)
          << segment;
      EXPECT_EQ(pulled.count(), expected);
    }
    const CountingWriteAt out;
    EXPECT_LT(cost([&] { ASSERT_TRUE(transform_at(stage, {}, Zeros(kInput), &out, 2)); }), kBudget + 2 * kFilePieceSize)
        << segment;
    EXPECT_EQ(out.count(), expected);
  }
}

// What the budget is measured against: without pieces, the same input takes a segment.
TEST(SegmentMemory, SealingWholeSegmentsIsNot) {
  const SegmentLayout layout = *SegmentLayout::create({0, kSegment, 12, 16, 0});
  const ToyCipher cipher(layout, 1, nullptr, {false, false});
  const CountingWriteAt out;
  EXPECT_GT(
      cost([&] { ASSERT_TRUE(transform_at(SegmentStage(cipher, Direction::kSeal), {}, Zeros(kInput), &out, 1)); }),
      kSegment / 2);
}

}  // namespace
}  // namespace millrace
