// Sources and sinks that do everything their contracts allow, and fail when they are told to.
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <limits>
#include <optional>
#include <string>

#include "base/check.h"
#include "millrace/stream.h"
#include "testing/bytes.h"

namespace millrace::testing {

inline constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

// How a TestSource hands out its bytes.
struct Supply {
  bool lends = false;             // views of its own memory, gone at the next call; else it fills the scratch
  std::size_t step = kUnlimited;  // at most this many bytes in one pull
  bool knows_length = false;
  std::optional<std::size_t> fail_at = {};  // the byte before which it fails, with EIO

  std::string text() const {
    return std::string(lends ? "lends" : "fills") + (knows_length ? ", known length" : "") +
           (step == kUnlimited ? "" : ", at most " + std::to_string(step)) +
           (fail_at ? ", fails at " + std::to_string(*fail_at) : "");
  }
};

// TestSource fails once and would go on afterwards: who pulls after an error has not kept it.
class TestSource final : public Source {
 public:
  TestSource(ByteView bytes, const Supply& supply) : bytes_(bytes), supply_(supply) {}

  Result<ByteView> pull(ByteSpan scratch) override {
    MR_CHECK(!scratch.empty());
    ++pulls_;
    if (failed_) pulled_after_error_ = true;
    if (ended_) pulled_after_end_ = true;
    largest_scratch_ = std::max(largest_scratch_, scratch.size());
    std::fill(lent_.begin(), lent_.end(), std::byte{0xee});
    std::size_t n = std::min({scratch.size(), supply_.step, bytes_.size() - done_});
    if (supply_.fail_at && !failed_) {
      if (done_ == *supply_.fail_at) {
        failed_ = true;
        return Error{ErrorCode::kIo, "test source", done_, EIO};
      }
      if (done_ < *supply_.fail_at) n = std::min(n, *supply_.fail_at - done_);
    }
    ended_ = n == 0;
    const ByteView part = bytes_.subspan(done_, n);
    done_ += n;
    if (!supply_.lends) {
      std::copy(part.begin(), part.end(), scratch.begin());
      return ByteView(scratch.first(n));
    }
    lent_ = to_bytes(part);
    return ByteView(lent_);
  }
  std::optional<std::uint64_t> remaining() const override {
    if (!supply_.knows_length) return std::nullopt;
    return bytes_.size() - done_;
  }

  std::size_t delivered() const { return done_; }
  std::size_t pulls() const { return pulls_; }
  std::size_t largest_scratch() const { return largest_scratch_; }
  bool ended() const { return ended_; }  // the end was seen
  bool pulled_after_error() const { return pulled_after_error_; }
  bool pulled_after_end() const { return pulled_after_end_; }

 private:
  ByteView bytes_;
  Supply supply_;
  Bytes lent_;
  std::size_t done_ = 0;
  std::size_t pulls_ = 0;
  std::size_t largest_scratch_ = 0;
  bool failed_ = false;
  bool ended_ = false;
  bool pulled_after_error_ = false;
  bool pulled_after_end_ = false;
};

// How a TestSink behaves. Its scratch is other memory at every call.
struct Demand {
  std::size_t scratch = 4096;
  std::optional<std::size_t> fail_at_write = {};  // counted from 0; with ENOSPC, once
};

class TestSink final : public Sink {
 public:
  explicit TestSink(const Demand& demand = {}) : demand_(demand) {}

  ByteSpan scratch() override {
    scratch_.assign(demand_.scratch, std::byte{0xdd});
    scratch_.shrink_to_fit();
    return scratch_;
  }
  Status write(ByteView bytes) override {
    if (failed_) written_after_error_ = true;
    largest_write_ = std::max(largest_write_, bytes.size());
    if (demand_.fail_at_write && writes_ == *demand_.fail_at_write && !failed_) {
      failed_ = true;
      return Error{ErrorCode::kIo, "test sink", bytes_.size(), ENOSPC};
    }
    ++writes_;
    append(bytes_, bytes);
    return Ok{};
  }
  Status finish() override {
    ++finishes_;
    return Ok{};
  }

  const Bytes& bytes() const { return bytes_; }
  std::size_t writes() const { return writes_; }
  std::size_t largest_write() const { return largest_write_; }
  std::size_t finishes() const { return finishes_; }
  bool written_after_error() const { return written_after_error_; }

 private:
  Demand demand_;
  Bytes scratch_;
  Bytes bytes_;
  std::size_t writes_ = 0;
  std::size_t largest_write_ = 0;
  std::size_t finishes_ = 0;
  bool failed_ = false;
  bool written_after_error_ = false;
};

// TestReadAt fails, with EIO, every read that touches byte `fail_at`.
class TestReadAt final : public ReadAt {
 public:
  explicit TestReadAt(ByteView bytes, std::optional<std::uint64_t> fail_at = {}) : bytes_(bytes), fail_at_(fail_at) {}
  Status read_at(std::uint64_t offset, ByteSpan dst) const override {
    MR_CHECK(offset <= bytes_.size() && dst.size() <= bytes_.size() - offset);
    if (fail_at_ && offset <= *fail_at_ && *fail_at_ < offset + dst.size()) {
      return Error{ErrorCode::kIo, "test read", offset, EIO};
    }
    const ByteView part = bytes_.subspan(offset, dst.size());
    std::copy(part.begin(), part.end(), dst.begin());
    return Ok{};
  }
  std::uint64_t size() const override { return bytes_.size(); }

 private:
  ByteView bytes_;
  std::optional<std::uint64_t> fail_at_;
};

// TestWriteAt takes writes to disjoint places of memory of a known size, and counts the bytes.
class TestWriteAt final : public WriteAt {
 public:
  explicit TestWriteAt(std::size_t size, std::optional<std::uint64_t> fail_at = {})
      : bytes_(size, std::byte{0xcc}), fail_at_(fail_at) {}
  Status write_at(std::uint64_t offset, ByteView src) const override {
    MR_CHECK(offset <= bytes_.size() && src.size() <= bytes_.size() - offset);
    if (fail_at_ && offset <= *fail_at_ && *fail_at_ < offset + src.size()) {
      return Error{ErrorCode::kIo, "test write", offset, ENOSPC};
    }
    std::copy(src.begin(), src.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
    written_.fetch_add(src.size());
    return Ok{};
  }
  const Bytes& bytes() const { return bytes_; }
  std::size_t written() const { return written_; }

 private:
  mutable Bytes bytes_;
  std::optional<std::uint64_t> fail_at_;
  mutable std::atomic<std::size_t> written_{0};
};

}  // namespace millrace::testing
