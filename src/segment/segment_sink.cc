#include "segment/segment_sink.h"

#include <algorithm>
#include <utility>

namespace millrace {

namespace {

// After the end there is nothing to build; a byte of room keeps the interface's promise, and write() will refuse.
thread_local std::byte nowhere[1];

constexpr Error kTooMany{ErrorCode::kInvalidArgument, "more bytes than announced"};
constexpr Error kTooFew{ErrorCode::kInvalidArgument, "fewer bytes than announced"};

}  // namespace

ByteSpan SegmentSink::scratch() {
  if (failed_ || finished_ || intake_.done() || intake_.ready()) return nowhere;
  return intake_.room();
}

Status SegmentSink::write(ByteView bytes) {
  if (failed_) return *failed_;
  if (finished_) return Error{ErrorCode::kInvalidArgument, "write after finish"};
  if (left_) {
    if (bytes.size() > *left_) return fail(kTooMany);
    *left_ -= bytes.size();
  }
  while (!bytes.empty()) {
    // A layout may begin with a segment that takes no bytes: it is ready before the first one comes.
    if (!intake_.ready()) bytes = bytes.subspan(intake_.take(bytes, true));
    if (intake_.ready()) MR_TRY(run_batch());
  }
  return Ok{};
}

Status SegmentSink::finish() {
  if (failed_) return *failed_;
  if (finished_) return Ok{};
  finished_ = true;
  if (left_.value_or(0) > 0) return fail(kTooFew);
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

// The header goes out first: writing it takes the scratch of the sink below away.
ByteSpan PieceSink::scratch() {
  if (failed_ || finished_ || !write_header()) return nowhere;
  const std::size_t most = pieces_.most(room().size());
  return most == 0 ? ByteSpan(nowhere) : room().subspan(pieces_.lead(), most);
}

Status PieceSink::write(ByteView bytes) {
  if (failed_) return *failed_;
  if (finished_) return Error{ErrorCode::kInvalidArgument, "write after finish"};
  if (!bytes.empty()) MR_TRY(write_header());
  while (!bytes.empty()) {
    const std::size_t most = pieces_.most(room().size());
    if (most == 0) return fail(kTooMany);
    const ByteView part = bytes.first(std::min(bytes.size(), most));
    MR_TRY(write_sealed(pieces_.seal(part, room())));
    bytes = bytes.subspan(part.size());
  }
  return Ok{};
}

Status PieceSink::finish() {
  if (failed_) return *failed_;
  if (finished_) return Ok{};
  finished_ = true;
  MR_TRY(write_header());
  if (pieces_.left().value_or(0) > 0) return fail(kTooFew);
  return write_sealed(pieces_.end(room()));
}

Status PieceSink::write_header() {
  const ByteView header = std::exchange(header_, {});
  if (header.empty()) return Ok{};
  const Status status = out_.write(header);
  return status ? status : fail(status.error());
}

ByteSpan PieceSink::room() {
  if (room_.empty()) room_ = out_.scratch();
  if (room_.size() < pieces_.least_room()) {
    if (own_.size() == 0) {
      own_ = Slab::acquire(pieces_.least_room() + 4096);
      own_.cleanse_on_release();
    }
    room_ = own_.bytes();
  }
  return room_;
}

// write_sealed writes what was sealed in room(), which is used up by that.
Status PieceSink::write_sealed(const Result<std::size_t>& size) {
  if (!size) return fail(size.error());
  const ByteView sealed = std::exchange(room_, {}).first(*size);
  if (sealed.empty()) return Ok{};
  const Status status = out_.write(sealed);
  return status ? status : fail(status.error());
}

Status PieceSink::fail(const Error& error) {
  failed_ = error;
  return error;
}

}  // namespace millrace
