#include "sum.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "checksum_list.h"
#include "encoding/hex.h"
#include "failure.h"
#include "millrace/base64.h"
#include "verbs.h"

namespace millrace::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string known_algorithms() {
  std::string names;
  for (const DigestAlgorithm algorithm : digest_algorithms()) {
    names += names.empty() ? "one of " : ", ";
    names += digest_name(algorithm);
  }
  return names;
}

// add_tree adds the regular files below a directory in the order of their names; links are not followed. A directory
// that cannot be read is told, and the others are read all the same.
void add_tree(const std::string& root, std::vector<std::string>& files, bool& failed) {
  namespace fs = std::filesystem;
  const std::size_t first = files.size();
  const auto told = [&](const fs::path& path, const std::error_code& error) {
    tell(fmt::format("{}: {}", path.string(), error.message()));
    failed = true;
  };
  std::vector<fs::path> pending{root};
  while (!pending.empty()) {
    const fs::path directory = std::move(pending.back());
    pending.pop_back();
    std::error_code error;
    for (fs::directory_iterator it(directory, error); !error && it != fs::directory_iterator(); it.increment(error)) {
      std::error_code unknown;
      const fs::file_status status = it->symlink_status(unknown);
      if (unknown) told(it->path(), unknown);
      if (fs::is_directory(status)) pending.push_back(it->path());
      if (fs::is_regular_file(status)) files.push_back(it->path().string());
    }
    if (error) told(directory, error);
  }
  std::sort(files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
}

std::vector<std::string> files_of(const SumOptions& options, bool& failed) {
  std::vector<std::string> files;
  for (const std::string& name : options.files) {
    std::error_code error;
    if (name == "-" || !std::filesystem::is_directory(name, error)) {
      files.push_back(name);
    } else if (options.recursive) {
      add_tree(name, files, failed);
    } else {
      tell(fmt::format("{}: is a directory; -r sums the files in it", name));
      failed = true;
    }
  }
  if (options.files.empty()) files.emplace_back("-");
  return files;
}

int print_sums(const SumOptions& options) {
  std::vector<DigestAlgorithm> algorithms = options.chosen();
  if (algorithms.empty()) algorithms.push_back(DigestAlgorithm::kCrc64Nvme);
  bool failed = false;
  // With several algorithms a plain line would not say which one it is.
  const ListStyle style = options.tag || algorithms.size() > 1 ? ListStyle::kTagged : ListStyle::kPlain;
  const ValueStyle values = options.base64 ? ValueStyle::kBase64 : ValueStyle::kHex;
  Json list = Json::array();
  for (const std::string& name : files_of(options, failed)) {
    FileSum sum;
    try {
      sum = sum_file(name, algorithms, options);
    } catch (const Failure& failure) {  // the other files are summed all the same
      tell(failure.text);
      failed = true;
      if (options.report.json) list.push_back({{"name", name}, {"error", failure.text}});
      continue;
    }
    Json entry = {{"name", name}, {"bytes", sum.bytes}};
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
      const ByteView value = sum.values[i].view();
      if (options.report.json) {
        entry[std::string(digest_name(algorithms[i]))] = format_value(value, values);
      } else {
        fmt::print("{}\n", format_line(algorithms[i], value, name, style, values));
      }
    }
    if (options.report.json) list.push_back(std::move(entry));
  }
  if (options.report.json) {
    // A name that is not UTF-8 is shown as well as JSON can.
    const Json object = {{"files", list}};
    fmt::print("{}\n", object.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  return failed ? kExitEnvironment : kExitDone;
}

}  // namespace

std::vector<DigestAlgorithm> SumOptions::chosen() const {
  std::vector<DigestAlgorithm> result;
  for (const std::string& list : algorithms) {
    for (std::size_t start = 0; start <= list.size();) {
      const std::size_t end = std::min(list.find(',', start), list.size());
      const std::string name = list.substr(start, end - start);
      const auto algorithm = parse_digest_name(name);
      if (!algorithm) fail(kExitUsage, fmt::format("-a {}: not known; {}", name, known_algorithms()));
      if (std::find(result.begin(), result.end(), *algorithm) == result.end()) result.push_back(*algorithm);
      start = end + 1;
    }
  }
  return result;
}

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

void add_sum(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("sum", "Compute or check checksums");
  auto options = std::make_shared<SumOptions>();
  verb->add_option("FILE", options->files, "files; - or nothing: standard input")->check(not_empty());
  verb->add_option("--algorithm,-a", options->algorithms,
                   "which, comma separated: " + known_algorithms() + "; default crc64nvme")
      ->type_name("ALG")
      ->allow_extra_args(false);  // a FILE after it is no algorithm
  CLI::Option* recursive = verb->add_flag("--recursive,-r", options->recursive, "sum the regular files of directories");
  CLI::Option* tag = verb->add_flag("--tag", options->tag, "lines like SHA256 (NAME) = HEX");
  CLI::Option* base64 = verb->add_flag("--base64", options->base64, "base64 of the big-endian value, as S3 writes it");
  CLI::Option* check = verb->add_flag("--check,-c", options->check, "check the files that the FILEs list")
                           ->excludes(recursive)
                           ->excludes(tag)
                           ->excludes(base64);
  verb->add_flag("--ignore-missing", options->ignore_missing, "with -c: skip listed files that are not there")
      ->needs(check);
  verb->add_flag("--strict", options->strict, "with -c: exit status 3 for lines that are not checksums")->needs(check);
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
