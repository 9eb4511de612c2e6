#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "checksum_list.h"
#include "encoding/hex.h"
#include "failure.h"
#include "millrace/base64.h"
#include "options.h"
#include "verbs.h"

namespace millrace::cli {

namespace {

struct SumOptions {
  std::vector<std::string> algorithms;
  std::vector<std::string> files;
  ReportOptions report;
  bool recursive = false;
  bool check = false;
  bool ignore_missing = false;
  bool tag = false;
  bool base64 = false;
  unsigned threads = 0;

  std::vector<DigestAlgorithm> chosen() const {
    std::vector<DigestAlgorithm> result;
    for (const std::string& list : algorithms) {
      for (std::size_t start = 0; start <= list.size();) {
        const std::size_t end = std::min(list.find(',', start), list.size());
        const std::string name = list.substr(start, end - start);
        const auto algorithm = parse_digest_name(name);
        if (!algorithm) fail(kExitUsage, fmt::format("-a {}: unknown; {}", name, known()));
        if (std::find(result.begin(), result.end(), *algorithm) == result.end()) result.push_back(*algorithm);
        start = end + 1;
      }
    }
    return result;
  }

  static std::string known() {
    std::string names;
    for (const DigestAlgorithm algorithm : digest_algorithms()) {
      names += names.empty() ? "one of " : ", ";
      names += digest_name(algorithm);
    }
    return names;
  }
};

struct FileSum {
  std::uint64_t bytes = 0;
  std::vector<DigestValue> values;
};

// sum_file digests one file, or standard input, in one pass.
FileSum sum_file(const std::string& name, std::span<const DigestAlgorithm> algorithms, const SumOptions& options) {
  Input input(name);
  const bool positional = input.positional();
  Progress progress("sum", options.report.style(), positional ? std::optional(input.size()) : std::nullopt);
  FileSum result;
  if (positional) {
    const FileReadAt file = value_or_fail(FileReadAt::create(input.descriptor()), input.name());
    const CountingReadAt counted(file, progress);
    TransferOptions cores;
    cores.threads = options.threads;
    result.values = value_or_fail(digest_read_at(counted, algorithms, cores.thread_count()), input.name());
  } else {
    std::vector<Digest> digests;
    for (const DigestAlgorithm algorithm : algorithms) {
      digests.push_back(value_or_fail(Digest::create(algorithm), digest_name(algorithm)));
    }
    const std::unique_ptr<FileSource> source = input.source();
    CountingSource counted(*source, progress);
    DigestSource digesting(counted, digests);
    NullSink nowhere;
    value_or_fail(pump(digesting, nowhere), input.name());
    for (Digest& digest : digests) {
      DigestValue& value = result.values.emplace_back();
      value.size = digest.size();
      value_or_fail(digest.finish(value.bytes), digest_name(digest.algorithm()));
    }
  }
  input.check_unchanged();
  result.bytes = progress.count();
  return result;
}

// The regular files of a tree, in the order of their names; links are not followed.
void add_tree(const std::filesystem::path& root, std::vector<std::string>& files, bool& failed) {
  std::error_code error;
  std::filesystem::recursive_directory_iterator it(root, error);
  const std::size_t first = files.size();
  for (; !error && it != std::filesystem::recursive_directory_iterator(); it.increment(error)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored) && !it->is_symlink(ignored)) files.push_back(it->path().string());
  }
  if (error) {
    tell(fmt::format("{}: {}", root.string(), error.message()));
    failed = true;
  }
  std::sort(files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
}

std::string text_of(ByteView value, bool base64) { return base64 ? base64_encode(value) : hex_encode(value); }

int print_sums(const SumOptions& options) {
  std::vector<DigestAlgorithm> algorithms = options.chosen();
  if (algorithms.empty()) algorithms.push_back(DigestAlgorithm::kCrc64Nvme);
  bool failed = false;
  std::vector<std::string> files;
  for (const std::string& name : options.files) {
    std::error_code error;
    if (options.recursive && name != "-" && std::filesystem::is_directory(name, error)) {
      add_tree(name, files, failed);
    } else {
      files.push_back(name);
    }
  }
  if (options.files.empty()) files.emplace_back("-");

  // With several algorithms a plain line would not say which one it is.
  const ListStyle style = options.tag || algorithms.size() > 1 ? ListStyle::kTagged : ListStyle::kPlain;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::string& name : files) {
    FileSum sum;
    try {
      sum = sum_file(name, algorithms, options);
    } catch (const Failure& failure) {  // the other files are summed all the same
      tell(failure.text);
      failed = true;
      continue;
    }
    nlohmann::ordered_json entry = {{"name", name}, {"bytes", sum.bytes}};
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
      const ByteView value = sum.values[i].view();
      if (options.report.json) {
        entry[std::string(digest_name(algorithms[i]))] = text_of(value, options.base64);
      } else {
        fmt::print("{}\n", format_line(algorithms[i], value, name, style,
                                       options.base64 ? ValueStyle::kBase64 : ValueStyle::kHex));
      }
    }
    list.push_back(std::move(entry));
  }
  if (options.report.json) {
    // A name that is not UTF-8 is shown as well as JSON can.
    const nlohmann::ordered_json object = {{"files", list}};
    fmt::print("{}\n", object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  }
  return failed ? kExitEnvironment : kExitDone;
}

struct Checked {
  std::size_t good = 0, mismatched = 0, unreadable = 0, missing = 0, malformed = 0;
};

void check_line(const ListedChecksum& listed, const SumOptions& options, Checked& count,
                nlohmann::ordered_json& results) {
  std::error_code error;
  if (options.ignore_missing && listed.name != "-" && !std::filesystem::exists(listed.name, error)) {
    ++count.missing;
    return;
  }
  const char* verdict = "OK";
  try {
    const DigestAlgorithm algorithms[] = {listed.algorithm};
    const FileSum sum = sum_file(listed.name, algorithms, options);
    if (std::ranges::equal(sum.values[0].view(), listed.value)) {
      ++count.good;
    } else {
      ++count.mismatched;
      verdict = "FAILED";
    }
  } catch (const Failure& failure) {
    tell(failure.text);
    ++count.unreadable;
    verdict = "FAILED open or read";
  }
  if (options.report.json) {
    results.push_back({{"name", listed.name}, {"algorithm", digest_name(listed.algorithm)}, {"result", verdict}});
  } else if (!options.report.quiet || std::string_view(verdict) != "OK") {
    fmt::print("{}: {}\n", listed.name, verdict);
  }
}

// read_list calls `line` with each line of a list; lists may be long, but a line is a name and a checksum.
template <class Line>
void read_list(const std::string& name, const Line& line) {
  Input input(name);
  const std::unique_ptr<FileSource> source = input.source();
  constexpr std::size_t kLongestLine = 64 * 1024;
  std::string pending;
  std::vector<std::byte> buffer(64 * 1024);
  for (;;) {
    const ByteView bytes = value_or_fail(source->pull(buffer), input.name());
    if (bytes.empty()) break;
    std::string_view text = as_text(bytes);
    for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
      pending += text.substr(0, end);
      line(pending);
      pending.clear();
    }
    pending += text;
    if (pending.size() > kLongestLine)
      fail(kExitNotAuthentic, fmt::format("{}: not a list of checksums", input.name()));
  }
  if (!pending.empty()) line(pending);
}

int check_lists(const SumOptions& options) {
  const std::vector<DigestAlgorithm> algorithms = options.chosen();
  if (algorithms.size() > 1) fail(kExitUsage, "-c takes one algorithm with -a, or none");
  const auto given = algorithms.empty() ? std::nullopt : std::optional(algorithms[0]);
  Checked count;
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  std::vector<std::string> lists = options.files;
  if (lists.empty()) lists.emplace_back("-");
  for (const std::string& list : lists) {
    read_list(list, [&](std::string_view line) {
      if (line.empty() || line.front() == '#') return;
      if (const auto listed = parse_line(line, given)) {
        check_line(*listed, options, count, results);
      } else {
        ++count.malformed;
      }
    });
  }
  if (options.report.json) {
    const nlohmann::ordered_json object = {{"files", results},
                                           {"ok", count.good},
                                           {"failed", count.mismatched},
                                           {"unreadable", count.unreadable},
                                           {"malformed_lines", count.malformed}};
    fmt::print("{}\n", object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  }
  const std::size_t seen = count.good + count.mismatched + count.unreadable + count.missing;
  if (seen == 0)
    fail(kExitNotAuthentic, "no checksum lines found; a list has lines like `HEX  NAME` or `SHA256 (NAME) = HEX`");
  if (count.malformed > 0) warn(fmt::format("{} lines are not checksums", count.malformed));
  if (count.unreadable > 0) warn(fmt::format("{} listed files could not be read", count.unreadable));
  if (count.mismatched > 0) warn(fmt::format("{} checksums did NOT match", count.mismatched));
  if (count.mismatched > 0) return kExitNotAuthentic;
  if (count.unreadable > 0) return kExitEnvironment;
  if (count.good == 0) fail(kExitEnvironment, "no listed file was there to be checked");
  return kExitDone;
}

}  // namespace

void add_sum(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("sum", "Compute or check checksums");
  auto options = std::make_shared<SumOptions>();
  verb->add_option("FILE", options->files, "files; - or nothing: standard input");
  verb->add_option("--algorithm,-a", options->algorithms,
                   "which, comma separated: " + SumOptions::known() + "; default crc64nvme")
      ->type_name("ALG");
  verb->add_flag("--recursive,-r", options->recursive, "sum the regular files of directories");
  verb->add_flag("--check,-c", options->check, "check the files that the FILEs list");
  verb->add_flag("--ignore-missing", options->ignore_missing, "with -c: skip listed files that are not there");
  verb->add_flag("--tag", options->tag, "lines like SHA256 (NAME) = HEX");
  verb->add_flag("--base64", options->base64, "base64 of the big-endian value, as S3 writes it");
  verb->add_option("--threads", options->threads, "worker threads for CRCs; default: all cores")
      ->type_name("N")
      ->check(CLI::Range(1U, 1024U));
  options->report.add_to(*verb);
  verb->footer(
      "Several algorithms are computed in one pass. With -c, exit status 3 when a checksum does not match.\n"
      "Example:\n  millrace sum -a crc32,sha256 backup.tar\n  millrace sum -r -a sha256 /srv/data > list\n"
      "  millrace sum -c list");
  verb->callback([options] {
    const int status = options->check ? check_lists(*options) : print_sums(*options);
    if (status != kExitDone) throw Exit{status};
  });
}

}  // namespace millrace::cli
