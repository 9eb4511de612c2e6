// What reading a hostile manifest costs. A program of its own: it counts every allocation of the process.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <optional>

#include "tdf/manifest_examples.h"

namespace {
std::size_t allocated = 0;
std::size_t peak = 0;
}  // namespace

// Not inline, or g++ sees a free() of what came from new.
[[gnu::noinline]] void* operator new(std::size_t n) {
  void* const block = std::malloc(n);
  if (block == nullptr) throw std::bad_alloc();
  allocated += malloc_usable_size(block);
  peak = std::max(peak, allocated);
  return block;
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
  allocated -= malloc_usable_size(block);
  std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

namespace millrace::tdf {
namespace {

// cost_of is the most memory that reading `text` had at once, the result included.
std::size_t cost_of(const std::string& text, const ManifestLimits& limits, std::optional<ErrorCode> expected) {
  const std::size_t before = allocated;
  peak = allocated;
  const Result<Manifest> manifest = parse_manifest(as_bytes(text), limits);
  EXPECT_EQ(manifest ? std::nullopt : std::optional(manifest.error().code), expected);
  return peak - before;
}

std::string example() { return *to_json(example_manifest()); }

std::string repeated(std::string_view piece, std::size_t times) {
  std::string text;
  text.reserve(piece.size() * times);
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kMany = 1'000'000;

TEST(ManifestMemory, TheTableCostsASmallMultipleOfItself) {
  constexpr std::size_t kEntries = 80'000;
  const std::string entry = R"({"hash":"AAAAAAAAAAAAAAAAAAAAAA==","segmentSize":1000,"encryptedSegmentSize":1028},)";
  const std::string text = with(example(), R"("segments":[)", R"("segments":[)" + repeated(entry, kEntries));
  // A vector that grows holds its old and its new room for a moment.
  EXPECT_LT(cost_of(text, {}, std::nullopt), 4 * kEntries * sizeof(Segment));
}

// T05, G2. The reader of JSON checks and indexes the whole text first, so it is the limit on the text that bounds the
// memory: 3 values and names in each of these short entries, 8 bytes for each.
TEST(ManifestMemory, T05TooManySegmentsCostNoMoreThanTheirIndex) {
  ManifestLimits limits;
  limits.max_size = 1024 * kMiB;
  limits.max_segments = 1000;
  const std::string text = with(example(), R"("segments":[)", R"("segments":[)" + repeated(R"({"hash":""},)", kMany));
  EXPECT_LT(cost_of(text, limits, ErrorCode::kLimitExceeded), 5 * text.size() / 2);
  EXPECT_LT(cost_of(text, {}, ErrorCode::kLimitExceeded), kMiB / 2);  // too large a text in the first place
}

std::string with_unknown(const std::string& value) {
  return with(example(), R"({"encryptionInformation")", R"({"x":)" + value + R"(,"encryptionInformation")");
}

// What index_json promises. The index has 8 bytes for each value and name, so 4 times the text is the most; the parser
// keeps what it has read since the last string or number in a vector that doubles.
TEST(ManifestMemory, WhatIsNotKeptCostsAFewTimesItsText) {
  const std::string values[] = {
      std::string("[") + repeated("0,", 3 * kMany) + "0]",
      std::string("[") + repeated("[],", kMany) + "0]",
      std::string("[") + repeated("{},", kMany) + "0]",
      std::string("[") + repeated(R"({"":0},)", kMany) + "0]",
      std::string("[") + repeated(R"({"a name":0},)", kMany / 2) + "0]",
      std::string("{\"") + std::string(kMany, 'x') + "\":0,\"y\":0}",
      std::string("\"") + std::string(kMany, 'x') + "\"",
      std::string("\"") + repeated(R"(\n)", kMany) + "\"",
      std::string("0.") + std::string(kMany, '0'),
      std::string(kMany, '\n') + "0",
  };
  for (const std::string& value : values) {
    const std::string text = with_unknown(value);
    EXPECT_LT(cost_of(text, {}, std::nullopt), 8 * text.size()) << value.substr(0, 16);
  }
}

// A parser that fails quotes what it has read, several times over.
TEST(ManifestMemory, WhatIsRefusedCostsAFewTimesItsText) {
  const std::string values[] = {
      std::string("\"") + std::string(kMany, 'x'),
      std::string("1") + std::string(kMany, '0'),  // beyond a double
      std::string(kMany, '\n') + "?",
      std::string("[") + repeated("[],", kMany) + "?",
      std::string("[") + repeated("[\t],\n", kMany) + "?",
  };
  for (const std::string& value : values) {
    const std::string text = with_unknown(value);
    EXPECT_LT(cost_of(text, {}, ErrorCode::kMalformed), 12 * text.size()) << value.substr(0, 16);
  }
}

TEST(ManifestMemory, DepthIsRefusedWhereItIsPassed) {
  EXPECT_LT(cost_of(with_unknown(std::string(kMany, '[')), {}, ErrorCode::kLimitExceeded), kMiB / 2);
  EXPECT_LT(cost_of(with_unknown(repeated(R"({"a":)", kMany / 5)), {}, ErrorCode::kLimitExceeded), kMiB / 2);
}

TEST(ManifestMemory, NamesOfOneObjectAreFew) {
  std::string names = "{";
  for (int i = 0; i < 500'000; ++i) names.append("\"").append(std::to_string(i)).append("\":0,");
  names += "\"x\":0}";
  EXPECT_LT(cost_of(with_unknown(names), {}, ErrorCode::kLimitExceeded), kMiB / 2);
}

// Escapes are undone in a buffer, arrays become canonical text: a few times the text, whatever its shape.
TEST(ManifestMemory, AssertionsCostAFewTimesTheirText) {
  const std::string values[] = {
      std::string("\"") + repeated(R"(\u0041)", 1'000'000) + "\"",
      std::string("{\"a\":[") + repeated("1,", 3'000'000) + "1]}",
      std::string("{\"a\":[") + repeated("{\"b\":{}},", 600'000) + "1]}",
  };
  for (const std::string& value : values) {
    const std::string text =
        with(example(), R"(},"schemaVersion":"4.3.0")",
             R"(},"assertions":[{"statement":{"value":)" + value + R"(}}],"schemaVersion":"4.3.0")");
    EXPECT_LT(cost_of(text, {}, std::nullopt), 8 * text.size());
  }
}

}  // namespace
}  // namespace millrace::tdf
