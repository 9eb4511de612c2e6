#include "bench.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "failure.h"
#include "millrace/base64.h"
#include "options.h"
#include "stream/slab.h"
#include "verbs.h"

namespace millrace::cli {

namespace {

using namespace bench;

constexpr std::size_t kSizes[] = {64, 256, 4096, 64 << 10, 1 << 20, 16 << 20, 64 << 20};
constexpr std::size_t kQuickSizes[] = {64, 4096, 64 << 10};

struct BenchOptions {
  std::vector<std::string> only;
  std::vector<std::uint64_t> sizes;
  std::optional<unsigned> rounds;
  std::optional<double> seconds_per_cell;
  std::optional<std::uint64_t> file_size;
  std::string plot;
  bool force = false;
  bool quick = false;
  ReportOptions report;

  Pace pace() const {
    Pace pace;
    if (quick) {
      pace.sizes.assign(std::begin(kQuickSizes), std::end(kQuickSizes));
      pace.rounds = 3;
      pace.seconds_per_cell = 0.0002;
      pace.file_size = 4 << 20;
    } else {
      pace.sizes.assign(std::begin(kSizes), std::end(kSizes));
    }
    for (const std::uint64_t size : sizes) pace.sizes.push_back(static_cast<std::size_t>(size));
    std::sort(pace.sizes.begin(), pace.sizes.end());
    pace.sizes.erase(std::unique(pace.sizes.begin(), pace.sizes.end()), pace.sizes.end());
    pace.rounds = rounds.value_or(pace.rounds);
    pace.seconds_per_cell = seconds_per_cell.value_or(pace.seconds_per_cell);
    pace.file_size = file_size.value_or(pace.file_size);
    return pace;
  }

  // What to measure: the families of --only, or all of them.
  std::vector<std::string> chosen() const {
    std::vector<std::string_view> known = kernel_families();
    known.push_back(kFilesFamily);
    if (only.empty()) return {known.begin(), known.end()};
    for (const std::string& name : only) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      std::string names;
      for (const std::string_view family : known) names += fmt::format("{}{}", names.empty() ? "" : ", ", family);
      fail(kExitUsage, fmt::format("--only {}: not known; one of {}", name, names));
    }
    return only;
  }
};

// Work is the memory that contestants run on: large pages where the system has them, all touched beforehand.
class Work {
 public:
  explicit Work(std::size_t largest)
      : bytes_(Slab::acquire(largest)),
        text_(Slab::acquire(base64_encoded_size(largest))),
        out_(
            Slab::acquire(base64_encoded_size(largest) + 64)) {  // and room for a tag, and for a NUL of EVP_EncodeBlock
    std::uint64_t state = 1;
    for (std::byte& byte : bytes_.bytes()) {
      state = state * 6364136223846793005 + 1442695040888963407;  // Knuth's MMIX generator: cheap, not constant
      byte = static_cast<std::byte>(state >> 56);
    }
    const ByteSpan text = text_.bytes();
    base64_encode(bytes_.bytes(), {reinterpret_cast<char*>(text.data()), text.size()});
    std::memset(out_.bytes().data(), 0, out_.size());
  }
  Buffers buffers() const { return {bytes_.bytes(), as_text(text_.bytes()), out_.bytes()}; }

 private:
  Slab bytes_;
  Slab text_;
  Slab out_;
};

void print_progress(ProgressStyle style, std::string_view what) {
  if (style == ProgressStyle::kTerminal) write_stderr(fmt::format("\r\033[Kbench: {}", what));
  if (style == ProgressStyle::kLines) write_stderr(fmt::format("bench: {}\n", what));
}

void run_bench(const BenchOptions& options) {
  const std::vector<std::string> chosen = options.chosen();
  const bool files = std::find(chosen.begin(), chosen.end(), kFilesFamily) != chosen.end();
  const bool kernels = !files || chosen.size() > 1;
  std::optional<Output> plot;
  if (!options.plot.empty()) {
    if (options.plot == "-") fail(kExitUsage, "--plot -: standard output is for the table; give a file");
    if (!kernels) fail(kExitUsage, "--plot draws kernels, and --only names none");
    // Opened now: what cannot be written is not measured first.
    OutputOptions output;
    output.overwrite = options.force ? Overwrite::kYes : Overwrite::kNo;
    output.content = Content::kText;
    plot.emplace(options.plot, output, nullptr);
  }

  const ProgressStyle style = options.report.style();
  Results results;
  results.pace = options.pace();
  results.pace.tell_progress = [style](std::string_view what) { print_progress(style, what); };
  if (kernels) {
    const Work work(results.pace.sizes.back());
    results.rows = measure_kernels(contestants(chosen, work.buffers()), results.pace);
  }
  results.directory = file_directory();
  if (files) results.files = measure_files(results.pace, results.directory);
  if (style == ProgressStyle::kTerminal) write_stderr("\r\033[K");

  if (plot) {
    const std::unique_ptr<Sink> sink = plot->sink();
    check_or_fail(sink->write(as_bytes(svg_plot(results))), plot->name());
    check_or_fail(sink->finish(), plot->name());
    plot->commit();
  }
  fmt::print("{}", options.report.json ? json_report(results) : text_report(results));
}

}  // namespace

void add_bench(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("bench", "Measure what this machine gives");
  auto options = std::make_shared<BenchOptions>();
  verb->add_option("--only", options->only,
                   "what to measure, comma separated: crc32, crc32c, crc64nvme, base64-encode, "
                   "base64-decode, aes-256-gcm, aes-128-gcm, aes-256-ctr, sha256, files; default: all")
      ->type_name("FAMILY")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb->add_option("--size", options->sizes, "measure this size too: 1500, 32K, 8M; 16 bytes to 1G")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::uint64_t{16}, std::uint64_t{1} << 30))
      ->allow_extra_args(false);
  verb->add_option("--rounds", options->rounds, "rounds, whose median is shown; default 9")
      ->type_name("N")
      ->check(CLI::Range(1U, 1000U));
  verb->add_option("--seconds-per-cell", options->seconds_per_cell,
                   "time for one kernel at one size in one round; default 0.01")
      ->type_name("S")
      ->check(CLI::Range(0.0001, 10.0));
  verb->add_option("--file-size", options->file_size, "size of the file that is encrypted and summed; default 256M")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::uint64_t{4096}, std::uint64_t{1} << 40));
  verb->add_flag("--quick", options->quick, "few sizes and short rounds: shows that all runs, not how fast");
  verb->add_option("--plot", options->plot, "draw the kernels' throughput over size into FILE, an SVG")
      ->type_name("FILE")
      ->check(not_empty());
  verb->add_flag("--force,-f", options->force, "replace an existing FILE of --plot");
  options->report.add_to(*verb);
  verb->footer(
      "Peers are shown where they are installed: ISA-L, zlib, OpenSSL. Nothing else should run meanwhile.\n"
      "Example:\n  millrace bench\n  millrace bench --only crc32,aes-256-gcm --plot kernels.svg\n"
      "  millrace bench --only files --file-size 1G");
  verb->callback([options] { run_bench(*options); });
}

}  // namespace millrace::cli
