#include <gtest/gtest.h>

#include "base/copy.h"
#include "millrace/stream.h"
#include "stream/slab.h"
#include "testing/streams.h"

namespace millrace {
namespace {

using namespace millrace::testing;

template <class Work>
std::uint64_t copies(const Work& work) {
  const std::uint64_t before = copied_bytes;
  work();
  return copied_bytes - before;
}

TEST(MemorySource, LendsItsBytes) {
  const Bytes bytes = noise_bytes(100);
  MemorySource source(bytes);
  Bytes scratch(30);
  EXPECT_EQ(source.remaining(), 100u);
  EXPECT_EQ(copies([&] {
              const ByteView got = *source.pull(scratch);
              EXPECT_EQ(got.data(), bytes.data());
              EXPECT_EQ(got.size(), 30u);
            }),
            0u);
  EXPECT_EQ(source.remaining(), 70u);
  Bytes rest(200);
  EXPECT_EQ(*read_full(source, rest), 70u);
  EXPECT_TRUE(source.pull(scratch)->empty());
  EXPECT_TRUE(source.pull(scratch)->empty());
}

TEST(PrependSource, FirstThenTheRest) {
  const Bytes bytes = noise_bytes(100);
  for (const std::size_t first : {std::size_t{0}, std::size_t{1}, std::size_t{60}, std::size_t{100}}) {
    for (const bool knows : {false, true}) {
      TestSource rest(ByteView(bytes).subspan(first), {true, 7, knows, {}});
      PrependSource source(ByteView(bytes).first(first), rest);
      EXPECT_EQ(source.remaining(), knows ? std::optional<std::uint64_t>(100) : std::nullopt);
      Bytes all(200);
      EXPECT_EQ(*read_full(source, ByteSpan(all).first(30)), 30u);
      EXPECT_EQ(source.remaining(), knows ? std::optional<std::uint64_t>(70) : std::nullopt);
      EXPECT_EQ(*read_full(source, ByteSpan(all).subspan(30)), 70u);
      EXPECT_TRUE(is_prefix(bytes, all));
    }
  }
}

TEST(PrependSource, ErrorOfTheRestComesBehindTheFirst) {
  const Bytes bytes = noise_bytes(20);
  TestSource rest(bytes, {false, kUnlimited, false, 0});
  PrependSource source(bytes, rest);
  Bytes scratch(100);
  EXPECT_EQ(source.pull(scratch)->size(), 20u);
  EXPECT_EQ(source.pull(scratch).error().detail, EIO);
}

TEST(ReadFull, GoesOnAfterShortReadsAndStopsAtTheEnd) {
  const Bytes bytes = noise_bytes(100);
  for (const bool lends : {false, true}) {
    for (const std::size_t step : {std::size_t{1}, std::size_t{9}, kUnlimited}) {
      for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{99}, std::size_t{100}}) {
        TestSource source(bytes, {lends, step, false, {}});
        Bytes dst(size);
        EXPECT_EQ(copies([&] { EXPECT_EQ(*read_full(source, dst), size); }), lends ? size : 0u);
        EXPECT_TRUE(is_prefix(dst, bytes));
        EXPECT_EQ(source.delivered(), size);
        Bytes more(200);
        EXPECT_EQ(*read_full(source, more), 100 - size);
      }
    }
  }
  TestSource failing(bytes, {false, 10, false, 55});
  Bytes dst(100);
  EXPECT_EQ(read_full(failing, dst).error().detail, EIO);
}

TEST(Pump, MovesEverythingAndReportsEitherSide) {
  const Bytes bytes = noise_bytes(1000);
  for (const bool lends : {false, true}) {
    for (const bool knows : {false, true}) {
      TestSource source(bytes, {lends, 77, knows, {}});
      TestSink sink({50, {}});
      EXPECT_EQ(*pump(source, sink), 1000u);
      EXPECT_EQ(sink.bytes(), bytes);
      EXPECT_EQ(sink.finishes(), 0u);  // the caller's to do
      EXPECT_TRUE(source.ended());     // seen, even where it was known: a good end is not only a count

      TestSource failing(bytes, {lends, 77, knows, 500});
      TestSink before({50, {}});
      EXPECT_EQ(pump(failing, before).error().detail, EIO);
      EXPECT_EQ(before.bytes(), to_bytes(slice(bytes, 0, 500)));
      TestSource again(bytes, {lends, 77, knows, {}});
      TestSink full({50, 3});
      EXPECT_EQ(pump(again, full).error().detail, ENOSPC);
    }
  }
}

TEST(MemorySink, GrowsAndKeepsItsBytes) {
  MemorySink sink;
  Bytes expected;
  for (std::size_t i = 1; i < 300; ++i) {
    const Bytes part = noise_bytes(i * 7 % 101 + (i % 50 == 0 ? 9000 : 0), i);
    if (i % 2 == 0) {
      ASSERT_TRUE(sink.write(part));
      append(expected, part);
    } else {
      const ByteSpan room = sink.scratch();
      ASSERT_FALSE(room.empty());
      const std::size_t n = std::min(room.size(), part.size());
      std::copy_n(part.begin(), n, room.begin());
      ASSERT_TRUE(sink.write(room.first(n)));
      append(expected, ByteView(part).first(n));
    }
    ASSERT_TRUE(equal(sink.bytes(), expected));
  }
  EXPECT_TRUE(sink.finish());
}

TEST(MemorySink, ReservedForAKnownLengthNothingMoves) {
  const Bytes bytes = noise_bytes(10000);
  for (const bool lends : {false, true}) {
    MemorySink sink(bytes.size());
    const std::byte* const place = sink.scratch().data();
    TestSource source(bytes, {lends, kUnlimited, true, {}});
    EXPECT_EQ(copies([&] { EXPECT_TRUE(pump(source, sink)); }), lends ? bytes.size() : 0u);
    EXPECT_EQ(sink.bytes().data(), place);
    EXPECT_TRUE(equal(sink.bytes(), bytes));
  }
}

TEST(NullSink, Counts) {
  NullSink sink;
  EXPECT_FALSE(sink.scratch().empty());
  const Bytes bytes = noise_bytes(123);
  EXPECT_TRUE(sink.write(bytes));
  EXPECT_TRUE(sink.write(bytes));
  EXPECT_TRUE(sink.finish());
  EXPECT_EQ(sink.count(), 246u);
}

TEST(MemoryReadAt, RangesUpToTheEnd) {
  const Bytes bytes = noise_bytes(50);
  const MemoryReadAt memory(bytes);
  for (std::size_t start = 0; start <= 50; ++start) {
    for (std::size_t n = 0; n <= 52 - start; ++n) {
      Bytes dst(n);
      const Status status = memory.read_at(start, dst);
      ASSERT_EQ(status.has_value(), start + n <= 50);
      if (status) {
        ASSERT_TRUE(equal(dst, slice(bytes, start, n)));
      } else {
        ASSERT_EQ(status.error().code, ErrorCode::kInvalidArgument);
      }
    }
  }
  EXPECT_FALSE(memory.read_at(~std::uint64_t{0}, {}));
}

TEST(SliceReadAt, ReadsItsStretchAndNothingAroundIt) {
  const Bytes bytes = noise_bytes(40);
  const MemoryReadAt memory(bytes);
  for (std::size_t from = 0; from <= 40; ++from) {
    for (std::size_t size = 0; size <= 40 - from; ++size) {
      const Result<SliceReadAt> slice_at = SliceReadAt::create(memory, from, size);
      ASSERT_TRUE(slice_at);
      ASSERT_EQ(slice_at->size(), size);
      for (std::size_t start = 0; start <= size + 1; ++start) {
        for (std::size_t n = 0; n <= size + 2 - start; ++n) {
          Bytes dst(n, std::byte{0xcc});
          const Status status = slice_at->read_at(start, dst);
          ASSERT_EQ(status.has_value(), start + n <= size) << from << " " << size << " " << start << " " << n;
          if (status) {
            ASSERT_TRUE(equal(dst, slice(bytes, from + start, n)));
          } else {
            ASSERT_EQ(status.error().code, ErrorCode::kInvalidArgument);
          }
        }
      }
      Bytes one(1);
      for (std::uint64_t back = 1; back <= from; ++back) {  // would wrap to a place before the slice
        EXPECT_FALSE(slice_at->read_at(std::uint64_t{0} - back, one));
      }
      EXPECT_FALSE(slice_at->read_at(~std::uint64_t{0}, {}));
    }
  }
}

TEST(SliceReadAt, RefusesWhatTheWholeDoesNotHave) {
  const Bytes bytes = noise_bytes(40);
  const MemoryReadAt memory(bytes);
  constexpr std::uint64_t kMax = ~std::uint64_t{0};
  const std::uint64_t outside[][2] = {{0, 41}, {1, 40}, {40, 1}, {41, 0}, {kMax, 0}, {0, kMax}, {kMax, 1}, {2, kMax}};
  for (const auto& [from, size] : outside) {
    const Result<SliceReadAt> refused = SliceReadAt::create(memory, from, size);
    ASSERT_FALSE(refused) << from << " " << size;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(SliceReadAt, PassesErrorsOfTheWholeOn) {
  const Bytes bytes = noise_bytes(40);
  const TestReadAt failing(bytes, 20);
  const SliceReadAt part = *SliceReadAt::create(failing, 10, 20);
  Bytes dst(10);
  EXPECT_TRUE(part.read_at(0, dst));
  const Status status = part.read_at(5, dst);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().detail, EIO);
  EXPECT_EQ(status.error().offset, 15u);
}

}  // namespace
}  // namespace millrace
