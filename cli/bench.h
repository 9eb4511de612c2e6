// bench: the parts of the verb, each in the file of its name.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/bytes.h"

namespace millrace::cli::bench {

// Spread is what the rounds of one cell gave, in bytes (of payload) a second.
struct Spread {
  double median = 0;
  double lowest = 0;
  double highest = 0;
};
Spread spread_of(std::vector<double> rates);

// Contestant is one implementation of one family.
struct Contestant {
  std::string family;  // "crc32"
  std::string name;    // "x86-vpclmul512"
  enum class Kind : std::uint8_t { kMillrace, kInUse, kPeer } kind = Kind::kMillrace;
  // run calls it `times` times for a payload of `size` bytes and returns the bytes of one call: base64 works on whole
  // groups of three.
  std::function<std::size_t(std::size_t size, std::uint64_t times)> run;
};

// Row is a contestant with its rates, one for each size.
struct Row {
  std::string family;
  std::string name;
  Contestant::Kind kind;
  std::vector<Spread> rates;
};

// Pace says how much is measured.
struct Pace {
  std::vector<std::size_t> sizes;  // ascending
  unsigned rounds = 9;
  double seconds_per_cell = 0.01;
  std::uint64_t file_size = 256 << 20;
  std::function<void(std::string_view)> tell_progress;
};

// --- bench_kernels.cc, bench_peers.cc: who runs

// kernel_families are the names that --only takes, in their order.
std::vector<std::string_view> kernel_families();
inline constexpr std::string_view kFilesFamily = "files";  // end to end

// Buffers are what contestants work on: random bytes, their base64 text, and room for results.
struct Buffers {
  ByteView bytes;
  std::string_view text;
  ByteSpan out;
};
// contestants lists memcpy, then those of the families chosen that run here, then their peers that are installed.
std::vector<Contestant> contestants(const std::vector<std::string>& families, Buffers buffers);
// add_peers appends the peers of a family: libraries that are found when the command runs, never linked.
void add_peers(std::string_view family, Buffers buffers, std::vector<Contestant>& list);

// keep makes the compiler believe that a result is used and that memory was looked at.
template <class T>
void keep(const T& value) {
  __asm__ volatile("" : : "r"(&value) : "memory");
}
// repeated makes a run of a call for one size; `bytes_of` tells how many bytes it takes of that size.
template <class Call>
auto repeated(Call call, std::size_t granule = 1) {
  return [call, granule](std::size_t size, std::uint64_t times) {
    const std::size_t bytes = size - size % granule;
    for (std::uint64_t i = 0; i < times; ++i) keep(call(bytes));
    return bytes;
  };
}

// --- bench_rounds.cc: how it is measured

// measure_kernels runs every contestant at every size in interleaved rounds.
std::vector<Row> measure_kernels(const std::vector<Contestant>& list, const Pace& pace);

// Timed is one thing to be measured in rounds with others: `run` does all of `bytes` once.
struct Timed {
  std::string name;
  std::uint64_t bytes;
  std::function<void()> run;
};
std::vector<Spread> measure_rounds(const std::vector<Timed>& list, const Pace& pace);

// --- bench_files.cc: end to end

// file_directory is where the file lies: TMPDIR, or /tmp.
std::string file_directory();

struct FileRow {
  std::string operation;  // "encrypt"
  unsigned threads;
  Spread rate;
  std::string bound;  // the parts that follow one another on each core: "read + write + seal"
  double bound_rate;
};
std::vector<FileRow> measure_files(const Pace& pace, const std::string& directory);

// --- bench_report.cc, bench_plot.cc: what is shown

struct Results {
  Pace pace;
  std::vector<Row> rows;
  std::vector<FileRow> files;
  std::string directory;  // of the file
};
std::string text_report(const Results& results);
std::string json_report(const Results& results);
// svg_plot draws throughput over size, one panel for each family and one line for each contestant.
std::string svg_plot(const Results& results);

// size_label is short and exact: "64 B", "4 KiB", "1000 B".
std::string size_label(std::uint64_t bytes);

}  // namespace millrace::cli::bench
