#include "inspect.h"

#include <fmt/core.h>

#include "failure.h"
#include "input_keys.h"
#include "verbs.h"

namespace millrace::cli {

namespace {

struct InspectOptions {
  InputKeyOptions keys;
  std::string input;
  bool json = false;
};

void inspect(const InspectOptions& options) {
  TransferOptions transfer_options;
  transfer_options.input = options.input;
  transfer_options.check_against(options.keys.files());
  ReportOptions silent;
  silent.quiet = true;
  Transfer transfer("inspect", transfer_options, silent, std::nullopt);
  const InputFormat format = input_format(transfer);
  options.keys.refuse_others(format, transfer);
  if (format == InputFormat::kTdf) {
    inspect_tdf(transfer, options.keys.tdf, options.json);
  } else {
    inspect_tink(transfer, options.keys.tink, options.json);
  }
}

}  // namespace

void add_inspect(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("inspect", "Show the layout of an encrypted file; needs no key");
  auto options = std::make_shared<InspectOptions>();
  verb->add_option("IN", options->input, "input file; - or nothing: standard input")->check(not_empty());
  options->keys.add_to(*verb);
  verb->add_flag("--json", options->json, "print a JSON object");
  verb->footer(
      "Example:\n  millrace inspect backup.tar.enc\n  millrace inspect --keyset keys.json --json backup.tar.enc\n"
      "  millrace inspect --kas-private-key kas.pem backup.tar.tdf");
  verb->callback([options] { inspect(*options); });
}

}  // namespace millrace::cli
