// A frame is built where it is lent from: the head, then base64 straight from where the payload's bytes come to lie,
// piece by piece as they arrive, then the tail.
#include <algorithm>
#include <limits>

#include "base/check.h"
#include "millrace/base64.h"
#include "silkd/bulk_frame.h"
#include "silkd/frame_buffer.h"

namespace millrace::silkd {

struct FrameSource::State {
  State(Bulk k, Source& p, Closing c, std::size_t s) : kind(k), payload(p), closing(c), size(s) {}

  const Bulk kind;
  Source& payload;
  const Closing closing;
  const std::size_t size;

  FrameBuffer buffer;
  Slab scratch;             // for a payload that does not lend
  ByteView left;            // of the frame that pull() lends
  std::uint64_t total = 0;  // of the payload
  bool ended = false;
  bool closed = false;
  std::optional<Error> failed;

  Result<ByteView> build();
};

FrameSource::FrameSource(Bulk kind, Source& payload, Closing closing, std::size_t size)
    : state_(std::make_unique<State>(kind, payload, closing, size)) {
  MR_CHECK(size > 0 && size <= max_payload(kind));
  MR_CHECK(closing == Closing::kNo || !bulk_form(kind).closing.empty());
}

FrameSource::~FrameSource() = default;

Result<ByteView> FrameSource::State::build() {
  // A small payload that says so gets small buffers.
  const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(size, payload.remaining().value_or(size)));
  if (scratch.size() == 0) scratch = Slab::acquire(std::clamp<std::size_t>(most, 1, kDefaultPayload));
  const std::span<char> out = buffer.room(bulk_frame_size(kind, most));
  std::size_t at = begin_bulk_frame(kind, out);
  Base64Encoder encoder;
  std::size_t taken = 0;
  while (taken < most) {
    const std::size_t room = std::min(most - taken, scratch.size());
    MR_TRY(const ByteView bytes, payload.pull(scratch.bytes().first(room)));
    if (bytes.empty()) break;
    at += encoder.update(bytes, out.subspan(at));
    taken += bytes.size();
  }
  if (taken < size) {
    // A frame that is not full is the last one: the payload's own end must have been seen.
    if (taken == most) {
      MR_TRY(const ByteView none, payload.pull(scratch.bytes().first(1)));
      MR_CHECK(none.empty());
    }
    ended = true;
  }
  total += taken;
  if (taken == 0) return ByteView{};
  at += encoder.finish(out.subspan(at));
  return std::as_bytes(out.first(end_bulk_frame(out, at)));
}

Result<ByteView> FrameSource::frame() {
  State& s = *state_;
  if (s.failed) return *s.failed;
  if (!s.ended) {
    const Result<ByteView> frame = s.build();
    if (!frame) {
      s.failed = frame.error();
      return *s.failed;
    }
    if (!frame->empty()) return *frame;
  }
  if (s.closed || s.closing == Closing::kNo) return ByteView{};
  s.closed = true;
  return as_bytes(bulk_form(s.kind).closing);
}

Result<ByteView> FrameSource::pull(ByteSpan scratch) {
  MR_CHECK(!scratch.empty());
  State& s = *state_;
  if (s.left.empty()) {
    MR_TRY(s.left, frame());
  }
  const ByteView piece = s.left.first(std::min(scratch.size(), s.left.size()));
  s.left = s.left.subspan(piece.size());
  return piece;
}

std::uint64_t FrameSource::payload_size() const { return state_->total; }

std::optional<std::uint64_t> FrameSource::remaining() const {
  const State& s = *state_;
  if (s.failed) return std::nullopt;
  std::uint64_t result = s.left.size();
  if (!s.ended) {
    const std::optional<std::uint64_t> payload = s.payload.remaining();
    // In frames of one byte each byte of it takes 34; a length that no file has must not make the sum wrap.
    if (!payload || *payload > std::numeric_limits<std::uint64_t>::max() / 64) return std::nullopt;
    const auto rest = static_cast<std::size_t>(*payload % s.size);
    result += *payload / s.size * bulk_frame_size(s.kind, s.size);
    if (rest > 0) result += bulk_frame_size(s.kind, rest);
  }
  if (s.closing == Closing::kYes && !s.closed) result += bulk_form(s.kind).closing.size();
  return result;
}

}  // namespace millrace::silkd
