// The options of TDF files, and what they become.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/tdf.h"

namespace millrace::cli {

// KeyName is "[KID=]FILE", where FILE may be fd:N or env:NAME. What stands before the first "=" is a kid unless it
// holds a slash; a file "a=b" is "./a=b".
struct KeyName {
  std::string kid;
  std::string file;
  static KeyName parse(const std::string& text);
};

// How a TDF file is written.
struct TdfWriteOptions {
  bool chosen = false;  // --tdf
  std::vector<std::string> public_keys;
  std::vector<std::string> urls;
  std::vector<std::string> kids;
  std::string split = "all";
  std::vector<std::string> attributes;
  std::string policy_file;
  std::string mime_type;
  std::optional<std::uint64_t> segment_size;
  std::string segment_hash = "GMAC";
  std::string target_mode = "4.3.0";
  std::string metadata;
  std::string metadata_file;
  std::string assertions;  // JSON or FILE
  bool system_metadata = false;
  std::uint64_t max_manifest_size = tdf::WriterOptions{}.max_manifest_size;

  void add_to(CLI::App& verb);
  // load reads all the files and checks what can be checked. The MIME type stays empty when none was given.
  tdf::WriterOptions load() const;
  std::vector<std::string> files() const;

 private:
  std::vector<tdf::KasTarget> load_targets() const;
};

// How TDF files are opened.
struct TdfKeyOptions {
  std::vector<std::string> private_keys;
  std::string verification_keys;
  bool no_verify_assertions = false;
  tdf::ManifestLimits limits;

  void add_to(CLI::App& verb);
  std::vector<std::string> files() const;
};

// TdfKeys is what TDF files are opened with, loaded.
class TdfKeys {
 public:
  explicit TdfKeys(const TdfKeyOptions& options);
  const tdf::KeyAccess& access() const { return access_; }
  // The options borrow from this.
  tdf::ReaderOptions reader_options() const;

 private:
  tdf::LocalKeyAccess access_;
  std::optional<tdf::AssertionKeys> assertion_keys_;
  tdf::ManifestLimits limits_;
  bool verify_assertions_;
};

}  // namespace millrace::cli
