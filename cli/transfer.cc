#include "transfer.h"

#include <fmt/core.h>

#include <algorithm>

#include "failure.h"

namespace millrace::cli {

Transfer::Transfer(std::string verb, const TransferOptions& options, const ReportOptions& report,
                   std::optional<Content> content)
    : verb_(std::move(verb)), options_(options), report_(report) {
  std::optional<std::uint64_t> total;
  if (!options.producer.empty()) {
    if (!options.input.empty()) fail(kExitUsage, "give IN or --producer, not both");
    input_name_ = "--producer";
  } else {
    input_.emplace(options.input);
    input_name_ = input_->name();
    if (input_->positional()) total = input_->size();
  }
  if (content) output_.emplace(options.output, options.output_options(*content), input_ ? &*input_ : nullptr);
  // The producer starts when nothing else can be refused any more.
  if (!options.producer.empty()) producer_.emplace(options.producer);

  progress_.emplace(verb_, report.style(), total);
  if (total) {
    file_read_at_.emplace(value_or_fail(FileReadAt::create(input_->descriptor()), input_name_));
    counting_read_at_.emplace(*file_read_at_, *progress_);
  }
}

Source& Transfer::source() {
  if (!counting_source_) {
    if (!producer_) file_source_ = input_->source();
    counting_source_.emplace(producer_ ? static_cast<Source&>(*producer_) : *file_source_, *progress_);
  }
  return prepended_ ? static_cast<Source&>(*prepended_) : *counting_source_;
}

ByteView Transfer::first_bytes(std::size_t most) {
  if (!first_bytes_) {
    std::vector<std::byte> bytes(most);
    if (file_read_at_) {
      bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(most, file_read_at_->size())));
      check_or_fail(file_read_at_->read_at(0, bytes), input_name_);
    } else {
      bytes.resize(or_fail(read_full(source(), bytes)));
    }
    first_bytes_ = std::move(bytes);
    if (counting_source_) prepended_.emplace(*first_bytes_, *counting_source_);
  }
  return ByteView(*first_bytes_).first(std::min(most, first_bytes_->size()));
}

const WriteAt& Transfer::write_at(std::uint64_t size) {
  output_->reserve(size);
  write_at_.emplace(output_->descriptor());
  return *write_at_;
}

Sink& Transfer::sink() {
  if (!sink_) sink_ = output_->sink();
  return *sink_;
}

std::uint64_t Transfer::pump_to_sink(Source& from) {
  std::uint64_t total = 0;
  for (;;) {
    const Result<ByteView> bytes = from.pull(sink().scratch());
    if (!bytes) fail_input(bytes.error(), {});
    if (bytes->empty()) break;
    check_or_fail(sink().write(*bytes), output_->name());
    total += bytes->size();
  }
  check_or_fail(sink().finish(), output_->name());
  return total;
}

void Transfer::fail_input(const Error& error, std::string_view hint) {
  progress_->stop();
  if (producer_ && !producer_->failure().empty()) {
    fail(kExitEnvironment,
         fmt::format("--producer: the command {}; nothing was written as complete", producer_->failure()));
  }
  if (explain_) explain_(error);
  // By position, both ends fail through one call; a write is the output's failure.
  const bool writing = error.code == ErrorCode::kIo && error.where == "write" && output_;
  fail_with(writing ? output_->name() : input_name_, error, hint);
}

void Transfer::finish(Report report, std::string_view note) {
  progress_->stop();
  report.seconds = progress_->seconds();
  if (input_) input_->check_unchanged();
  if (output_) output_->commit();
  report.operation = verb_;
  const bool data_on_stdout = output_ && output_->is_stdout();
  if (!note.empty() && !report_.quiet && !(report_.json && data_on_stdout)) tell(note);
  print_report(report, report_, data_on_stdout);
}

}  // namespace millrace::cli
