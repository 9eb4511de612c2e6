// One attack list, every decryptor: the code, and what was released before it.
#include <gtest/gtest.h>

#include "testing/segment_cases.h"
#include "testing/segment_drivers.h"

namespace millrace {
namespace {

using namespace millrace::testing;

std::vector<SegmentFormat> formats() {
  return {toy_format({24, 48, 0, 8, 24}), toy_format({0, 48, 12, 16, 0}), toy_format({7, 61, 3, 9, 20})};
}
std::vector<SegmentFormat> formats_and_lists() {
  std::vector<SegmentFormat> all = formats();
  for (SegmentFormat& listed : small_listed_formats()) all.push_back(std::move(listed));
  return all;
}

// expect_opened checks every decryptor against a plain loop: the same plaintext of whole verified segments, the same
// verdict. Drivers by position release nothing of a bad stream.
void expect_opened(const SegmentFormat& format, const std::string& name, ByteView stream,
                   const std::vector<Driver>& drivers) {
  const Opened expected = open_by_loop(format, stream);
  for (const Driver& driver : drivers) {
    for (const Supply& supply : {Supply{}, Supply{true, 1, false, {}}, Supply{false, kUnlimited, true, {}},
                                 Supply{true, kUnlimited, true, {}}}) {
      if (driver.shape != Shape::kPull && (supply.lends || supply.knows_length)) continue;
      const std::size_t step = driver.shape == Shape::kPull ? 1000 : 17;
      const Outcome outcome = run_open(driver, format, stream, {supply, step, {}, {}});
      const auto place = [&] { return format.name + "; " + name + "; " + driver.text() + "; " + supply.text(); };
      if (driver.shape == Shape::kRandomAccess && !outcome.error && !expected.whole) {
        // Who reads plaintext by position does not open segments that have none: those alone may be bad.
        ASSERT_EQ(std::count(format.listed.begin(), format.listed.end(), 0u) > 0, true) << place();
        ASSERT_EQ(outcome.bytes, noise_bytes(format.listed_size())) << place();
        continue;
      }
      ASSERT_EQ(!outcome.error, expected.whole) << place();
      ASSERT_TRUE(outcome.sticky) << place();
      if (outcome.error) {
        ASSERT_EQ(outcome.error->code, ErrorCode::kNotAuthentic) << place();
      }
      if (expected.whole || driver.streams()) {
        ASSERT_EQ(outcome.bytes, expected.plain) << place();
      } else {
        ASSERT_TRUE(outcome.bytes.empty()) << place();
      }
    }
  }
}

// Where threads start for every stream, thousands of streams take long; two of each kind are enough there.
std::vector<Driver> few_drivers() {
  return {
      {Shape::kPull, 1}, {Shape::kPushWrite}, {Shape::kPushScratch}, {Shape::kPositions, 1}, {Shape::kRandomAccess}};
}

TEST(SegmentAttacks, EveryDecryptorRefusesTheList) {
  for (const SegmentFormat& format : formats_and_lists()) {
    for (const std::size_t size : attacked_sizes(format)) {
      const Bytes stream = seal_by_loop(format, noise_bytes(size));
      for (const Attack& attack : attacks(format, stream)) {
        ASSERT_FALSE(open_by_loop(format, attack.stream).whole) << attack.name;
        expect_opened(format, attack.name, attack.stream, open_drivers());
      }
    }
  }
}

TEST(SegmentAttacks, EveryLengthOfASmallStream) {
  for (const SegmentFormat& format : formats_and_lists()) {
    const std::size_t plain_size = format.listed.empty() ? format.layout.plain_capacity(0) + 90 : format.listed_size();
    const Bytes stream = seal_by_loop(format, noise_bytes(plain_size));
    for (std::size_t size = 0; size < stream.size(); ++size) {
      ASSERT_FALSE(open_by_loop(format, slice(stream, 0, size)).whole);
      expect_opened(format, "cut to " + std::to_string(size), slice(stream, 0, size), few_drivers());
    }
  }
}

TEST(SegmentAttacks, EveryBitOfASmallStream) {
  const SegmentFormat format = toy_format({24, 48, 0, 8, 24});
  Bytes stream = seal_by_loop(format, noise_bytes(70));
  for (std::size_t bit = 0; bit < 8 * stream.size(); ++bit) {
    stream[bit / 8] ^= std::byte{1} << (bit % 8);
    ASSERT_FALSE(open_by_loop(format, stream).whole);
    expect_opened(format, "bit " + std::to_string(bit), stream, few_drivers());
    stream[bit / 8] ^= std::byte{1} << (bit % 8);
  }
}

// No encoder here writes one, but others have, and their streams are to be read.
TEST(SegmentAttacks, EmptyLastSegmentBehindFullOnesIsAccepted) {
  for (const SegmentFormat& format : formats()) {
    for (const std::size_t segments : {std::size_t{1}, std::size_t{2}, std::size_t{4}}) {
      const Bytes plain =
          noise_bytes(format.layout.plain_capacity(0) + (segments - 1) * format.layout.plain_capacity(1));
      const auto cipher = format.cipher();
      Bytes stream = format.header;
      ByteView left = plain;
      for (std::size_t i = 0; i <= segments; ++i) {
        const std::size_t n = i == segments ? 0 : format.layout.plain_capacity(i);
        Bytes segment(n + format.layout.overhead());
        ASSERT_TRUE(cipher->seal(static_cast<std::uint32_t>(i), i == segments ? Last::kYes : Last::kNo, left.first(n),
                                 segment));
        append(stream, segment);
        left = left.subspan(n);
      }
      ASSERT_TRUE(open_by_loop(format, stream).whole);
      expect_opened(format, "empty last segment", stream, open_drivers());
      // And behind it, nothing.
      stream.push_back(std::byte{0});
      ASSERT_FALSE(open_by_loop(format, stream).whole);
      expect_opened(format, "byte behind an empty last segment", stream, open_drivers());
    }
  }
}

TEST(SegmentAttacks, LargeSegments) {
  for (const SegmentFormat& format : {toy_format({24, 4096, 0, 16, 24}), toy_format({0, 300000, 12, 16, 0}),
                                      listed_toy_format(0, 12, 16, {70000, 0, 300000, 5, 262144, 1})}) {
    const Bytes stream = seal_by_loop(format, noise_bytes(attacked_sizes(format).front()));
    for (const Attack& attack : attacks(format, stream)) {
      if (attack.name.starts_with("header bit") && attack.name != "header bit 0") continue;
      expect_opened(format, attack.name, attack.stream,
                    {{Shape::kPull, 2}, {Shape::kPushWrite}, {Shape::kRandomAccess}});
    }
  }
}

// Without a last flag and with every segment in order and whole, only the list knows that something is missing.
TEST(SegmentAttacks, ListedStreamThatEndsWithAWholeSegmentTooEarlyReleasesNothingOfThatSegment) {
  for (const SegmentFormat& format : small_listed_formats()) {
    const Bytes plain = noise_bytes(format.listed_size());
    const Bytes stream = seal_by_loop(format, plain);
    for (std::size_t kept = 1; kept < format.listed.size(); ++kept) {
      const std::size_t size = static_cast<std::size_t>(format.layout.cipher_offset(kept));
      for (const Driver& driver : few_drivers()) {
        const Outcome outcome = run_open(driver, format, slice(stream, 0, size), {{}, 1000, {}, {}});
        ASSERT_TRUE(outcome.error) << driver.text();
        EXPECT_EQ(outcome.error->code, ErrorCode::kNotAuthentic);
        EXPECT_LE(outcome.bytes.size(), format.layout.plain_offset(kept - 1)) << driver.text();
      }
    }
  }
}

TEST(SegmentAttacks, ErrorIsThatOfTheFirstBadSegment) {
  const SegmentFormat format = toy_format({24, 4096, 0, 16, 24});
  const Bytes plain = noise_bytes(200 * 4080);
  Bytes stream = seal_by_loop(format, plain);
  for (const std::size_t bad : {std::size_t{199}, std::size_t{130}, std::size_t{77}, std::size_t{3}}) {
    stream[static_cast<std::size_t>(format.layout.cipher_offset(bad)) + 100] ^= std::byte{4};
    for (const Driver& driver : open_drivers()) {
      const Outcome outcome = run_open(driver, format, stream, {{false, kUnlimited, true, {}}, 100000, {}, {}});
      ASSERT_TRUE(outcome.error);
      EXPECT_EQ(outcome.error->offset, format.layout.cipher_offset(bad)) << driver.text();
      if (driver.streams()) {
        EXPECT_EQ(outcome.bytes.size(), format.layout.plain_offset(bad)) << driver.text();
      }
    }
  }
}

}  // namespace
}  // namespace millrace
