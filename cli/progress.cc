#include "progress.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "failure.h"

namespace millrace::cli {

std::string size_text(double bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < std::size(kUnits)) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::min(seconds, 1e9) + 0.5);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

Progress::Progress(std::string verb, ProgressStyle style, std::optional<std::uint64_t> total)
    : verb_(std::move(verb)), style_(style), total_(total) {
  if (style_ != ProgressStyle::kNone) printer_ = std::thread([this] { print_until_stopped(); });
}

Progress::~Progress() { stop(); }

double Progress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Progress::stop() {
  if (!printer_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopping_.notify_all();
  printer_.join();
  if (printed_ && style_ == ProgressStyle::kTerminal) write_stderr("\r\033[K");
}

void Progress::print_until_stopped() {
  // Short jobs print nothing; lines come rarely enough for a log file.
  const auto interval = std::chrono::milliseconds(style_ == ProgressStyle::kTerminal ? 250 : 1000);
  std::unique_lock lock(mutex_);
  while (!stopping_.wait_for(lock, interval, [&] { return stop_; })) {
    const bool terminal = style_ == ProgressStyle::kTerminal;
    write_stderr(fmt::format("{}{}{}", terminal ? "\r\033[K" : "", line(), terminal ? "" : "\n"));
    printed_ = true;
  }
}

std::string Progress::line() const {
  const double done = static_cast<double>(count());
  const double elapsed = std::max(seconds(), 1e-9);
  const double rate = done / elapsed;
  if (!total_ || *total_ == 0) return fmt::format("{}: {}, {}/s", verb_, size_text(done), size_text(rate));
  const double total = static_cast<double>(*total_);
  const double left = rate > 0 ? (total - done) / rate : 0;
  return fmt::format("{}: {} of {} ({:.0f} %), {}/s, {} left", verb_, size_text(done), size_text(total),
                     100 * std::min(1.0, done / total), size_text(rate), duration_text(std::max(0.0, left)));
}

}  // namespace millrace::cli
