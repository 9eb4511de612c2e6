// What a body costs: allocations of the process, those of OpenSSL included. A program of its own, because it replaces
// operator new.
#include <gtest/gtest.h>
#include <openssl/crypto.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "s3/aws_chunked_reference.h"

namespace {

std::atomic<std::size_t> allocations{0};

void* counted(std::size_t n) {
  ++allocations;
  return std::malloc(n);
}

const bool openssl_is_counted = CRYPTO_set_mem_functions([](std::size_t n, const char*, int) { return counted(n); },
                                                         [](void* block, std::size_t n, const char*, int) {
                                                           ++allocations;
                                                           return std::realloc(block, n);
                                                         },
                                                         [](void* block, const char*, int) { std::free(block); }) == 1;

}  // namespace

void* operator new(std::size_t n) {
  if (void* const block = counted(n)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

namespace millrace::aws_chunked {
namespace {

using namespace testing;

constexpr std::size_t kChunk = 16 * 1024;

// Zeros lends zeros, or fills with them, and allocates nothing.
class Zeros final : public Source {
 public:
  Zeros(std::uint64_t size, bool lends) : left_(size), lends_(lends) {}
  Result<ByteView> pull(ByteSpan scratch) override {
    const ByteSpan part = scratch.first(static_cast<std::size_t>(std::min<std::uint64_t>(left_, scratch.size())));
    left_ -= part.size();
    if (lends_) return ByteView(zeros_).first(part.size());
    std::fill(part.begin(), part.end(), std::byte{0});
    return ByteView(part);
  }
  std::optional<std::uint64_t> remaining() const override { return left_; }

 private:
  std::uint64_t left_;
  bool lends_;
  Bytes zeros_ = Bytes(64 * 1024);
};

struct Cost {
  std::size_t create = 0;
  std::size_t read = 0;
};

Cost cost_of(const Form& form, std::size_t chunks, bool lends, bool gathers) {
  const ChunkSigning signing = test_signing();
  const ChunkSigning* const with = form.is_signed ? &signing : nullptr;
  const Format format = Reference{kChunk, with, form.checksums}.format();
  Zeros source(chunks * kChunk + 1, lends);
  Bytes scratch(kChunk);
  Cost cost;
  std::size_t before = allocations;
  EncodingSource encoding = *EncodingSource::create(format, source, with);
  cost.create = allocations - before;
  before = allocations;
  if (gathers) {
    while (!encoding.gather()->empty()) {
    }
  } else {
    while (!encoding.pull(scratch)->empty()) {
    }
  }
  cost.read = allocations - before;
  return cost;
}

TEST(AwsChunkedMemory, NoAllocationPerChunkAndFewInAll) {
  ASSERT_TRUE(openssl_is_counted);
  for (const Form& form : kForms) {
    cost_of(form, 1, false, false);  // what OpenSSL allocates once
    for (const bool lends : {false, true}) {
      for (const bool gathers : {false, true}) {
        SCOPED_TRACE(std::string(form.name) + (lends ? ", lent" : ", filled") + (gathers ? ", gathered" : ""));
        const Cost few = cost_of(form, 3, lends, gathers);
        const Cost many = cost_of(form, 1000, lends, gathers);
        EXPECT_EQ(few.read, many.read);
        // The chunk buffer, where one is needed, and what OpenSSL takes to begin the next hash at the end.
        EXPECT_LE(many.read, 1 + form.checksums.size());
        EXPECT_GE(many.create, 1u);
        if (!form.is_signed && form.checksums.size() == 1) {
          EXPECT_LT(many.create + many.read, 10u);
        }
      }
    }
  }
}

TEST(AwsChunkedMemory, DecoderAllocatesNothingPerChunk) {
  const ChunkSigning signing = test_signing();
  for (const Form& form : kForms) {
    SCOPED_TRACE(form.name);
    const ChunkSigning* const with = form.is_signed ? &signing : nullptr;
    const Reference reference{kChunk, with, form.checksums};
    std::size_t cost[2] = {};
    for (const std::size_t chunks : {std::size_t{3}, std::size_t{100}}) {
      const std::string body = reference.encode(std::string(chunks * kChunk, 'x'));
      MemorySource source(as_bytes(body));
      DecodingSource decoding = *DecodingSource::create(reference.format(), source, with);
      Bytes scratch(kChunk);
      const std::size_t before = allocations;
      while (!decoding.pull(scratch)->empty()) {
      }
      cost[chunks == 100] = allocations - before;
    }
    // Room for a chunk that the end of a buffer cuts: it grows to the largest such piece by doubling.
    EXPECT_LE(cost[1], cost[0] + 3);
  }
}

}  // namespace
}  // namespace millrace::aws_chunked
