#include "failure.h"
#include "options.h"
#include "transfer.h"
#include "verbs.h"

namespace millrace::cli {

namespace {

struct EncryptOptions {
  KeyOptions keys;
  TransferOptions transfer;
  ReportOptions report;
};

void encrypt(const EncryptOptions& options) {
  options.keys.check_against(options.transfer);
  const tink::StreamingAead aead = options.keys.streaming();
  const std::vector<std::byte> associated_data = options.keys.read_associated_data();
  Transfer transfer("encrypt", options.transfer, options.report, Content::kBinary);

  Report report;
  tink::StreamInfo info;
  if (transfer.read_at() != nullptr && transfer.positional_output()) {
    const std::uint64_t size = value_or_fail(aead.encrypted_size(transfer.read_at()->size()), transfer.input_name());
    const auto done =
        aead.encrypt_at(*transfer.read_at(), transfer.write_at(size), associated_data, transfer.threads());
    if (!done) transfer.fail_input(done.error(), {});
    info = *done;
    report.output_bytes = size;
  } else {
    const auto sealed =
        value_or_fail(aead.encrypt_source(transfer.source(), associated_data, transfer.threads()), "encrypt");
    if (transfer.positional_output() && sealed->remaining()) transfer.reserve(*sealed->remaining());
    report.output_bytes = transfer.pump_to_sink(*sealed);
    info = sealed->info();
  }
  report.bytes = info.plain_size;
  report.segments = info.segments;
  report.key_id = info.key_id;
  transfer.finish(report);
}

}  // namespace

void add_encrypt(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("encrypt", "Encrypt a file or a pipe with a Tink keyset");
  auto options = std::make_shared<EncryptOptions>();
  options->keys.add_to(*verb, true);
  options->transfer.add_to(*verb, true);
  options->report.add_to(*verb);
  verb->footer(
      "Example:\n  millrace encrypt --keyset keys.json -o backup.tar.enc backup.tar\n"
      "  tar c /srv | millrace encrypt --keyset keys.json > srv.tar.enc\n"
      "  millrace encrypt --keyset keys.json --producer 'pg_dump shop' -o shop.enc");
  verb->callback([options] { encrypt(*options); });
}

}  // namespace millrace::cli
