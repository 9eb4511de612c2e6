// What the cell programs share. A cell measures one thing in a process of its own: options in as NAME=VALUE arguments,
// one line of JSON out.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "allocations.h"
#include "millrace/bytes.h"
#include "millrace/result.h"

namespace millrace::bench {

// fail says why on stderr and ends the process; a cell has nobody to return an error to.
[[noreturn]] void fail(const std::string& what);

template <class T>
T must(Result<T> result) {
  if (!result) fail(describe(result.error()));
  return *std::move(result);
}

// Options are NAME=VALUE. A missing or malformed one, and one nobody asked for, ends the process.
class Options {
 public:
  Options(int argc, char** argv);
  std::string text(const std::string& name);
  std::uint64_t number(const std::string& name);
  double seconds(const std::string& name);
  // choice is the position of the value in `values`.
  std::size_t choice(const std::string& name, const std::vector<std::string>& values);
  // refuse_others is called when every option has been read.
  void refuse_others() const;

 private:
  std::map<std::string, std::string> given_;
};

// Block is a buffer of unspecified content in huge pages where the system has them, touched once: no cell measures the
// first touch of a page.
class Block {
 public:
  explicit Block(std::size_t size);
  Block(Block&& o) noexcept : data_(std::exchange(o.data_, nullptr)), size_(o.size_) {}
  ~Block();
  ByteSpan bytes() const { return {data_, size_}; }

 private:
  std::byte* data_;
  std::size_t size_;
};

// fill_random fills with bytes that no stage can shorten its work on.
void fill_random(ByteSpan bytes);

struct Measurement {
  double ns = 0;           // per operation
  double allocations = 0;  // per operation, steady state
  double bytes_allocated = 0;
};

void print(const Measurement& measurement);

// measure repeats `op` for about `seconds` after a warm-up, and then some more to count its allocations.
template <class Op>
Measurement measure(double seconds, Op&& op) {
  using Clock = std::chrono::steady_clock;
  const auto run = [&](std::uint64_t times) {
    const auto start = Clock::now();
    for (std::uint64_t i = 0; i < times; ++i) op();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  // Twice as often until a quarter of the time is spent: the warm-up, which also tells how often is long enough.
  std::uint64_t times = 1;
  double spent = run(times);
  while (spent < seconds / 4) {
    times *= 2;
    spent = run(times);
  }
  times = static_cast<std::uint64_t>(static_cast<double>(times) * seconds / spent) + 1;

  Measurement result;
  result.ns = run(times) * 1e9 / static_cast<double>(times);

  const std::uint64_t counted = times < 100 ? times : 100;
  start_counting();
  for (std::uint64_t i = 0; i < counted; ++i) op();
  const Allocations allocations = stop_counting();
  result.allocations = static_cast<double>(allocations.count) / static_cast<double>(counted);
  result.bytes_allocated = static_cast<double>(allocations.bytes) / static_cast<double>(counted);
  return result;
}

}  // namespace millrace::bench
