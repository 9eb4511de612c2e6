// The drivers of ChunkFramer: pull into the consumer's buffer, and gather.
//
//   payload of known length, unsigned:  header, then payload straight to where it will be sent        stream()
//   otherwise:                          payload first, with room for its header in front of it        assemble()
//
// Both build as many chunks as the consumer's buffer holds. What the payload lends is not copied into it but lent on,
// through a queue of at most three views, which is delivered before anything else happens.
#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/copy.h"
#include "millrace/aws_chunked.h"
#include "s3/aws_chunked_framer.h"
#include "s3/aws_chunked_text.h"
#include "stream/slab.h"

namespace millrace::aws_chunked {

struct EncodingSource::State {
  State(ChunkFramer made, Source& source, std::optional<std::uint64_t> encoded)
      : framer(std::move(made)), payload(&source), encoded_length(encoded), to_come(encoded) {}

  Result<ByteView> pull(ByteSpan scratch);
  Result<Pieces> gather();
  void restart();

  enum class Stage { kHeader, kPayload, kPayloadEnd, kDone };

  ChunkFramer framer;
  Source* payload;
  std::optional<std::uint64_t> encoded_length;
  std::optional<std::uint64_t> to_come;  // of the encoded body
  Stage stage = Stage::kHeader;
  std::size_t open = 0;  // payload bytes of the current chunk that are to come, after its header
  bool ended = false;    // the payload said so
  std::optional<Error> failed;

 private:
  // Output is the consumer's buffer on its way to being filled.
  struct Output {
    ByteSpan scratch;
    std::size_t built = 0;
    ByteSpan room() const { return scratch.subspan(built); }
  };

  void stream(Output& out);
  void assemble(Output& out);
  Pieces next_chunk(ByteSpan frame);
  ByteView collect(ByteSpan room);
  ByteView pull_payload(ByteSpan room);
  bool payload_is_over();
  ByteView tail();
  void put(Output& out, ByteView framing);
  ByteSpan own_frame(std::size_t size);
  ByteView value_or_fail(const Result<ByteView>& result);
  void fail(const Error& error) {
    if (!failed) failed = error;
  }

  bool queued() const { return first < last; }
  void queue(ByteView bytes) {
    if (!queued()) first = last = 0;
    if (!bytes.empty()) views.at(last++) = bytes;
  }
  ByteView lend(std::size_t n);

  std::array<ByteView, 3> views;
  std::size_t first = 0;
  std::size_t last = 0;
  Slab buffer;
};

ByteView EncodingSource::State::value_or_fail(const Result<ByteView>& result) {
  if (result) return *result;
  fail(result.error());
  return {};
}

ByteView EncodingSource::State::lend(std::size_t n) {
  if (!queued()) return {};
  ByteView& front = views[first];
  const ByteView bytes = front.first(std::min(n, front.size()));
  front = front.subspan(bytes.size());
  if (front.empty()) ++first;
  return bytes;
}

// put writes framing into the consumer's buffer, or queues it where there is no room.
void EncodingSource::State::put(Output& out, ByteView framing) {
  if (framing.size() > out.room().size()) return queue(framing);
  std::copy(framing.begin(), framing.end(), out.room().begin());
  out.built += framing.size();
}

// pull_payload shows the framer what comes. Nothing comes at the end, and after a failure.
ByteView EncodingSource::State::pull_payload(ByteSpan room) {
  const ByteView bytes = value_or_fail(payload->pull(room));
  MR_CHECK(bytes.size() <= room.size());
  framer.update(bytes);
  if (bytes.empty() && !failed) {
    ended = true;
    if (framer.decoded_length())
      fail({ErrorCode::kIo, "aws-chunked: payload shorter than announced", framer.decoded()});
  }
  return bytes;
}

// payload_is_over makes sure that nothing follows the bytes that were announced, and that their end is good.
bool EncodingSource::State::payload_is_over() {
  if (ended || failed) return !failed;
  std::byte one_more[1];
  const ByteView bytes = value_or_fail(payload->pull(one_more));
  if (!bytes.empty()) fail({ErrorCode::kIo, "aws-chunked: payload longer than announced", framer.decoded()});
  ended = true;
  return !failed;
}

ByteView EncodingSource::State::tail() {
  if (!payload_is_over()) return {};
  stage = Stage::kDone;
  return value_or_fail(framer.tail());
}

void EncodingSource::State::stream(Output& out) {
  while (!queued() && !failed && stage != Stage::kDone) {
    if (stage == Stage::kPayloadEnd) {
      put(out, as_bytes(kCrlf));
      stage = Stage::kHeader;
    } else if (stage == Stage::kHeader) {
      open = framer.next_chunk();
      if (open == 0) {
        // The end is not looked for while there is something to send: that could take its time.
        if (out.built == 0) put(out, tail());
        return;
      }
      // A chunk that does not fit here but would fit into a whole buffer begins the next one, so that its payload is
      // not read in a large and a tiny piece.
      const std::size_t frame_size = framer.header_size(open) + open;
      const bool better_later = frame_size > out.room().size() && frame_size <= out.scratch.size();
      if (better_later && out.built > kCrlf.size()) return;
      put(out, value_or_fail(framer.header(open)));
      stage = Stage::kPayload;
    } else {
      const ByteSpan room = out.room().first(std::min(out.room().size(), open));
      if (room.empty()) return;
      const ByteView bytes = pull_payload(room);
      open -= bytes.size();
      if (open == 0) stage = Stage::kPayloadEnd;
      if (bytes.data() != room.data()) return queue(bytes);
      out.built += bytes.size();
      if (bytes.size() < room.size() && stage == Stage::kPayload) return;  // send what there is, do not wait for more
    }
  }
}

// collect gathers a whole chunk: at room.data(), or lent in one piece. A smaller one is the last.
ByteView EncodingSource::State::collect(ByteSpan room) {
  std::size_t have = 0;
  while (have < room.size() && !ended && !failed) {
    const ByteSpan free = room.subspan(have);
    const ByteView bytes = pull_payload(free);
    if (bytes.size() == room.size()) return bytes;
    if (bytes.data() != free.data()) copy_bytes(free, bytes);
    have += bytes.size();
  }
  return room.first(have);
}

// next_chunk reads the payload of a chunk to where it belongs in `frame`, behind the largest header it can have.
Pieces EncodingSource::State::next_chunk(ByteSpan frame) {
  const std::size_t size = framer.next_chunk();
  const ByteView bytes = size == 0 ? ByteView{} : collect(frame.subspan(framer.header_size(size), size));
  if (failed) return {};
  if (bytes.empty()) return {tail(), {}, {}};
  return {value_or_fail(framer.header(bytes.size())), bytes, as_bytes(kCrlf)};
}

ByteSpan EncodingSource::State::own_frame(std::size_t size) {
  if (buffer.size() < size) buffer = Slab::acquire(size);
  return buffer.bytes();
}

void EncodingSource::State::assemble(Output& out) {
  while (!queued() && !failed && stage != Stage::kDone) {
    const std::size_t size = framer.next_chunk();
    const std::size_t header_size = framer.header_size(size);
    const std::size_t frame_size = header_size + size + kCrlf.size();
    const bool fits = frame_size <= out.room().size();
    if (out.built > 0 && (!fits || size == 0)) return;
    const ByteSpan frame = fits ? out.room() : own_frame(frame_size);
    const Pieces pieces = next_chunk(frame);
    if (failed) return;
    if (pieces.payload.empty()) return put(out, pieces.header);
    if (pieces.payload.data() != frame.data() + header_size) {
      for (const ByteView piece : {pieces.header, pieces.payload, pieces.end}) queue(piece);
      return;
    }
    // The last chunk of an unknown length may have a shorter header than there was room for. In the consumer's buffer
    // it moves up to it; in ours the frame begins later.
    ByteSpan whole = frame.subspan(header_size - pieces.header.size());
    if (fits && whole.data() != frame.data()) {
      whole = frame;
      copy_bytes(whole.subspan(pieces.header.size()), pieces.payload);
    }
    std::copy(pieces.header.begin(), pieces.header.end(), whole.begin());
    const std::size_t before_end = pieces.header.size() + pieces.payload.size();
    std::copy(pieces.end.begin(), pieces.end.end(), whole.begin() + static_cast<std::ptrdiff_t>(before_end));
    const std::size_t whole_size = before_end + pieces.end.size();
    if (!fits) return queue(whole.first(whole_size));
    out.built += whole_size;
    if (pieces.payload.size() < size) return;
  }
}

Result<ByteView> EncodingSource::State::pull(ByteSpan scratch) {
  MR_CHECK(!scratch.empty());
  ByteView bytes = lend(scratch.size());
  if (bytes.empty()) {
    Output out{scratch};
    framer.header_first() ? stream(out) : assemble(out);
    bytes = out.built > 0 ? ByteView(scratch.first(out.built)) : lend(scratch.size());
  }
  // What was complete before a failure is delivered before it.
  if (bytes.empty() && failed) return *failed;
  if (to_come) *to_come -= bytes.size();
  return bytes;
}

Result<Pieces> EncodingSource::State::gather() {
  if (failed) return *failed;
  MR_CHECK(!queued() && (stage == Stage::kHeader || stage == Stage::kDone));
  if (stage == Stage::kDone) return Pieces{};
  const std::size_t size = framer.next_chunk();
  const Pieces pieces = next_chunk(size == 0 ? ByteSpan{} : own_frame(framer.header_size(size) + size));
  if (failed) return *failed;
  if (to_come) *to_come -= pieces.header.size() + pieces.payload.size() + pieces.end.size();
  return pieces;
}

void EncodingSource::State::restart() {
  to_come = encoded_length;
  stage = Stage::kHeader;
  open = 0;
  ended = false;
  failed.reset();
  first = last = 0;
}

EncodingSource::EncodingSource(std::unique_ptr<State> state) : state_(std::move(state)) {}
EncodingSource::EncodingSource(EncodingSource&&) noexcept = default;
EncodingSource& EncodingSource::operator=(EncodingSource&&) noexcept = default;
EncodingSource::~EncodingSource() = default;

Result<EncodingSource> EncodingSource::create(const Format& format, Source& payload, const ChunkSigning* signing,
                                              std::optional<std::uint64_t> decoded_length) {
  if (!decoded_length) decoded_length = payload.remaining();
  MR_TRY(ChunkFramer framer, ChunkFramer::create(format, signing, decoded_length));
  std::optional<std::uint64_t> encoded;
  if (decoded_length) {
    MR_TRY(encoded, format.encoded_length(*decoded_length));
  }
  return EncodingSource(std::make_unique<State>(std::move(framer), payload, encoded));
}

Result<ByteView> EncodingSource::pull(ByteSpan scratch) { return state_->pull(scratch); }
std::optional<std::uint64_t> EncodingSource::remaining() const { return state_->to_come; }
Result<Pieces> EncodingSource::gather() { return state_->gather(); }

Status EncodingSource::rewind(Source& payload, const ChunkSigning* signing) {
  const std::optional<std::uint64_t> length = payload.remaining();
  if (length && state_->framer.decoded_length() && length != state_->framer.decoded_length())
    return Error{ErrorCode::kInvalidArgument, "aws-chunked: payload of another length"};
  if (signing != nullptr) MR_TRY(state_->framer.restart_with(*signing));
  state_->framer.restart();
  state_->payload = &payload;
  state_->restart();
  return Ok{};
}

}  // namespace millrace::aws_chunked
