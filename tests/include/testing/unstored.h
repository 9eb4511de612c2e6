// Input and output that are nowhere in memory, for tests that measure memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

#include "millrace/stream.h"

namespace millrace::testing {

// Zeros makes its bytes where they are asked for.
class Zeros final : public Source, public ReadAt {
 public:
  explicit Zeros(std::uint64_t size, bool knows_length = true) : size_(size), knows_(knows_length) {}
  Result<ByteView> pull(ByteSpan scratch) override {
    const ByteSpan part = scratch.first(static_cast<std::size_t>(std::min<std::uint64_t>(left_, scratch.size())));
    std::fill(part.begin(), part.end(), std::byte{0});
    left_ -= part.size();
    return ByteView(part);
  }
  std::optional<std::uint64_t> remaining() const override {
    return knows_ ? std::optional<std::uint64_t>(left_) : std::nullopt;
  }
  Status read_at(std::uint64_t, ByteSpan dst) const override {
    std::fill(dst.begin(), dst.end(), std::byte{0});
    return Ok{};
  }
  std::uint64_t size() const override { return size_; }

 private:
  std::uint64_t size_;
  bool knows_;
  std::uint64_t left_ = size_;
};

class CountingWriteAt final : public WriteAt {
 public:
  Status write_at(std::uint64_t, ByteView src) const override {
    count_ += src.size();
    return Ok{};
  }
  std::uint64_t count() const { return count_; }

 private:
  mutable std::atomic<std::uint64_t> count_{0};
};

}  // namespace millrace::testing
