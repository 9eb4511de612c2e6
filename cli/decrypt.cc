#include "failure.h"
#include "options.h"
#include "transfer.h"
#include "verbs.h"

namespace millrace::cli {

namespace {

struct DecryptOptions {
  KeyOptions keys;
  TransferOptions transfer;
  ReportOptions report;
};

enum class Mode { kDecrypt, kVerify };

// Decrypting and verifying differ in where the plaintext goes: to the output, or nowhere.
void decrypt(const DecryptOptions& options, Mode mode) {
  options.keys.check_against(options.transfer);
  const tink::StreamingAead aead = options.keys.streaming();
  const std::vector<std::byte> associated_data = options.keys.read_associated_data();
  const bool writes = mode == Mode::kDecrypt;
  Transfer transfer(writes ? "decrypt" : "verify", options.transfer, options.report,
                    writes ? std::optional(Content::kText) : std::nullopt);

  Report report;
  tink::StreamInfo info;
  if (transfer.read_at() != nullptr && (!writes || transfer.positional_output())) {
    const ReadAt& in = *transfer.read_at();
    std::uint64_t size = 0;
    if (writes) {
      // The end is opened first: a stream that was cut shows at once, and the size of the output is known.
      const auto found = aead.inspect(in, associated_data);
      if (!found) transfer.fail_input(found.error(), {});
      size = found->plain_size;
    }
    const auto done = writes ? aead.decrypt_at(in, transfer.write_at(size), associated_data, transfer.threads())
                             : aead.verify_at(in, associated_data, transfer.threads());
    if (!done) transfer.fail_input(done.error(), {});
    info = *done;
  } else {
    const auto opened =
        value_or_fail(aead.decrypt_source(transfer.source(), associated_data, transfer.threads()), "decrypt");
    if (writes) {
      transfer.pump_to_sink(*opened);
    } else {
      NullSink nowhere;
      if (const auto done = pump(*opened, nowhere); !done) transfer.fail_input(done.error(), {});
    }
    info = opened->info();
  }
  report.bytes = info.plain_size;
  report.output_bytes = writes ? info.plain_size : 0;
  report.segments = info.segments;
  report.key_id = info.key_id;
  report.verified = true;
  transfer.finish(report);
}

CLI::App* add(CLI::App& app, const char* name, const char* description, Mode mode) {
  CLI::App* verb = app.add_subcommand(name, description);
  auto options = std::make_shared<DecryptOptions>();
  options->keys.add_to(*verb, true);
  options->transfer.add_to(*verb, mode == Mode::kDecrypt);
  options->report.add_to(*verb);
  verb->callback([options, mode] { decrypt(*options, mode); });
  return verb;
}

}  // namespace

void add_decrypt(CLI::App& app) {
  add(app, "decrypt", "Decrypt a file or a pipe", Mode::kDecrypt)
      ->footer(
          "Only verified bytes leave; a file appears when all of it is verified.\n"
          "Example:\n  millrace decrypt --keyset keys.json -o backup.tar backup.tar.enc\n"
          "  millrace decrypt --keyset keys.json < srv.tar.enc | tar x");
}

void add_verify(CLI::App& app) {
  add(app, "verify", "Authenticate everything, write nothing", Mode::kVerify)
      ->footer("Example:\n  millrace verify --keyset keys.json backup.tar.enc && echo intact");
}

}  // namespace millrace::cli
