#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench.h"
#include "crypto/openssl_version.h"
#include "machine.h"

namespace millrace::cli::bench {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLineLength = 120;
constexpr std::size_t kNames = 28;  // the longest is " * x86-vpclmul512-crc32q"

// Three significant digits: 0.31, 4.25, 19.6, 112.
std::string gb(double bytes_per_second) {
  const double rate = bytes_per_second / 1e9;
  return rate >= 100  ? fmt::format("{:.0f}", rate)
         : rate >= 10 ? fmt::format("{:.1f}", rate)
                      : fmt::format("{:.2f}", rate);
}

std::string_view mark_of(Contestant::Kind kind) {
  switch (kind) {
    case Contestant::Kind::kInUse:
      return "*";
    case Contestant::Kind::kPeer:
      return "-";
    case Contestant::Kind::kMillrace:
      return " ";
  }
  return " ";
}

// kernel_table prints the columns [from, to) of the sizes, each `width` wide.
std::string kernel_table(const Results& results, std::size_t from, std::size_t to, std::size_t width) {
  std::string text = fmt::format("{:<{}}", "", kNames);
  for (std::size_t i = from; i < to; ++i) text += fmt::format("{:>{}}", size_label(results.pace.sizes[i]), width);
  text += '\n';
  std::string_view family = "memcpy";  // its row is its heading
  for (const Row& row : results.rows) {
    if (row.family != family) text += fmt::format("{}\n", family = row.family);
    text += row.family == "memcpy" ? fmt::format("{:<{}}", row.name, kNames)
                                   : fmt::format(" {} {:<{}}", mark_of(row.kind), row.name, kNames - 3);
    for (std::size_t i = from; i < to; ++i) text += fmt::format("{:>{}}", gb(row.rates[i].median), width);
    text += '\n';
  }
  return text;
}

std::string file_table(const Results& results) {
  std::string text =
      fmt::format("\nA file of {} in {}, in the page cache, GB/s. The bound is its parts, one after the other.\n",
                  size_label(results.pace.file_size), results.directory);
  text += fmt::format("{:<20}{:>10}{:>10}{:>10}{:>10}  {}\n", "", "threads", "rate", "bound", "of it", "bound by");
  for (const FileRow& row : results.files) {
    text += fmt::format("{:<20}{:>10}{:>10}", row.operation, row.threads, gb(row.rate.median));
    if (row.bound_rate > 0) {
      text +=
          fmt::format("{:>10}{:>8.0f} %  {}", gb(row.bound_rate), 100 * row.rate.median / row.bound_rate, row.bound);
    }
    text += '\n';
  }
  return text;
}

// noise_note says how many cells had a round far below their median: then something else was running.
std::string noise_note(const Results& results) {
  std::size_t cells = 0;
  std::size_t noisy = 0;
  const auto look = [&](const Spread& rate) {
    ++cells;
    if (rate.lowest < 0.7 * rate.median) ++noisy;
  };
  for (const Row& row : results.rows) std::for_each(row.rates.begin(), row.rates.end(), look);
  for (const FileRow& row : results.files) look(row.rate);
  if (noisy * 10 <= cells) return {};
  return fmt::format("\nNot quiet: {} of {} cells had a round below 0.7 of their median. Something else was running.\n",
                     noisy, cells);
}

Json json_of(const Spread& spread) {
  return {{"bytes_per_second", spread.median}, {"lowest", spread.lowest}, {"highest", spread.highest}};
}

}  // namespace

std::string size_label(std::uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && bytes % 1024 == 0 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
  return fmt::format("{} {}", bytes, kUnits[unit]);
}

std::string text_report(const Results& results) {
  std::string text = fmt::format("millrace {} on {}, {} cores, {}\n", MILLRACE_VERSION, cpu_model(),
                                 std::thread::hardware_concurrency(), openssl_version());
  std::string line = "in use:";
  for (const KernelInUse& used : kernels_in_use()) {
    const std::string part = fmt::format(" {} {},", used.family, used.kernel);
    if (line.size() + part.size() > kLineLength) {
      text += line + '\n';
      line = "       ";
    }
    line += part;
  }
  line.back() = '\n';
  text += line;
  if (!results.rows.empty()) {
    text += fmt::format(
        "\nOne core, GB/s (10^9 bytes of payload a second), median of {} rounds. * in use here, - of others\n",
        results.pace.rounds);
    std::size_t width = 10;
    for (const std::size_t size : results.pace.sizes) width = std::max(width, size_label(size).size() + 2);
    const std::size_t columns = (kLineLength - kNames) / width;
    for (std::size_t from = 0; from < results.pace.sizes.size(); from += columns)
      text += kernel_table(results, from, std::min(from + columns, results.pace.sizes.size()), width);
  }
  if (!results.files.empty()) text += file_table(results);
  return text + noise_note(results);
}

std::string json_report(const Results& results) {
  Json used = Json::object();
  for (const KernelInUse& kernel : kernels_in_use()) used[std::string(kernel.family)] = kernel.kernel;
  Json kernels = Json::array();
  for (const Row& row : results.rows) {
    Json rates = Json::array();
    for (std::size_t i = 0; i < row.rates.size(); ++i) {
      Json rate = {{"size", results.pace.sizes[i]}};
      rate.update(json_of(row.rates[i]));
      rates.push_back(std::move(rate));
    }
    kernels.push_back({{"family", row.family},
                       {"kernel", row.name},
                       {"peer", row.kind == Contestant::Kind::kPeer},
                       {"in_use", row.kind == Contestant::Kind::kInUse},
                       {"rates", rates}});
  }
  Json files = Json::array();
  for (const FileRow& row : results.files) {
    Json entry = {{"operation", row.operation}, {"threads", row.threads}, {"bytes", results.pace.file_size}};
    entry.update(json_of(row.rate));
    if (row.bound_rate > 0) {
      entry["bound"] = row.bound;
      entry["bound_bytes_per_second"] = row.bound_rate;
    }
    files.push_back(std::move(entry));
  }
  const Json object = {{"version", MILLRACE_VERSION},
                       {"cpu", cpu_model()},
                       {"cores", std::thread::hardware_concurrency()},
                       {"openssl", openssl_version()},
                       {"in_use", used},
                       {"rounds", results.pace.rounds},
                       {"seconds_per_cell", results.pace.seconds_per_cell},
                       {"kernels", kernels},
                       {"directory", results.directory},
                       {"files", files}};
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace millrace::cli::bench
