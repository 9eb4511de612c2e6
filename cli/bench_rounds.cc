// How bench measures. A machine drifts: clocks change, neighbours come and go. So the contestants of one size take
// turns, round after round, and the median of a contestant's rounds is shown; what was slow for a moment was slow for
// one round of each. Every second round runs backwards, so that nobody always follows the same neighbour's caches.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "bench.h"

namespace millrace::cli::bench {

namespace {

using Clock = std::chrono::steady_clock;

template <class Run>
double seconds_of(const Run& run) {
  const Clock::time_point start = Clock::now();
  run();
  return std::max(std::chrono::duration<double>(Clock::now() - start).count(), 1e-9);
}

// calibrate finds how many calls take about `seconds`; it warms caches and branch predictors on the way.
std::uint64_t calibrate(const Contestant& contestant, std::size_t size, double seconds) {
  for (std::uint64_t times = 1;; times *= 4) {
    const double took = seconds_of([&] { contestant.run(size, times); });
    if (took >= seconds / 8)
      return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(times) * seconds / took + 0.5));
  }
}

// in_turns calls visit(i) for 0..n-1, in the other direction in every second round.
template <class Visit>
void in_turns(std::size_t n, unsigned round, const Visit& visit) {
  for (std::size_t i = 0; i < n; ++i) visit(round % 2 == 0 ? i : n - 1 - i);
}

}  // namespace

Spread spread_of(std::vector<double> rates) {
  if (rates.empty()) return {};
  std::sort(rates.begin(), rates.end());
  const std::size_t n = rates.size();
  return {(rates[(n - 1) / 2] + rates[n / 2]) / 2, rates.front(), rates.back()};
}

std::vector<Row> measure_kernels(const std::vector<Contestant>& list, const Pace& pace) {
  std::vector<Row> rows;
  for (const Contestant& contestant : list) rows.push_back({contestant.family, contestant.name, contestant.kind, {}});
  for (const std::size_t size : pace.sizes) {
    std::vector<std::uint64_t> times;
    for (const Contestant& contestant : list) {
      pace.tell_progress(fmt::format("{}: {} {}", size_label(size), contestant.family, contestant.name));
      times.push_back(calibrate(contestant, size, pace.seconds_per_cell));
    }
    std::vector<std::vector<double>> rates(list.size());
    for (unsigned round = 0; round < pace.rounds; ++round) {
      pace.tell_progress(fmt::format("{}: round {} of {}", size_label(size), round + 1, pace.rounds));
      in_turns(list.size(), round, [&](std::size_t i) {
        std::size_t bytes = 0;
        const double took = seconds_of([&] { bytes = list[i].run(size, times[i]); });
        rates[i].push_back(static_cast<double>(bytes) * static_cast<double>(times[i]) / took);
      });
    }
    for (std::size_t i = 0; i < list.size(); ++i) rows[i].rates.push_back(spread_of(std::move(rates[i])));
  }
  return rows;
}

std::vector<Spread> measure_rounds(const std::vector<Timed>& list, const Pace& pace) {
  std::vector<std::vector<double>> rates(list.size());
  for (unsigned round = 0; round <= pace.rounds; ++round) {
    in_turns(list.size(), round, [&](std::size_t i) {
      pace.tell_progress(fmt::format("files: {}, round {} of {}", list[i].name, round, pace.rounds));
      const double took = seconds_of(list[i].run);
      if (round > 0) rates[i].push_back(static_cast<double>(list[i].bytes) / took);  // the first one warms up
    });
  }
  std::vector<Spread> spreads;
  for (std::vector<double>& of_one : rates) spreads.push_back(spread_of(std::move(of_one)));
  return spreads;
}

}  // namespace millrace::cli::bench
