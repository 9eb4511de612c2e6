// Transfer: what encrypt, decrypt, verify and cat have in common: an input, a producer perhaps, an output, progress,
// and an end that is told in one place.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files.h"
#include "options.h"
#include "producer.h"
#include "progress.h"

namespace millrace::cli {

class Transfer {
 public:
  // Opens the input (or starts the producer), then the output unless `content` is absent.
  Transfer(std::string verb, const TransferOptions& options, const ReportOptions& report,
           std::optional<Content> content);

  // The input by position, when it is a regular file; otherwise null. Counted by the progress.
  const ReadAt* read_at() const { return counting_read_at_ ? &*counting_read_at_ : nullptr; }
  // The input as a stream, otherwise. Counted too.
  Source& source();
  // first_bytes looks at the beginning of the input, `most` bytes or all there is; source() still yields them. Called
  // before source(); a second call shows no more than the first. The view lives as long as the Transfer.
  ByteView first_bytes(std::size_t most);

  bool positional_output() const { return output_ && output_->positional(); }
  // The output by position: requires positional_output(). `size` is what will be written.
  const WriteAt& write_at(std::uint64_t size);
  // The output as a stream.
  Sink& sink();
  // reserve tells a new output file how much will be written.
  void reserve(std::uint64_t size) { output_->reserve(size); }

  const std::string& input_name() const { return input_name_; }
  unsigned threads() const { return options_.thread_count(); }
  std::uint64_t bytes_read() const { return progress_->count(); }

  // pump_to_sink pumps `from` to the sink and finishes it.
  std::uint64_t pump_to_sink(Source& from);
  // explain_with names what knows more about errors of the data: it may throw a Failure of its own.
  void explain_with(std::function<void(const Error&)> explain) { explain_ = std::move(explain); }
  // fail_input ends the verb with an error of the data.
  [[noreturn]] void fail_input(const Error& error, std::string_view hint);
  // or_fail unwraps a Result that may hold such an error.
  template <class T>
  T or_fail(Result<T> result) {
    if (!result) fail_input(result.error(), {});
    return *std::move(result);
  }
  // finish checks the input, gives the output its name and reports. `note` is a line for stderr, unless --quiet, or the
  // report goes there.
  void finish(Report report, std::string_view note = {});

 private:
  const std::string verb_;
  const TransferOptions& options_;
  const ReportOptions& report_;
  std::string input_name_;
  std::optional<Input> input_;
  std::optional<FileReadAt> file_read_at_;
  std::optional<CountingReadAt> counting_read_at_;
  std::optional<ProducerSource> producer_;
  std::unique_ptr<FileSource> file_source_;
  std::optional<CountingSource> counting_source_;
  std::optional<std::vector<std::byte>> first_bytes_;
  std::optional<PrependSource> prepended_;
  std::function<void(const Error&)> explain_;
  std::optional<Output> output_;
  std::optional<FileWriteAt> write_at_;
  std::unique_ptr<Sink> sink_;
  std::optional<Progress> progress_;
};

}  // namespace millrace::cli
