#include "failure.h"
#include "input_keys.h"
#include "options.h"
#include "transfer.h"
#include "verbs.h"

namespace millrace::cli {

namespace {

struct DecryptOptions {
  InputKeyOptions keys;
  TransferOptions transfer;
  ReportOptions report;
};

enum class Mode { kDecrypt, kVerify };

// Decrypting and verifying differ in where the plaintext goes: to the output, or nowhere.
void decrypt(const DecryptOptions& options, Mode mode) {
  options.transfer.check_against(options.keys.files());
  const InputKeys keys(options.keys);
  const bool writes = mode == Mode::kDecrypt;
  Transfer transfer(writes ? "decrypt" : "verify", options.transfer, options.report,
                    writes ? std::optional(Content::kText) : std::nullopt);
  const std::unique_ptr<Opening> opening = keys.open(transfer);

  if (opening->positional() && !writes) {
    transfer.or_fail(opening->verify(transfer.threads()));
  } else if (opening->positional() && transfer.positional_output()) {
    const WriteAt& out = transfer.write_at(transfer.or_fail(opening->plain_size()));
    transfer.or_fail(opening->open_at(out, transfer.threads()));
  } else {
    Source& plaintext = *transfer.or_fail(opening->open(transfer.threads()));
    if (writes) {
      transfer.pump_to_sink(plaintext);
    } else {
      NullSink nowhere;
      transfer.or_fail(pump(plaintext, nowhere));
    }
  }
  Report report = opening->report();
  report.output_bytes = writes ? report.bytes : 0;
  report.verified = true;
  transfer.finish(report);
}

CLI::App* add(CLI::App& app, const char* name, const char* description, Mode mode) {
  CLI::App* verb = app.add_subcommand(name, description);
  auto options = std::make_shared<DecryptOptions>();
  options->keys.add_to(*verb);
  options->transfer.add_to(*verb, mode == Mode::kDecrypt);
  options->report.add_to(*verb);
  verb->callback([options, mode] { decrypt(*options, mode); });
  return verb;
}

}  // namespace

void add_decrypt(CLI::App& app) {
  add(app, "decrypt", "Decrypt a file or a pipe; its format is detected", Mode::kDecrypt)
      ->footer(
          "Only verified bytes leave; a file appears when all of it is verified.\n"
          "A TDF file on a pipe goes, encrypted, through an unnamed file in $TMPDIR: its manifest is at its end.\n"
          "Example:\n  millrace decrypt --keyset keys.json -o backup.tar backup.tar.enc\n"
          "  millrace decrypt --keyset keys.json < srv.tar.enc | tar x\n"
          "  millrace decrypt --kas-private-key kas.pem -o backup.tar backup.tar.tdf");
}

void add_verify(CLI::App& app) {
  add(app, "verify", "Authenticate everything, write nothing", Mode::kVerify)
      ->footer(
          "Example:\n  millrace verify --keyset keys.json backup.tar.enc && echo intact\n"
          "  millrace verify --kas-private-key kas.pem backup.tar.tdf && echo intact");
}

}  // namespace millrace::cli
