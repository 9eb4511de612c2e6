// Progress on stderr: bytes, rate, time left.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "millrace/stream.h"

namespace millrace::cli {

enum class ProgressStyle { kNone, kTerminal, kLines };

// Progress prints while it lives, from a thread of its own, and never on the byte path.
class Progress {
 public:
  // `total` is what count() will reach, if known.
  Progress(std::string verb, ProgressStyle style, std::optional<std::uint64_t> total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void add(std::uint64_t bytes) { count_.fetch_add(bytes, std::memory_order_relaxed); }
  std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }
  double seconds() const;
  // stop ends the printing and leaves the terminal's line clean.
  void stop();

 private:
  void print_until_stopped();
  std::string line() const;

  const std::string verb_;
  const ProgressStyle style_;
  const std::optional<std::uint64_t> total_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<std::uint64_t> count_{0};
  std::mutex mutex_;
  std::condition_variable stopping_;
  bool stop_ = false;
  bool printed_ = false;
  std::thread printer_;
};

// CountingSource and CountingReadAt pass bytes through and count them.
class CountingSource final : public Source {
 public:
  CountingSource(Source& inner, Progress& progress) : inner_(inner), progress_(progress) {}
  Result<ByteView> pull(ByteSpan scratch) override {
    MR_TRY(const ByteView bytes, inner_.pull(scratch));
    progress_.add(bytes.size());
    return bytes;
  }
  std::optional<std::uint64_t> remaining() const override { return inner_.remaining(); }

 private:
  Source& inner_;
  Progress& progress_;
};

class CountingReadAt final : public ReadAt {
 public:
  CountingReadAt(const ReadAt& inner, Progress& progress) : inner_(inner), progress_(progress) {}
  Status read_at(std::uint64_t offset, ByteSpan dst) const override {
    MR_TRY(inner_.read_at(offset, dst));
    progress_.add(dst.size());
    return Ok{};
  }
  std::uint64_t size() const override { return inner_.size(); }

 private:
  const ReadAt& inner_;
  Progress& progress_;
};

// size_text prints "1.5 GiB"; duration_text "1:02" or "1:00:02".
std::string size_text(double bytes);
std::string duration_text(double seconds);

}  // namespace millrace::cli
