// ArchiveBuilder against bytes written by hand from the APPNOTE, and at the sizes where the layout changes.
#include "zip/archive_builder.h"

#include <gtest/gtest.h>

#include <limits>

#include "testing/zip.h"
#include "zip/entry_name.h"

namespace millrace::zip {
namespace {

using namespace millrace::testing;

Bytes part(const Bytes& bytes, std::size_t from, std::size_t n) { return to_bytes(slice(bytes, from, n)); }

constexpr std::uint64_t kBorder = 0x7fffffff;  // the first size and offset in ZIP64

// One entry of nine digits, by each of the three ways.
Bytes built(auto&& start, bool has_end) {
  ArchiveBuilder builder;
  Bytes zip;
  append(zip, *start(builder));
  EXPECT_EQ(builder.offset() - (has_end ? 0 : kDigits.size()), zip.size());
  append(zip, as_bytes(kDigits));
  if (has_end) append(zip, *builder.end(kDigits.size(), kDigitsCrc));
  EXPECT_EQ(builder.offset(), zip.size());
  append(zip, *builder.finish());
  EXPECT_EQ(builder.offset(), zip.size());
  return zip;
}

TEST(ArchiveBuilder, WritesAnEntryAtHandWithSizesAndCrcInFront) {
  const Bytes zip = built([](ArchiveBuilder& b) { return b.add("a.txt", as_bytes(kDigits)); }, false);
  EXPECT_EQ(zip, from_hex("504b0304 2d00 0000 0000 0000 2100 2639f4cb 09000000 09000000 0500 0000 612e747874"
                          "313233343536373839"
                          "504b0102 2d03 2d00 0000 0000 0000 2100 2639f4cb 09000000 09000000 0500 0000 0000 0000 0000"
                          "0000a481 00000000 612e747874"
                          "504b0506 0000 0000 0100 0100 33000000 2c000000 0000"));
}

TEST(ArchiveBuilder, WritesAnEntryOfKnownSizeWithADescriptorOf16Bytes_zip_z07) {
  const Bytes zip = built([](ArchiveBuilder& b) { return b.begin("a.txt", 9); }, true);
  EXPECT_EQ(zip, from_hex("504b0304 2d00 0800 0000 0000 2100 00000000 00000000 00000000 0500 0000 612e747874"
                          "313233343536373839"
                          "504b0708 2639f4cb 09000000 09000000"
                          "504b0102 2d03 2d00 0800 0000 0000 2100 2639f4cb 09000000 09000000 0500 0000 0000 0000 0000"
                          "0000a481 00000000 612e747874"
                          "504b0506 0000 0000 0100 0100 33000000 3c000000 0000"));
}

TEST(ArchiveBuilder, WritesAnEntryOfUnknownSizeInZip64WithADescriptorOf24Bytes_zip_z04) {
  const Bytes zip = built([](ArchiveBuilder& b) { return b.begin("a.txt", std::nullopt); }, true);
  EXPECT_EQ(zip, from_hex("504b0304 2d00 0800 0000 0000 2100 00000000 ffffffff ffffffff 0500 1400 612e747874"
                          "0100 1000 0000000000000000 0000000000000000"
                          "313233343536373839"
                          "504b0708 2639f4cb 0900000000000000 0900000000000000"
                          "504b0102 2d03 2d00 0800 0000 0000 2100 2639f4cb ffffffff ffffffff 0500 1c00 0000 0000 0000"
                          "0000a481 ffffffff 612e747874"
                          "0100 1800 0900000000000000 0900000000000000 0000000000000000"
                          "504b0606 2c00000000000000 2d03 2d00 00000000 00000000 0100000000000000 0100000000000000"
                          "4f00000000000000 5800000000000000"
                          "504b0607 00000000 a700000000000000 01000000"
                          "504b0506 0000 0000 ffff ffff ffffffff ffffffff 0000"));
}

TEST(ArchiveBuilder, WritesTheArchiveWithoutEntries) {
  ArchiveBuilder builder;
  EXPECT_EQ(*builder.finish(), from_hex("504b0506 0000 0000 0000 0000 00000000 00000000 0000"));
}

TEST(ArchiveBuilder, MarksNamesBeyondAsciiAndCountsTheirBytes_zip_z14) {
  const Bytes zip = built([](ArchiveBuilder& b) { return b.begin("\xc3\xbc.txt", 9); }, true);
  EXPECT_EQ(part(zip, 0, 36), from_hex("504b0304 2d00 0808 0000 0000 2100 00000000 00000000 00000000 0600 0000"
                                       "c3bc2e747874"));
  const std::size_t directory = 36 + 9 + 16;
  EXPECT_EQ(number_at(zip, directory + 8, 2), 0x0808u);
  EXPECT_EQ(number_at(zip, directory + 28, 2), 6u);
}

// The size field of the local header, of the descriptor's width and of the directory, for one payload.
struct Layout {
  std::uint64_t local_size;
  std::uint64_t local_extra;
  std::size_t descriptor;
  std::uint64_t directory_size;
  std::uint64_t directory_extra;
  bool zip64_end;
  bool operator==(const Layout&) const = default;
};

Layout layout_of(std::optional<std::uint64_t> announced, std::uint64_t size) {
  ArchiveBuilder builder;
  const Bytes header = *builder.begin("p", announced);
  const Bytes descriptor = *builder.end(size, 1);
  const Bytes tail = *builder.finish();
  const std::uint64_t extra = number_at(tail, 30, 2);
  if (extra != 0) {
    EXPECT_EQ(number_at(tail, 46 + 1, 4), 0x00180001u);
    EXPECT_EQ(number_at(tail, 46 + 5, 8), size);
    EXPECT_EQ(number_at(tail, 46 + 13, 8), size);
    EXPECT_EQ(number_at(tail, 46 + 21, 8), 0u);
  }
  EXPECT_EQ(number_at(descriptor, 8, (descriptor.size() - 8) / 2), size);
  const bool zip64_end = tail.size() == 46 + 1 + extra + 56 + 20 + 22;
  EXPECT_EQ(tail.size(), 46 + 1 + extra + (zip64_end ? 56 + 20 : 0) + 22);
  return {
      number_at(header, 18, 4), number_at(header, 28, 2), descriptor.size(), number_at(tail, 20, 4), extra, zip64_end};
}

TEST(ArchiveBuilder, TakesZip64ForSizesFrom2To31Minus1_zip_z01) {
  const std::uint64_t ones = 0xffffffff;
  EXPECT_EQ(layout_of(0, 0), (Layout{0, 0, 16, 0, 0, false}));
  // What it fills is short of the border, so that the directory is too.
  EXPECT_EQ(layout_of(kBorder - 48, kBorder - 48), (Layout{0, 0, 16, kBorder - 48, 0, false}));
  EXPECT_EQ(layout_of(kBorder - 47, kBorder - 47), (Layout{0, 0, 16, kBorder - 47, 0, true}));
  EXPECT_EQ(layout_of(kBorder - 1, kBorder - 1), (Layout{0, 0, 16, kBorder - 1, 0, true}));
  for (const std::uint64_t size : {kBorder, kBorder + 1, ones - 1, ones, ones + 1, std::uint64_t{1} << 40}) {
    EXPECT_EQ(layout_of(size, size), (Layout{ones, 20, 24, ones, 28, true})) << size;
  }
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{9}, kBorder, ones + 1}) {
    EXPECT_EQ(layout_of(std::nullopt, size), (Layout{ones, 20, 24, ones, 28, true})) << size;
  }
}

TEST(ArchiveBuilder, PutsSizesOfAnEntryAtHandIntoTheLocalExtraField_zip_z01) {
  ArchiveBuilder small;
  EXPECT_EQ(*small.add("p", kBorder - 1, 7), from_hex("504b0304 2d00 0000 0000 0000 2100 07000000 feffff7f feffff7f"
                                                      "0100 0000 70"));
  ArchiveBuilder large;
  EXPECT_EQ(*large.add("p", kBorder, 7), from_hex("504b0304 2d00 0000 0000 0000 2100 07000000 ffffffff ffffffff"
                                                  "0100 1400 70 0100 1000 ffffff7f00000000 ffffff7f00000000"));
}

TEST(ArchiveBuilder, TakesZip64ForOffsetsFrom2To31Minus1_zip_z01) {
  // A payload without a descriptor of which the next header, or the directory, is at the border or just in front of it.
  for (const std::uint64_t next : {kBorder - 1, kBorder, kBorder + 1}) {
    const bool zip64 = next >= kBorder;
    ArchiveBuilder builder;
    ASSERT_TRUE(builder.add("p", next - 31, 1));
    ASSERT_EQ(builder.offset(), next);
    ArchiveBuilder with_entry = builder;
    const Bytes tail = *builder.finish();
    EXPECT_EQ(tail.size(), 47u + (zip64 ? 76 : 0) + 22) << next;
    EXPECT_EQ(number_at(tail, tail.size() - 6, 4), zip64 ? 0xffffffff : next);
    EXPECT_EQ(number_at(tail, tail.size() - 10, 4), zip64 ? 0xffffffff : 47);
    EXPECT_EQ(number_at(tail, tail.size() - 14, 4), zip64 ? 0xffffffff : 0x00010001);

    const Bytes local = *with_entry.add("m", as_bytes(kDigits));
    EXPECT_EQ(local.size(), 31u) << "its own sizes are small";
    const Bytes more = *with_entry.finish();
    const std::size_t second = 47;
    EXPECT_EQ(number_at(more, second + 42, 4), zip64 ? 0xffffffff : next) << next;
    EXPECT_EQ(number_at(more, second + 24, 4), zip64 ? 0xffffffff : 9);
    EXPECT_EQ(number_at(more, second + 30, 2), zip64 ? 28u : 0u);
    if (zip64) {
      EXPECT_EQ(part(more, second + 47, 12), from_hex("0100 1800 0900000000000000"));
      EXPECT_EQ(number_at(more, second + 47 + 20, 8), next);
    }
  }
}

TEST(ArchiveBuilder, TakesZip64From65535Entries) {
  for (const std::size_t count : {65534u, 65535u}) {
    ArchiveBuilder builder;
    for (std::size_t i = 0; i < count; ++i) ASSERT_TRUE(builder.add(std::to_string(i), {}));
    const Bytes tail = *builder.finish();
    EXPECT_EQ(number_at(tail, tail.size() - 12, 2), count < 65535 ? count : 0xffffu);
    EXPECT_EQ(number_at(tail, tail.size() - 42, 4) == 0x07064b50, count == 65535);
    if (count == 65535) {
      EXPECT_EQ(number_at(tail, tail.size() - 98 + 32, 8), count);
    }
  }
}

TEST(ArchiveBuilder, RefusesSizesThatAreNotTheOnesAnnounced_zip_z05) {
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{8}, std::uint64_t{10}, std::uint64_t{0x100000009}}) {
    ArchiveBuilder builder;
    ASSERT_TRUE(builder.begin("p", 9));
    EXPECT_EQ(builder.end(size, 1).error().code, ErrorCode::kInvalidArgument) << size;
    EXPECT_EQ(builder.finish().error().code, ErrorCode::kInvalidArgument) << "the entry is still open";
    EXPECT_TRUE(builder.end(9, 1));
  }
}

TEST(ArchiveBuilder, SaysTheSameInLocalAndCentralHeader_zip_z06_zip_z13) {
  for (const char* name : {"p", "\xe6\x97\xa5"}) {
    for (const std::optional<std::uint64_t> announced : {std::optional<std::uint64_t>{}, {9}, {kBorder}}) {
      for (const bool descriptor : {true, false}) {
        const std::uint64_t size = announced.value_or(9);
        ArchiveBuilder builder;
        const Bytes local = descriptor ? *builder.begin(name, announced) : *builder.add(name, size, kDigitsCrc);
        if (descriptor) {
          ASSERT_TRUE(builder.end(size, kDigitsCrc));
        }
        const Bytes central = *builder.finish();
        // Version, flags, method, time and date; the lengths of the name; the name.
        EXPECT_EQ(part(local, 4, 10), part(central, 6, 10));
        EXPECT_EQ(part(local, 26, 2), part(central, 28, 2));
        EXPECT_TRUE(equal(part(local, 30, std::strlen(name)), part(central, 46, std::strlen(name))));
        EXPECT_EQ(number_at(local, 12, 2), (1980u - 1980) << 9 | 1 << 5 | 1) << "the first of January";
        EXPECT_EQ(number_at(local, 10, 2), 0u);
      }
    }
  }
}

TEST(ArchiveBuilder, KeepsDirectoryAndEndOfATdfWithin1000Bytes_zip_z03_zip_z09) {
  ArchiveBuilder builder;
  ASSERT_TRUE(builder.begin("0.payload", std::nullopt));
  ASSERT_TRUE(builder.end(std::uint64_t{1} << 40, 1));
  ASSERT_TRUE(builder.add("0.manifest.json", Bytes(1000)));
  const Bytes tail = *builder.finish();
  EXPECT_EQ(tail.size(), 46u + 9 + 28 + 46 + 15 + 28 + 56 + 20 + 22);
  EXPECT_EQ(number_at(tail, tail.size() - 2, 2), 0u) << "no comment";
}

TEST(ArchiveBuilder, RefusesNamesThatReadersTakeForSomethingElse_zip_z14) {
  const std::string long_name(65535, 'n');
  for (const std::string& name :
       std::vector<std::string>{"a", "a/b", ".a", "a..b", "...", "a b", "ab:c", "\xf0\x9f\x8c\xbe", "\xed\x9f\xbf",
                                "\xf4\x8f\xbf\xbf", long_name}) {
    ArchiveBuilder builder;
    EXPECT_TRUE(builder.begin(name, 1)) << name.substr(0, 20);
  }
  for (const std::string& name :
       std::vector<std::string>{"", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/../b", "a/./b", "\\a",
                                "a\\b", "C:a", "c:/a", std::string("a\0b", 3), long_name + "n",
                                // Not UTF-8: a stray continuation, cut, overlong, a surrogate, above U+10FFFF, Latin-1.
                                "\x80", "\xc3", "\xe6\x97", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",
                                "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xfc"}) {
    ArchiveBuilder builder;
    EXPECT_EQ(builder.begin(name, 1).error().code, ErrorCode::kInvalidArgument) << name.substr(0, 20);
    EXPECT_EQ(builder.add(name, {}).error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(builder.finish()->size(), 22u) << "nothing happened";
  }
}

TEST(ArchiveBuilder, RefusesANameThatComesTwice) {
  ArchiveBuilder builder;
  ASSERT_TRUE(builder.add("a", {}));
  ASSERT_TRUE(builder.begin("b", 0));
  ASSERT_TRUE(builder.end(0, 0));
  EXPECT_EQ(builder.begin("a", 0).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(builder.add("b", {}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(builder.add("A", {}));
}

TEST(ArchiveBuilder, RefusesCallsOutOfTurn) {
  ArchiveBuilder builder;
  const auto refused = [](const auto& result) { return !result && result.error().code == ErrorCode::kInvalidArgument; };
  EXPECT_TRUE(refused(builder.end(0, 0)));
  ASSERT_TRUE(builder.begin("a", 1));
  EXPECT_TRUE(refused(builder.begin("b", 1)));
  EXPECT_TRUE(refused(builder.add("b", {})));
  EXPECT_TRUE(refused(builder.finish()));
  ASSERT_TRUE(builder.end(1, 0));
  EXPECT_TRUE(refused(builder.end(1, 0)));
  ASSERT_TRUE(builder.finish());
  EXPECT_TRUE(refused(builder.begin("c", 1)));
  EXPECT_TRUE(refused(builder.add("c", {})));
  EXPECT_TRUE(refused(builder.end(1, 0)));
  EXPECT_TRUE(refused(builder.finish()));
}

TEST(ArchiveBuilder, RefusesAnArchivePast63Bits_g3) {
  const std::uint64_t limit = std::numeric_limits<std::int64_t>::max();
  const std::uint64_t framing = 30 + 1 + 20 + 24;  // header, name, extra field, descriptor
  const auto too_large = [](const auto& r) { return !r && r.error().code == ErrorCode::kLimitExceeded; };
  for (const std::uint64_t size : {limit - framing + 1, limit, limit + 1, ~std::uint64_t{0}}) {
    ArchiveBuilder builder;
    EXPECT_TRUE(too_large(builder.begin("p", size))) << size;
    EXPECT_TRUE(too_large(builder.add("p", size, 0)));
    ASSERT_TRUE(builder.begin("p", std::nullopt));
    EXPECT_TRUE(too_large(builder.end(size, 0)));
    EXPECT_TRUE(builder.end(limit - framing, 0));
    EXPECT_EQ(builder.offset(), limit);
    EXPECT_TRUE(too_large(builder.add("q", {})));
    EXPECT_TRUE(builder.finish());
  }
}

}  // namespace
}  // namespace millrace::zip
