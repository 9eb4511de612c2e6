#include "input_keys.h"

#include <fmt/core.h>

#include "failure.h"

namespace millrace::cli {

namespace {

constexpr std::size_t kEnough = 64;  // bytes, to know a format

}  // namespace

InputFormat input_format(Transfer& transfer) {
  switch (tdf::recognize(transfer.first_bytes(kEnough))) {
    case tdf::FileKind::kTdf:
      return InputFormat::kTdf;
    case tdf::FileKind::kHtmlTdf:
      fail(kExitNotAuthentic,
           fmt::format("{}: an HTML page; the TDF files that old tools wrapped in one are not supported",
                       transfer.input_name()));
    case tdf::FileKind::kNanoTdf:
      fail(kExitNotAuthentic, fmt::format("{}: NanoTDF is no longer supported by OpenTDF", transfer.input_name()));
    case tdf::FileKind::kUnknown:
      break;
  }
  return InputFormat::kTink;
}

void InputKeyOptions::add_to(CLI::App& verb) {
  tink.add_to(verb);
  tdf.add_to(verb);
}

std::vector<std::string> InputKeyOptions::files() const {
  std::vector<std::string> all = tink.files();
  for (const std::string& name : tdf.files()) all.push_back(name);
  return all;
}

void InputKeyOptions::refuse_others(InputFormat format, Transfer& transfer) const {
  const bool for_tink = !tink.keyset.empty();
  const bool for_tdf = !tdf.private_keys.empty();
  if (for_tink == for_tdf) return;
  const std::string& name = transfer.input_name();
  if (format == InputFormat::kTdf && for_tink)
    fail(kExitUsage, fmt::format("{}: a TDF file, which no keyset opens; give --kas-private-key FILE", name));
  if (format == InputFormat::kTink && for_tdf) {
    const ByteView first = transfer.first_bytes(1);
    if (!first.empty() && may_be_tink(first[0]))
      fail(kExitUsage, fmt::format("{}: no TDF file but, it seems, a Tink stream; give --keyset FILE", name));
    fail(kExitNotAuthentic, fmt::format("{}: not a TDF file, nor anything else that millrace opens", name));
  }
}

InputKeys::InputKeys(const InputKeyOptions& options) : options_(options) {
  if (!options.any())
    fail(kExitUsage, "no key: give --keyset FILE for a Tink stream, or --kas-private-key FILE for a TDF file");
  if (!options.tink.keyset.empty()) tink_.emplace(options.tink);
  if (!options.tdf.private_keys.empty()) tdf_.emplace(options.tdf);
}

std::unique_ptr<Opening> InputKeys::open(Transfer& transfer) const {
  const InputFormat format = input_format(transfer);
  options_.refuse_others(format, transfer);
  return format == InputFormat::kTdf ? open_tdf(transfer, *tdf_) : open_tink(transfer, *tink_);
}

}  // namespace millrace::cli
