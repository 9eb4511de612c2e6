#include "segment/segment_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "segment/buffer_growth.h"

namespace millrace {
namespace {

using Params = SegmentLayout::Params;

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

// Small layouts of every kind: with and without header, front, tag and shorter first segment.
std::vector<Params> small_layouts() {
  std::vector<Params> all;
  for (const std::uint64_t header : {0u, 1u, 7u}) {
    for (const std::uint64_t front : {0u, 3u}) {
      for (const std::uint64_t tag : {0u, 1u, 4u}) {
        for (const std::uint64_t shorter : {0u, 1u, 5u}) {
          for (const std::uint64_t room : {1u, 2u, 9u}) {
            all.push_back({header, front + tag + shorter + room, front, tag, shorter, 6});
          }
        }
      }
    }
  }
  return all;
}

struct Place {
  std::uint64_t plain_offset, plain_size, cipher_offset, cipher_size;
};

// lay_out writes a stream segment by segment.
std::vector<Place> lay_out(const Params& p, std::uint64_t plain_size) {
  std::vector<Place> places;
  std::uint64_t plain = 0;
  std::uint64_t cipher = p.header_size;
  do {
    const std::uint64_t capacity =
        p.segment_size - p.front_size - p.tag_size - (places.empty() ? p.first_shorter_by : 0);
    const std::uint64_t n = std::min(capacity, plain_size - plain);
    places.push_back({plain, n, cipher, n + p.front_size + p.tag_size});
    plain += n;
    cipher += places.back().cipher_size;
  } while (plain < plain_size);
  return places;
}

TEST(SegmentLayout, AgreesWithLayingOutSegmentBySegment) {
  for (const Params& params : small_layouts()) {
    const SegmentLayout layout = *SegmentLayout::create(params);
    const std::uint64_t limit = params.max_segments * layout.plain_capacity(1) - params.first_shorter_by;
    for (std::uint64_t n = 0; n <= limit + 2; ++n) {
      const std::vector<Place> places = lay_out(params, n);
      const Result<std::uint64_t> count = layout.segment_count(n);
      if (places.size() > params.max_segments) {
        ASSERT_FALSE(count);
        EXPECT_EQ(count.error().code, ErrorCode::kLimitExceeded);
        EXPECT_EQ(layout.cipher_size(n).error().code, ErrorCode::kLimitExceeded);
        continue;
      }
      ASSERT_EQ(*count, places.size());
      const std::uint64_t total = places.back().cipher_offset + places.back().cipher_size;
      ASSERT_EQ(*layout.cipher_size(n), total);
      ASSERT_EQ(*layout.plain_size(total), n);
      ASSERT_EQ(*layout.segment_count_of_stream(total), places.size());
      for (std::size_t i = 0; i < places.size(); ++i) {
        ASSERT_EQ(layout.plain_offset(i), places[i].plain_offset);
        ASSERT_EQ(layout.cipher_offset(i), places[i].cipher_offset);
        if (i + 1 < places.size()) {
          ASSERT_EQ(layout.plain_capacity(i), places[i].plain_size);
          ASSERT_EQ(layout.cipher_capacity(i), places[i].cipher_size);
        }
        for (std::uint64_t at = places[i].plain_offset; at < places[i].plain_offset + places[i].plain_size; ++at) {
          ASSERT_EQ(layout.segment_of(at), i);
        }
      }
    }
  }
}

// Every size of stream is either one that writing makes, or full segments and an empty last one, or refused.
TEST(SegmentLayout, RefusesSizesThatNoStreamHas) {
  for (const Params& params : small_layouts()) {
    if (params.front_size + params.tag_size == 0) continue;  // then every size is one of a stream
    const SegmentLayout layout = *SegmentLayout::create(params);
    const std::uint64_t limit = params.max_segments * layout.plain_capacity(1) - params.first_shorter_by;
    std::vector<std::uint64_t> plain_of(layout.cipher_offset(params.max_segments) + 1, kMax);
    for (std::uint64_t n = 0; n <= limit; ++n) {
      const std::vector<Place> places = lay_out(params, n);
      plain_of[places.back().cipher_offset + places.back().cipher_size] = n;
      const bool full = places.back().plain_size == layout.plain_capacity(places.size() - 1);
      if (full && places.size() < params.max_segments) {
        plain_of[places.back().cipher_offset + places.back().cipher_size + layout.overhead()] = n;
      }
    }
    for (std::uint64_t size = 0; size < plain_of.size(); ++size) {
      const Result<std::uint64_t> plain = layout.plain_size(size);
      ASSERT_EQ(plain.has_value(), plain_of[size] != kMax) << size;
      if (plain) {
        ASSERT_EQ(*plain, plain_of[size]);
      } else {
        ASSERT_EQ(plain.error().code, ErrorCode::kNotAuthentic);
      }
    }
    ASSERT_EQ(layout.plain_size(plain_of.size()).error().code, ErrorCode::kLimitExceeded);
  }
}

TEST(SegmentLayout, LengthsOfTheTinkTemplates) {
  const SegmentLayout aes128 = *SegmentLayout::create({24, 4096, 0, 16, 24});
  EXPECT_EQ(*aes128.cipher_size(0), 40u);
  EXPECT_EQ(*aes128.cipher_size(4056), 4096u);
  EXPECT_EQ(*aes128.cipher_size(4057), 4096u + 17u);
  EXPECT_EQ(*aes128.cipher_size(8136), 8192u);
  const SegmentLayout aes256 = *SegmentLayout::create({40, 4096, 0, 16, 40});
  EXPECT_EQ(*aes256.cipher_size(0), 56u);
  EXPECT_EQ(*aes256.cipher_size(4040), 4096u);
  EXPECT_EQ(*aes256.cipher_size(8120), 8192u);
}

TEST(SegmentLayout, LargestStreamsDoNotOverflow) {
  constexpr std::uint64_t kLargest = (std::uint64_t{1} << 31) - 1;
  const SegmentLayout layout = *SegmentLayout::create({40, kLargest, 0, 16, 40});
  const std::uint64_t count = std::uint64_t{1} << 32;
  const std::uint64_t plain = count * (kLargest - 16) - 40;
  EXPECT_EQ(*layout.segment_count(plain), count);
  EXPECT_EQ(*layout.cipher_size(plain), count * kLargest);
  EXPECT_EQ(*layout.plain_size(count * kLargest), plain);
  EXPECT_EQ(layout.cipher_offset(count - 1), (count - 1) * kLargest);
  EXPECT_EQ(layout.segment_of(plain - 1), count - 1);
  EXPECT_EQ(layout.segment_count(plain + 1).error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(layout.plain_size(count * kLargest + 1).error().code, ErrorCode::kLimitExceeded);
  for (const std::uint64_t size : {kMax, kMax - 1, kMax - 39, kMax - 40, kMax - 41, kMax / 2 + 1}) {
    EXPECT_EQ(layout.segment_count(size).error().code, ErrorCode::kLimitExceeded);
    EXPECT_EQ(layout.cipher_size(size).error().code, ErrorCode::kLimitExceeded);
    EXPECT_EQ(layout.plain_size(size).error().code, ErrorCode::kLimitExceeded);
    EXPECT_EQ(layout.segment_count_of_stream(size).error().code, ErrorCode::kLimitExceeded);
  }
  const SegmentLayout one =
      *SegmentLayout::create({0, 1, 0, 0, 0});  // a byte a segment: the most segments there can be
  EXPECT_EQ(*one.segment_count(count), count);
  EXPECT_EQ(one.segment_count(count + 1).error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(one.segment_count(kMax).error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(one.segment_count_of_stream(kMax).error().code, ErrorCode::kLimitExceeded);
}

TEST(SegmentLayout, RefusesImpossibleParameters) {
  const Params good{24, 64, 12, 16, 24};
  EXPECT_TRUE(SegmentLayout::create(good));
  const auto refused = [&](auto change) {
    Params params = good;
    change(params);
    const Result<SegmentLayout> layout = SegmentLayout::create(params);
    return !layout && layout.error().code == ErrorCode::kInvalidArgument;
  };
  EXPECT_FALSE(refused([](Params& p) { p.segment_size = 53; }));  // one byte of plaintext in segment 0
  EXPECT_TRUE(refused([](Params& p) { p.segment_size = 52; }));
  EXPECT_TRUE(refused([](Params& p) { p.segment_size = 0; }));
  EXPECT_FALSE(refused([](Params& p) { p.segment_size = 0x7fffffff; }));
  for (const std::uint64_t large : {std::uint64_t{1} << 31, std::uint64_t{1} << 32, kMax}) {
    EXPECT_TRUE(refused([&](Params& p) { p.segment_size = large; }));
    EXPECT_TRUE(refused([&](Params& p) { p.header_size = large; }));
    EXPECT_TRUE(refused([&](Params& p) { p.front_size = large; }));
    EXPECT_TRUE(refused([&](Params& p) { p.tag_size = large; }));
    EXPECT_TRUE(refused([&](Params& p) { p.first_shorter_by = large; }));
    EXPECT_TRUE(refused([&](Params& p) { p.segment_size = 0x7fffffff, p.first_shorter_by = large; }));
  }
  EXPECT_TRUE(refused([](Params& p) { p.max_segments = 0; }));
  EXPECT_FALSE(refused([](Params& p) { p.max_segments = std::uint64_t{1} << 32; }));
  EXPECT_TRUE(refused([](Params& p) { p.max_segments = (std::uint64_t{1} << 32) + 1; }));
}

// Every list of up to four sizes from a few, among them all uniform ones, against adding up.
TEST(SegmentLayout, ListedAgreesWithAddingUp) {
  struct Shape {
    std::uint64_t header, front, tag;
  };
  for (const Shape& shape : {Shape{0, 0, 0}, Shape{7, 0, 1}, Shape{0, 3, 4}, Shape{5, 2, 0}}) {
    const std::uint64_t overhead = shape.front + shape.tag;
    std::vector<std::uint64_t> choices = {overhead + 1, overhead + 2, overhead + 5};
    if (overhead > 0) choices.push_back(overhead);
    std::vector<std::vector<std::uint64_t>> lists;
    for (const std::uint64_t size : choices) lists.push_back({size});
    for (std::size_t done = 0; done < lists.size(); ++done) {
      const std::vector<std::uint64_t> sizes = lists[done];
      if (sizes.size() < 4) {
        for (const std::uint64_t size : choices) {
          lists.push_back(sizes);
          lists.back().push_back(size);
        }
      }
      const SegmentLayout made = *SegmentLayout::listed(shape.header, shape.front, shape.tag, sizes);
      const SegmentLayout layout = made;  // a copy is as good
      std::uint64_t cipher = shape.header;
      std::uint64_t plain = 0;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        ASSERT_EQ(layout.cipher_offset(i), cipher);
        ASSERT_EQ(layout.plain_offset(i), plain);
        // What a uniform list says of its last segment is what arithmetic says: how large it could be.
        if (i + 1 < sizes.size()) {
          ASSERT_EQ(layout.cipher_capacity(i), sizes[i]);
          ASSERT_EQ(layout.plain_capacity(i), sizes[i] - overhead);
        }
        ASSERT_GE(layout.cipher_capacity(i), sizes[i]);
        for (std::uint64_t at = plain; at < plain + sizes[i] - overhead; ++at) ASSERT_EQ(layout.segment_of(at), i);
        cipher += sizes[i];
        plain += sizes[i] - overhead;
        for (std::uint64_t bytes = 0; bytes < 12; ++bytes) {
          const std::uint64_t run = layout.run(i, bytes);
          ASSERT_GE(run, 1u);
          std::uint64_t together = 0;
          for (std::size_t k = i; k < std::min<std::size_t>(i + run, sizes.size()); ++k) together += sizes[k];
          ASSERT_TRUE(run == 1 || together <= bytes);
        }
      }
      ASSERT_EQ(layout.segment_size(), *std::max_element(sizes.begin(), sizes.end()));
      ASSERT_EQ(layout.only_size(), cipher);
      ASSERT_EQ(*layout.plain_size(cipher), plain);
      ASSERT_EQ(*layout.segment_count_of_stream(cipher), sizes.size());
      ASSERT_EQ(*layout.segment_count(plain), sizes.size());
      ASSERT_EQ(*layout.cipher_size(plain), cipher);
      for (std::uint64_t size = 0; size < cipher + 10; ++size) {
        if (size == cipher) continue;
        ASSERT_EQ(layout.plain_size(size).error().code, ErrorCode::kNotAuthentic);
        ASSERT_EQ(layout.segment_count_of_stream(size).error().code, ErrorCode::kNotAuthentic);
      }
      for (std::uint64_t size = 0; size < plain + 10; ++size) {
        if (size == plain) continue;
        ASSERT_EQ(layout.segment_count(size).error().code, ErrorCode::kInvalidArgument);
        ASSERT_EQ(layout.cipher_size(size).error().code, ErrorCode::kInvalidArgument);
      }
    }
  }
}

TEST(SegmentLayout, ListedRunsTakeAsManyAsFit) {
  const std::vector<std::uint64_t> sizes = {10, 20, 30, 5, 5, 5, 100, 1};
  const SegmentLayout layout = *SegmentLayout::listed(3, 0, 1, sizes);
  EXPECT_EQ(layout.run(0, 0), 1u);
  EXPECT_EQ(layout.run(0, 29), 1u);
  EXPECT_EQ(layout.run(0, 30), 2u);
  EXPECT_EQ(layout.run(0, 75), 6u);
  EXPECT_EQ(layout.run(3, 15), 3u);
  EXPECT_EQ(layout.run(6, 50), 1u);
  EXPECT_EQ(layout.run(6, 101), 2u);
  EXPECT_EQ(layout.run(6, ~std::uint64_t{0} / 2), 2u);
  EXPECT_EQ(layout.run(7, 1000), 1u);
  EXPECT_EQ(layout.run(8, 1000), 1u);
}

// A list that arithmetic describes answers for any index, as arithmetic does; one that is kept ends.
TEST(SegmentLayout, UniformListIsNotKept) {
  const auto is_arithmetic = [](const std::vector<std::uint64_t>& sizes) {
    const SegmentLayout layout = *SegmentLayout::listed(5, 1, 1, sizes);
    return layout.cipher_offset(1000) == 5 + 1000 * sizes[0];
  };
  EXPECT_TRUE(is_arithmetic({9}));
  EXPECT_TRUE(is_arithmetic({9, 9, 9}));
  EXPECT_TRUE(is_arithmetic({9, 9, 3}));
  EXPECT_TRUE(is_arithmetic({9, 2}));       // an empty last one
  EXPECT_FALSE(is_arithmetic({9, 9, 10}));  // the last one longer
  EXPECT_FALSE(is_arithmetic({9, 3, 9}));
  EXPECT_FALSE(is_arithmetic({2}));  // arithmetic needs room for a byte
  EXPECT_FALSE(is_arithmetic({2, 2, 2}));
}

TEST(SegmentLayout, RefusesImpossibleLists) {
  using Sizes = std::vector<std::uint64_t>;
  const auto refusal = [](std::uint64_t header, std::uint64_t front, std::uint64_t tag, const Sizes& sizes) {
    return SegmentLayout::listed(header, front, tag, sizes).error();
  };
  EXPECT_EQ(refusal(0, 12, 16, {}).code, ErrorCode::kMalformed);
  EXPECT_EQ(refusal(0, 12, 16, {28, 27, 28}).code, ErrorCode::kMalformed);
  EXPECT_EQ(refusal(0, 12, 16, {28, 27, 28}).offset, 1u);
  EXPECT_EQ(refusal(0, 0, 0, {1, 1, 0}).offset, 2u);
  for (const std::uint64_t large : {std::uint64_t{1} << 31, std::uint64_t{1} << 32, kMax - 27, kMax}) {
    EXPECT_EQ(refusal(0, 12, 16, {100, large}).code, ErrorCode::kMalformed);
    EXPECT_EQ(refusal(large, 12, 16, {100}).code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(refusal(0, large, 16, {100}).code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(refusal(0, 12, large, {100}).code, ErrorCode::kInvalidArgument);
  }
  EXPECT_TRUE(SegmentLayout::listed(0, 12, 16, Sizes{28, (std::uint64_t{1} << 31) - 1}));
}

TEST(SegmentLayout, LongListsAreSearched) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t i = 0; i < 100000; ++i) sizes.push_back(28 + (i * i % 7 == 3 ? 0x7fffff00 : i % 3));
  const SegmentLayout layout = *SegmentLayout::listed(0, 12, 16, sizes);
  std::uint64_t plain = 0;
  std::uint64_t cipher = 0;
  for (std::uint64_t i = 0; i < sizes.size(); ++i) {
    const std::uint64_t size = sizes[i] - 28;
    ASSERT_EQ(layout.cipher_offset(i), cipher);
    ASSERT_EQ(layout.plain_offset(i), plain);
    if (size > 0) {
      ASSERT_EQ(layout.segment_of(plain), i);
      ASSERT_EQ(layout.segment_of(plain + size - 1), i);
    }
    plain += size;
    cipher += sizes[i];
  }
  EXPECT_EQ(*layout.plain_size(cipher), plain);
}

std::vector<std::size_t> growth(std::size_t full) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size < full;) sizes.push_back(size = grown_size(size, full));
  return sizes;
}

TEST(BufferGrowth, StepsForKnownSegmentSizes) {
  using Sizes = std::vector<std::size_t>;
  EXPECT_EQ(growth(4097), (Sizes{4097}));
  EXPECT_EQ(growth(40001), (Sizes{4096, 40001}));
  EXPECT_EQ(growth(65537), (Sizes{4096, 32768, 65537}));
  EXPECT_EQ(growth(1048577), (Sizes{4096, 32768, 262144, 1048577}));
  EXPECT_EQ(growth(4194305), (Sizes{4096, 32768, 262144, 2097152, 4194305}));
}

TEST(BufferGrowth, AlwaysGrowsAndNeverBeyondFull) {
  for (std::size_t full = 1; full < 40000; full += 37) {
    for (std::size_t current = 0; current < full; current += 1 + current / 3) {
      for (const std::size_t pending : {std::size_t{0}, current + 1, full / 2, full}) {
        if (pending > full) continue;
        const std::size_t next = grown_size(current, full, pending);
        ASSERT_GT(next, current);
        ASSERT_LE(next, full);
        ASSERT_GE(next, pending);
      }
    }
  }
}

}  // namespace
}  // namespace millrace
