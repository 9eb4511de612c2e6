// What computing checksums (sum.cc) and checking lists of them (sum_check.cc) share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "millrace/digest.h"
#include "options.h"

namespace millrace::cli {

struct SumOptions {
  std::vector<std::string> algorithms;  // as given: names, each perhaps several with commas
  std::vector<std::string> files;
  ReportOptions report;
  bool recursive = false;
  bool check = false;
  bool ignore_missing = false;
  bool strict = false;
  bool tag = false;
  bool base64 = false;
  unsigned threads = 0;

  // The algorithms without repetition, in their order; none if none were given. Fails (usage) for an unknown one.
  std::vector<DigestAlgorithm> chosen() const;
};

struct FileSum {
  std::uint64_t bytes = 0;
  std::vector<DigestValue> values;
};
// sum_file digests one file, or standard input ("-"), in one pass.
FileSum sum_file(const std::string& name, std::span<const DigestAlgorithm> algorithms, const SumOptions& options);

// check_lists checks the files that the lists name, and returns the exit status.
int check_lists(const SumOptions& options);

}  // namespace millrace::cli
