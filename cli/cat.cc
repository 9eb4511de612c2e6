#include <fmt/core.h>

#include <algorithm>

#include "failure.h"
#include "input_keys.h"
#include "options.h"
#include "transfer.h"
#include "verbs.h"

namespace millrace::cli {

namespace {

struct CatOptions {
  InputKeyOptions keys;
  TransferOptions transfer;
  ReportOptions report;
  std::string range;
};

// RangeSource passes on the bytes [from, to) of a stream and reads the rest of it for the sake of its authentication.
class RangeSource final : public Source {
 public:
  RangeSource(Source& inner, std::uint64_t from, std::uint64_t to) : inner_(inner), from_(from), to_(to) {}
  Result<ByteView> pull(ByteSpan scratch) override {
    for (;;) {
      MR_TRY(ByteView bytes, inner_.pull(scratch));
      if (bytes.empty()) return bytes;
      const std::uint64_t start = at_;
      at_ += bytes.size();
      if (at_ <= from_ || start >= to_) continue;
      bytes = bytes.first(static_cast<std::size_t>(std::min(at_, to_) - start));
      return start < from_ ? bytes.subspan(static_cast<std::size_t>(from_ - start)) : bytes;
    }
  }
  std::uint64_t position() const { return at_; }

 private:
  Source& inner_;
  std::uint64_t from_;
  std::uint64_t to_;
  std::uint64_t at_ = 0;
};

void cat(const CatOptions& options) {
  options.transfer.check_against(options.keys.files());
  const ByteRange range = options.range.empty() ? ByteRange{0, std::nullopt} : parse_range(options.range);
  const InputKeys keys(options.keys);
  Transfer transfer("cat", options.transfer, options.report, Content::kText);
  const std::unique_ptr<Opening> opening = keys.open(transfer);

  Report report;
  if (opening->positional()) {
    const ReadAt& plaintext = *transfer.or_fail(opening->read_at());
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    range.resolve(plaintext.size(), from, to);
    ReadAtSource slice(plaintext, from, to);
    report.bytes = transfer.pump_to_sink(slice);
  } else {
    if (!range.first) fail(kExitUsage, "--range -N: the end of a pipe is not known beforehand; use a file");
    const std::uint64_t to = range.last && *range.last != UINT64_MAX ? *range.last + 1 : UINT64_MAX;
    RangeSource slice(*transfer.or_fail(opening->open(transfer.threads())), *range.first, to);
    report.bytes = transfer.pump_to_sink(slice);
    std::uint64_t from = 0;
    std::uint64_t end = 0;
    range.resolve(slice.position(), from, end);
  }
  report.output_bytes = report.bytes;
  report.verified = true;
  transfer.finish(report);
}

}  // namespace

void add_cat(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("cat", "Write a byte range of the plaintext");
  auto options = std::make_shared<CatOptions>();
  options->keys.add_to(*verb);
  options->transfer.add_to(*verb, true);
  options->report.add_to(*verb);
  verb->add_option("--range", options->range, "A-B (inclusive), A- or -N (the last N bytes), as in HTTP; default: all")
      ->check(not_empty());
  verb->footer(
      "Only the segments of the range are read, and the last one, which proves the size.\n"
      "Example:\n  millrace cat --keyset keys.json --range 1048576-2097151 backup.tar.enc | xxd | head\n"
      "  millrace cat --kas-private-key kas.pem --range -500 backup.tar.tdf");
  verb->callback([options] { cat(*options); });
}

}  // namespace millrace::cli
