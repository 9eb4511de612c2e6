#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "checksum_list.h"
#include "failure.h"
#include "sum.h"

namespace millrace::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Checked {
  std::size_t good = 0;
  std::size_t mismatched = 0;
  std::size_t unreadable = 0;
  std::size_t missing = 0;
  std::size_t malformed = 0;

  std::size_t listed() const { return good + mismatched + unreadable + missing; }
  void add(const Checked& other) {
    good += other.good;
    mismatched += other.mismatched;
    unreadable += other.unreadable;
    missing += other.missing;
    malformed += other.malformed;
  }
};

// is_missing is true for what is certainly not there; what cannot be looked at is not missing.
bool is_missing(const std::string& name) {
  std::error_code error;
  return name != "-" && std::filesystem::status(name, error).type() == std::filesystem::file_type::not_found;
}

void check_line(const ListedChecksum& listed, const SumOptions& options, Checked& count, Json& results) {
  if (options.ignore_missing && is_missing(listed.name)) {
    ++count.missing;
    return;
  }
  std::string_view verdict = "OK";
  try {
    const FileSum sum = sum_file(listed.name, {&listed.algorithm, 1}, options);
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
  } else if (!options.report.quiet || verdict != "OK") {
    fmt::print("{}\n", format_verdict(listed.name, verdict));
  }
}

// read_lines calls `line` with each line of a list; lists may be long, but a line is a name and a checksum.
template <class Line>
void read_lines(const std::string& name, const Line& line) {
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

std::string counted(std::size_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

int check_list(const std::string& list, std::optional<DigestAlgorithm> given, const SumOptions& options, Checked& count,
               Json& results) {
  read_lines(list, [&](std::string_view line) {
    if (is_no_entry(line)) return;
    if (const auto listed = parse_line(line, given)) {
      check_line(*listed, options, count, results);
    } else {
      ++count.malformed;
    }
  });
  const std::string name = list == "-" ? "standard input" : list;
  if (count.listed() == 0) {
    fail(kExitNotAuthentic,
         fmt::format("{}: no checksum in it; a list has lines like `HEX  NAME` or `SHA256 (NAME) = HEX`", name));
  }
  const auto say = [&](const std::string& what) { warn(fmt::format("{}: {}", name, what)); };
  if (count.malformed > 0) say(counted(count.malformed, "line is not a checksum", "lines are not checksums"));
  if (count.unreadable > 0)
    say(counted(count.unreadable, "listed file could not be read", "listed files could not be read"));
  if (count.mismatched > 0) say(counted(count.mismatched, "checksum did NOT match", "checksums did NOT match"));
  if (count.mismatched > 0 || (options.strict && count.malformed > 0)) return kExitNotAuthentic;
  if (count.unreadable > 0) return kExitEnvironment;
  if (count.good == 0) fail(kExitEnvironment, fmt::format("{}: none of the listed files is there", name));
  return kExitDone;
}

}  // namespace

int check_lists(const SumOptions& options) {
  const std::vector<DigestAlgorithm> algorithms = options.chosen();
  if (algorithms.size() > 1) fail(kExitUsage, "-c takes one algorithm with -a, or none");
  const auto given = algorithms.empty() ? std::nullopt : std::optional(algorithms[0]);
  std::vector<std::string> lists = options.files;
  if (lists.empty()) lists.emplace_back("-");

  int status = kExitDone;
  Checked total;
  Json results = Json::array();
  for (const std::string& list : lists) {
    Checked count;
    try {
      status = std::max(status, check_list(list, given, options, count, results));
    } catch (const Failure& failure) {  // the other lists are checked all the same
      tell(failure.text);
      status = std::max(status, failure.exit);
    }
    total.add(count);
  }
  if (options.report.json) {
    const Json object = {{"files", results},           {"ok", total.good},
                         {"failed", total.mismatched}, {"unreadable", total.unreadable},
                         {"missing", total.missing},   {"malformed_lines", total.malformed}};
    fmt::print("{}\n", object.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  return status;
}

}  // namespace millrace::cli
