#include <algorithm>

#include "base/check.h"
#include "silkd/bulk_frame.h"
#include "stream/slab.h"

namespace millrace::silkd {

struct PayloadSource::State {
  explicit State(FrameReader& f) : frames(f) {}

  Result<ByteView> pull(ByteSpan scratch);
  bool closes() const;
  Error another_frame();

  FrameReader& frames;
  std::optional<Bulk> kind;
  Slab buffer;
  ByteView left;  // of a payload that did not fit into the scratch
  bool closed = false;
  std::optional<response::Error> agent_error;
  std::optional<Error> failed;
};

namespace {

Error malformed(std::string_view where) { return Error{ErrorCode::kMalformed, where}; }

}  // namespace

PayloadSource::PayloadSource(FrameReader& frames) : state_(std::make_unique<State>(frames)) {}
PayloadSource::~PayloadSource() = default;

std::optional<Bulk> PayloadSource::kind() const { return state_->kind; }

const response::Error* PayloadSource::agent_error() const {
  return state_->agent_error ? &*state_->agent_error : nullptr;
}

// closes tells whether the current frame, which is not bulk, completes the payload.
bool PayloadSource::State::closes() const {
  Bulk closed_kind = Bulk::kDataResponse;
  if (frames.direction() == Direction::kResponses) {
    if (!std::holds_alternative<response::Done>(frames.response())) return false;
  } else if (std::holds_alternative<request::DataEnd>(frames.request())) {
    closed_kind = Bulk::kDataRequest;
  } else if (std::holds_alternative<request::StdinClose>(frames.request())) {
    closed_kind = Bulk::kStdinRequest;
  } else {
    return false;
  }
  return kind.value_or(closed_kind) == closed_kind;
}

Error PayloadSource::State::another_frame() {
  if (frames.direction() == Direction::kResponses) {
    if (const auto* error = std::get_if<response::Error>(&frames.response())) {
      agent_error = *error;
      return malformed("silkd payload: the agent failed");
    }
  }
  return malformed("silkd payload: another frame");
}

Result<ByteView> PayloadSource::State::pull(ByteSpan scratch) {
  while (left.empty() && !closed) {
    MR_TRY(const bool more, frames.next());
    if (!more) return malformed("silkd payload: ended before it was closed");
    const std::optional<Bulk> bulk = frames.bulk();
    if (!bulk) {
      if (!closes()) return another_frame();
      closed = true;
      break;
    }
    if (kind.value_or(*bulk) != *bulk || bulk_form(*bulk).closing.empty()) {
      return malformed("silkd payload: another frame");
    }
    kind = bulk;
    const std::size_t capacity = frames.payload_capacity();
    if (capacity <= scratch.size()) {
      MR_TRY(const std::size_t size, frames.payload(scratch));
      if (size > 0) return ByteView(scratch.first(size));
      continue;
    }
    if (buffer.size() < capacity) buffer = Slab::acquire(capacity);
    MR_TRY(const std::size_t size, frames.payload(buffer.bytes()));
    left = buffer.bytes().first(size);
  }
  const ByteView piece = left.first(std::min(scratch.size(), left.size()));
  left = left.subspan(piece.size());
  return piece;
}

Result<ByteView> PayloadSource::pull(ByteSpan scratch) {
  MR_CHECK(!scratch.empty());
  State& s = *state_;
  if (s.failed) return *s.failed;
  Result<ByteView> bytes = s.pull(scratch);
  if (!bytes) s.failed = bytes.error();
  return bytes;
}

}  // namespace millrace::silkd
