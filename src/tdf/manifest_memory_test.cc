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
constexpr std::size_t kTenMillion = 10'000'000;
constexpr std::size_t kMany = 1'000'000;

TEST(ManifestMemory, TheTableCostsASmallMultipleOfItself) {
  constexpr std::size_t kEntries = 80'000;
  const std::string entry = R"({"hash":"AAAAAAAAAAAAAAAAAAAAAA==","segmentSize":1000,"encryptedSegmentSize":1028},)";
  const std::string text = with(example(), R"("segments":[)", R"("segments":[)" + repeated(entry, kEntries));
  // A vector that grows holds its old and its new room for a moment.
  EXPECT_LT(cost_of(text, {}, std::nullopt), 4 * kEntries * sizeof(Segment));
}

// T05, G2.
TEST(ManifestMemory, T05TooManySegmentsAreRefusedBeforeTheyCost) {
  ManifestLimits limits;
  limits.max_size = 1024 * kMiB;
  limits.max_segments = 1000;
  const std::string text =
      with(example(), R"("segments":[)", R"("segments":[)" + repeated(R"({"hash":""},)", kTenMillion));
  EXPECT_LT(cost_of(text, limits, ErrorCode::kLimitExceeded), kMiB / 2);
  EXPECT_LT(cost_of(text, {}, ErrorCode::kLimitExceeded), kMiB / 2);  // too large a text in the first place
}

TEST(ManifestMemory, WhatIsNotKeptCostsNothing) {
  ManifestLimits limits;
  limits.max_size = 1024 * kMiB;
  const auto unknown = [](const std::string& value) {
    return with(example(), R"({"encryptionInformation")", R"({"x":)" + value + R"(,"encryptionInformation")");
  };
  EXPECT_LT(cost_of(unknown(std::string("[") + repeated("[],", kMany) + "0]"), limits, std::nullopt), kMiB / 2);
  EXPECT_LT(cost_of(unknown(std::string("[") + repeated("{},", kMany) + "0]"), limits, std::nullopt), kMiB / 2);
  EXPECT_LT(cost_of(unknown(std::string("[") + repeated(R"({"a name":0},)", kMany) + "0]"), limits, std::nullopt),
            kMiB / 2);
  EXPECT_LT(cost_of(unknown(std::string("\"") + std::string(kMany, 'x') + "\""), limits, std::nullopt), kMiB / 2);
  EXPECT_LT(cost_of(unknown(std::string("1") + std::string(kMany, '0')), limits, std::nullopt), kMiB / 2);
  EXPECT_LT(cost_of(unknown(std::string(kMany, '[')), limits, ErrorCode::kLimitExceeded), kMiB / 2);
  EXPECT_LT(cost_of(unknown(repeated(R"({"a":)", kMany / 5)), limits, ErrorCode::kLimitExceeded), kMiB / 2);
}

TEST(ManifestMemory, NamesOfOneObjectAreFew) {
  std::string names = "{";
  for (int i = 0; i < 500'000; ++i) names.append("\"").append(std::to_string(i)).append("\":0,");
  names += "\"x\":0}";
  EXPECT_LT(cost_of(with(example(), R"({"encryptionInformation")", R"({"x":)" + names + R"(,"encryptionInformation")"),
                    {}, ErrorCode::kLimitExceeded),
            kMiB / 2);
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
