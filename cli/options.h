// Options that several verbs share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files.h"
#include "millrace/tink.h"
#include "progress.h"

namespace millrace::cli {

struct TransferOptions;

// Which keyset, and what goes with it.
struct KeyOptions {
  std::string keyset;  // FILE, fd:N or env:NAME
  std::string kek;     // likewise: the keyset that encrypts the keyset
  std::string kek_associated_data;
  std::string associated_data;
  std::string associated_data_file;

  // add_to adds the options; what the verb cannot do without is checked when it runs.
  void add_to(CLI::App& verb);
  void add_kek_to(CLI::App& verb);

  // The keyset in the clear. Fails with a hint if it is encrypted and there is no --kek.
  tink::Keyset load() const;
  tink::StreamingAead streaming() const;
  // files lists what these options read.
  std::vector<std::string> files() const { return {keyset, kek, associated_data_file}; }
  // The associated data, from the text or the file.
  std::vector<std::byte> read_associated_data() const;
};

// How a verb talks about its work.
struct ReportOptions {
  bool quiet = false;
  bool json = false;
  std::string progress = "auto";

  void add_to(CLI::App& verb);
  ProgressStyle style() const;
};

struct TransferOptions {
  std::string input;  // "" and "-": standard input
  std::string output;
  std::string producer;
  bool force = false;
  bool sync = false;
  unsigned threads = 0;  // 0: all cores

  void add_to(CLI::App& verb, bool with_output);
  unsigned thread_count() const;
  // check_against refuses standard input for two things, and an output over one of the `files` that are read.
  void check_against(const std::vector<std::string>& files) const;
  OutputOptions output_options(Content content) const;
};

// not_empty refuses an empty argument: an unset variable of a script, not a wish for standard input.
CLI::Validator not_empty();

// What a verb has done, for --json and for the last line on stderr.
struct Report {
  std::string operation;
  std::uint64_t bytes = 0;         // plaintext
  std::uint64_t output_bytes = 0;  // written
  std::uint64_t segments = 0;
  std::optional<std::uint32_t> key_id = 0;  // of a Tink key
  std::string kid;                          // of a TDF key; shown instead
  std::string mime_type;                    // that was written; empty: no such thing
  bool verified = false;
  double seconds = 0;
};
// print_report prints the JSON object, on stdout unless the data went there, or a line on stderr if it is a terminal.
void print_report(const Report& report, const ReportOptions& options, bool data_on_stdout);

// read_keyset reads a keyset from FILE, fd:N or env:NAME. A cleartext one in a file that others may read is warned
// about.
SecretBytes read_keyset(const std::string& where);
// parse_keyset reads a keyset in any form; `kek` as in KeyOptions.
tink::Keyset parse_keyset(const std::string& name, ByteView bytes, const std::string& kek,
                          const std::string& kek_associated_data);
tink::AesGcmKeyWrapper load_kek(const std::string& kek);

// A range of bytes as in HTTP: A-B (inclusive), A-, -N (the last N).
struct ByteRange {
  std::optional<std::uint64_t> first;  // absent: the last `last` bytes
  std::optional<std::uint64_t> last;
  // resolve gives [from, to) for a plaintext of `size` bytes, or fails (usage) when the range lies outside it.
  void resolve(std::uint64_t size, std::uint64_t& from, std::uint64_t& to) const;
};
ByteRange parse_range(const std::string& text);

}  // namespace millrace::cli
