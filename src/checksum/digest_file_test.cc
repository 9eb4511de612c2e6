// digest_read_at against one Digest over the same bytes. The bytes are computed from their position, so that no test
// needs memory or a file of their size.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>

#include "millrace/digest.h"

namespace millrace {
namespace {

constexpr std::uint64_t kRange = 16 * 1024 * 1024;  // that of the code: more than one of them is needed to combine

// word_at is the word at byte 8 * word of an input that repeats nowhere (a multiplication by an odd number is a
// bijection).
std::uint64_t word_at(std::uint64_t word) {
  const std::uint64_t x = (word + 1) * 0x9e3779b97f4a7c15;
  return x ^ (x >> 29);
}

class MadeUp final : public ReadAt {
 public:
  explicit MadeUp(std::uint64_t size, std::uint64_t fails_at = UINT64_MAX) : size_(size), fails_at_(fails_at) {}

  Status read_at(std::uint64_t offset, ByteSpan dst) const override {
    {
      const std::lock_guard lock(mutex_);
      threads_.insert(std::this_thread::get_id());
    }
    largest_ = std::max(largest_.load(), dst.size());
    if (offset + dst.size() > size_) return Error{ErrorCode::kInvalidArgument, "beyond the end", offset};
    if (offset + dst.size() > fails_at_) return Error{ErrorCode::kIo, "made-up failure", offset, 5};
    read_ += dst.size();
    // Whole words; what is not aligned or left over is cut out of one.
    while (!dst.empty()) {
      const std::uint64_t word = word_at(offset / 8);
      const std::size_t skip = offset % 8;
      const std::size_t n = std::min(dst.size(), sizeof word - skip);
      std::memcpy(dst.data(), reinterpret_cast<const std::byte*>(&word) + skip, n);
      dst = dst.subspan(n);
      offset += n;
    }
    return Ok{};
  }
  std::uint64_t size() const override { return size_; }

  std::uint64_t bytes_read() const { return read_; }
  std::size_t largest_read() const { return largest_; }
  std::size_t threads() const { return threads_.size(); }

 private:
  const std::uint64_t size_;
  const std::uint64_t fails_at_;
  mutable std::atomic<std::uint64_t> read_{0};
  mutable std::atomic<std::size_t> largest_{0};
  mutable std::mutex mutex_;
  mutable std::set<std::thread::id> threads_;
};

std::vector<std::byte> plain_digest(DigestAlgorithm algorithm, const ReadAt& in) {
  Digest digest = *Digest::create(algorithm);
  std::vector<std::byte> piece(1 << 20);
  for (std::uint64_t at = 0; at < in.size();) {
    const ByteSpan part =
        ByteSpan(piece).first(static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), in.size() - at)));
    EXPECT_TRUE(in.read_at(at, part));
    digest.update(part);
    at += part.size();
  }
  std::vector<std::byte> value(digest.size());
  EXPECT_TRUE(digest.finish(value));
  return value;
}

std::vector<std::byte> bytes_of(const DigestValue& value) { return {value.view().begin(), value.view().end()}; }

constexpr DigestAlgorithm kCrcs[] = {DigestAlgorithm::kCrc64Nvme, DigestAlgorithm::kCrc32, DigestAlgorithm::kCrc32c};

TEST(DigestReadAt, CrcsOfRangesAreTheCrcOfTheWhole) {
  for (const std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{1}, kRange - 1, kRange, kRange + 1, 2 * kRange + 5}) {
    std::vector<std::vector<std::byte>> want;
    for (const DigestAlgorithm algorithm : kCrcs) want.push_back(plain_digest(algorithm, MadeUp(size)));
    for (const unsigned threads : {1U, 2U, 4U}) {
      const MadeUp in(size);
      const auto values = digest_read_at(in, kCrcs, threads);
      ASSERT_TRUE(values);
      ASSERT_EQ(values->size(), std::size(kCrcs));
      for (std::size_t i = 0; i < want.size(); ++i) {
        EXPECT_EQ(bytes_of((*values)[i]), want[i]) << digest_name(kCrcs[i]) << ", " << size << ", " << threads;
      }
      EXPECT_EQ(in.bytes_read(), size);  // one pass
      EXPECT_LE(in.largest_read(), std::size_t{256} << 10);
      EXPECT_LE(in.threads(),
                std::min<std::uint64_t>(threads, std::max<std::uint64_t>(1, (size + kRange - 1) / kRange)));
    }
  }
}

TEST(DigestReadAt, EveryAlgorithmInOnePass) {
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{70'001}, kRange + 1}) {
    for (const unsigned threads : {1U, 2U, 4U}) {
      if (threads != 2 && size > kRange) continue;  // one thread does it, however many there may be
      const MadeUp in(size);
      const auto values = digest_read_at(in, digest_algorithms(), threads);
      ASSERT_TRUE(values);
      ASSERT_EQ(values->size(), digest_algorithms().size());
      EXPECT_EQ(in.bytes_read(), size);
      EXPECT_LE(in.threads(), 1u);
      for (std::size_t i = 0; i < values->size(); ++i) {
        const DigestAlgorithm algorithm = digest_algorithms()[i];
        EXPECT_EQ((*values)[i].size, digest_size(algorithm));
        EXPECT_EQ(bytes_of((*values)[i]), plain_digest(algorithm, MadeUp(size))) << digest_name(algorithm);
      }
    }
  }
}

TEST(DigestReadAt, AFailureIsTheAnswerWhereverItHappens) {
  for (const std::uint64_t fails_at : {std::uint64_t{0}, std::uint64_t{5}, kRange, 2 * kRange + 9}) {
    for (const unsigned threads : {1U, 2U, 4U}) {
      const MadeUp in(2 * kRange + 10, fails_at);
      const auto values = digest_read_at(in, kCrcs, threads);
      ASSERT_FALSE(values) << fails_at << ", " << threads;
      EXPECT_EQ(values.error().code, ErrorCode::kIo);
      EXPECT_EQ(values.error().where, "made-up failure");
      EXPECT_EQ(values.error().detail, 5);
    }
  }
  constexpr DigestAlgorithm kSha[] = {DigestAlgorithm::kSha256};
  EXPECT_EQ(digest_read_at(MadeUp(1000, 999), kSha, 4).error().where, "made-up failure");
}

// When all of the input fails, the place that is told does not depend on which thread was first.
TEST(DigestReadAt, TheFirstFailureInTheInputIsTold) {
  for (int i = 0; i < 20; ++i) {
    const auto values = digest_read_at(MadeUp(8 * kRange, 0), kCrcs, 4);
    ASSERT_FALSE(values);
    EXPECT_EQ(values.error().offset, 0u);
  }
}

TEST(DigestReadAt, NoAlgorithmsAndNoThreadsAreHarmless) {
  const auto none = digest_read_at(MadeUp(10), {}, 1);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
  const auto some = digest_read_at(MadeUp(10), kCrcs, 0);
  ASSERT_TRUE(some);
  EXPECT_EQ(bytes_of((*some)[0]), plain_digest(kCrcs[0], MadeUp(10)));
}

}  // namespace
}  // namespace millrace
