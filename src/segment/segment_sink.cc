#include "segment/segment_sink.h"

#include <utility>

namespace millrace {

ByteSpan SegmentSink::scratch() {
  // After the end there is nothing to build; a byte of room keeps the interface's promise, and write() will refuse.
  static thread_local std::byte nowhere[1];
  if (failed_ || finished_ || intake_.done()) return nowhere;
  return intake_.room();
}

Status SegmentSink::write(ByteView bytes) {
  if (failed_) return *failed_;
  if (finished_) return Error{ErrorCode::kInvalidArgument, "write after finish"};
  while (!bytes.empty()) {
    bytes = bytes.subspan(intake_.take(bytes, true));
    if (intake_.ready()) MR_TRY(run_batch());
  }
  return Ok{};
}

Status SegmentSink::finish() {
  if (failed_) return *failed_;
  if (finished_) return Ok{};
  finished_ = true;
  intake_.end();
  return run_batch();
}

Status SegmentSink::write_header() {
  const ByteView header = std::exchange(header_, {});
  if (!header.empty()) return out_.write(header);
  return Ok{};
}

Status SegmentSink::run_batch() {
  intake_.take_batch(batch_);
  if (const Status status = write_header(); !status) return fail(status.error());
  const ByteView output = batch_.run(stage_, out_.scratch());
  if (!output.empty()) {
    if (const Status status = out_.write(output); !status) return fail(status.error());
  }
  if (batch_.error()) return fail(*batch_.error());
  intake_.recycle(batch_);
  return Ok{};
}

Status SegmentSink::fail(const Error& error) {
  failed_ = error;
  return error;
}

}  // namespace millrace
