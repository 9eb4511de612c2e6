#include <fmt/core.h>

#include "failure.h"
#include "options.h"
#include "sealing.h"
#include "tdf_format.h"
#include "tink_format.h"
#include "transfer.h"
#include "verbs.h"

namespace millrace::cli {

namespace {

struct EncryptOptions {
  KeyOptions keys;
  TdfWriteOptions tdf;
  TransferOptions transfer;
  ReportOptions report;
};

std::unique_ptr<Sealing> sealing_of(const EncryptOptions& options) {
  if (options.tdf.chosen) return seal_tdf(options.tdf);
  if (options.keys.keyset.empty())
    fail(kExitUsage,
         "for whom? give --keyset FILE for a Tink stream, or --tdf and --kas-public-key FILE for a TDF file");
  return seal_tink(options.keys);
}

void encrypt(const EncryptOptions& options) {
  options.transfer.check_against(options.tdf.chosen ? options.tdf.files() : options.keys.files());
  std::unique_ptr<Sealing> loaded = sealing_of(options);
  Transfer transfer("encrypt", options.transfer, options.report, Content::kBinary);
  const std::unique_ptr<Sealing> sealing = std::move(loaded);  // threads of it may read the input, so it ends first
  sealing->begin(transfer);

  std::uint64_t written = 0;
  if (transfer.read_at() != nullptr && transfer.positional_output()) {
    written = transfer.or_fail(sealing->sealed_size(transfer.read_at()->size()));
    transfer.or_fail(sealing->seal_at(*transfer.read_at(), transfer.write_at(written), transfer.threads()));
  } else {
    Source& sealed = *transfer.or_fail(sealing->seal(transfer.source(), transfer.threads()));
    if (transfer.positional_output() && sealed.remaining()) transfer.reserve(*sealed.remaining());
    written = transfer.pump_to_sink(sealed);
  }
  Report report = sealing->report();
  report.output_bytes = written;
  transfer.finish(report, sealing->note());
}

}  // namespace

void add_encrypt(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("encrypt", "Encrypt a file or a pipe with a Tink keyset, or as a TDF file");
  auto options = std::make_shared<EncryptOptions>();
  options->keys.add_to(*verb);
  options->tdf.add_to(*verb);
  options->transfer.add_to(*verb, true);
  options->report.add_to(*verb);
  verb->footer(
      "Example:\n  millrace encrypt --keyset keys.json -o backup.tar.enc backup.tar\n"
      "  tar c /srv | millrace encrypt --keyset keys.json > srv.tar.enc\n"
      "  millrace encrypt --keyset keys.json --producer 'pg_dump shop' -o shop.enc\n"
      "  millrace encrypt --tdf --kas-public-key kas.pem.pub --kas-url https://kas.example.com -o backup.tar.tdf "
      "backup.tar");
  verb->callback([options] { encrypt(*options); });
}

}  // namespace millrace::cli
