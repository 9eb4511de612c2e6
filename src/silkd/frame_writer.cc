#include <mutex>

#include "millrace/base64.h"
#include "silkd/bulk_frame.h"
#include "silkd/frame_buffer.h"

namespace millrace::silkd {

struct FrameWriter::State {
  explicit State(Sink& o) : out(o) {}

  // write requires the lock.
  Status write(ByteView frame) {
    if (failed) return *failed;
    const Status status = out.write(frame);
    if (!status) failed = status.error();
    return status;
  }

  template <class Message>
  Status send(const Message& message) {
    MR_TRY(std::string frame, encode(message));
    frame += '\n';
    const std::lock_guard lock(mutex);
    return write(as_bytes(frame));
  }

  Sink& out;
  std::mutex mutex;  // of all below, and of `out`
  FrameBuffer buffer;
  std::optional<Error> failed;
};

FrameWriter::FrameWriter(Sink& out) : state_(std::make_unique<State>(out)) {}
FrameWriter::~FrameWriter() = default;

Status FrameWriter::send(const Request& message) { return state_->send(message); }
Status FrameWriter::send(const Response& message) { return state_->send(message); }

Status FrameWriter::send(Bulk kind, ByteView payload) {
  if (payload.size() > max_payload(kind)) return Error{ErrorCode::kLimitExceeded, "silkd frame", payload.size()};
  const std::lock_guard lock(state_->mutex);
  const std::span<char> out = state_->buffer.room(bulk_frame_size(kind, payload.size()));
  std::size_t at = begin_bulk_frame(kind, out);
  at += base64_encode(payload, out.subspan(at));
  return state_->write(std::as_bytes(out.first(end_bulk_frame(out, at))));
}

// The frames are built outside the lock, in a buffer of their own: a payload that is slow to come holds up nobody.
Result<std::uint64_t> FrameWriter::send_all(Bulk kind, Source& payload, Closing closing, std::size_t size) {
  FrameSource frames(kind, payload, closing, size);
  for (;;) {
    MR_TRY(const ByteView frame, frames.frame());
    if (frame.empty()) return frames.payload_size();
    const std::lock_guard lock(state_->mutex);
    MR_TRY(state_->write(frame));
  }
}

}  // namespace millrace::silkd
