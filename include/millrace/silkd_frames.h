// silkd frames: bulk bytes as lines of JSON, and back, at the speed of base64 (docs/formats/silkd.md).
//
//   FrameSource    pull    payload -> data or stdin frames, closed by their last frame
//   FrameWriter    push    whole frames from many threads to one Sink
//   FrameReader    pull    a Source -> one frame after another: a message, or a payload decoded where it is wanted
//   PayloadSource  pull    the payload of the frames of a FrameReader
//
// Frames that carry bulk bytes are built and read without a JSON library, byte for byte as one would write them. What
// does not look exactly like that when it is read goes through the parser, which has the last word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "millrace/silkd_messages.h"
#include "millrace/stream.h"

namespace millrace::silkd {

enum class Direction : std::uint8_t { kRequests, kResponses };

// The frames whose only field is `data`.
enum class Bulk : std::uint8_t { kDataRequest, kStdinRequest, kDataResponse, kStdoutResponse, kStderrResponse };

// bulk_frame_size is the exact size of the frame for n bytes, its newline included; n <= max_payload(kind).
std::size_t bulk_frame_size(Bulk kind, std::size_t n);
// max_payload is the largest payload of one frame: 6,291,432 bytes in a request, 6,291,435 in a response.
std::size_t max_payload(Bulk kind);
// What a frame carries unless told otherwise.
inline constexpr std::size_t kDefaultPayload = 256 * 1024;

// kYes: behind the payload comes the frame that completes it: data_end, stdin_close, or done after data responses.
// Stdout and stderr have none.
enum class Closing : bool { kNo, kYes };

// FrameSource turns a payload into frames. Each but the last carries exactly `size` bytes, whatever pieces the payload
// arrives in; an empty payload gives no bulk frame. Bytes that are lent are encoded from where they lie, others are
// read into a buffer of at most kDefaultPayload bytes first: each byte is read once and not copied. When the payload
// fails, so does this, without the closing frame. `payload` must outlive it. Requires 1 <= size <= max_payload(kind).
class FrameSource final : public Source {
 public:
  FrameSource(Bulk kind, Source& payload, Closing closing, std::size_t size = kDefaultPayload);
  ~FrameSource() override;
  // frame returns the next whole frame, newline included, or an empty view at the end; valid until the next call.
  Result<ByteView> frame();
  // pull lends the same bytes in pieces.
  Result<ByteView> pull(ByteSpan scratch) override;
  std::optional<std::uint64_t> remaining() const override;
  // payload_size is how many bytes of the payload are in the frames so far.
  std::uint64_t payload_size() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// FrameWriter sends frames from any number of threads; each is one write() of `out`, so frames never mix. All calls
// return the first error of `out` for ever. `out` must outlive it and is not finished by it.
class FrameWriter {
 public:
  explicit FrameWriter(Sink& out);
  ~FrameWriter();
  // Sends a message by the JSON encoder; errors as encode().
  Status send(const Request& message);
  Status send(const Response& message);
  // Sends one frame, built in a buffer that all frames share. kLimitExceeded: more than max_payload(kind).
  Status send(Bulk kind, ByteView payload);
  // Sends a whole payload in frames of `size` bytes, closed by kYes, and returns its length. Frames of other threads
  // may come between. It waits for a frame to be full: bytes of a dialogue are better sent one by one. Requires as
  // FrameSource does.
  Result<std::uint64_t> send_all(Bulk kind, Source& payload, Closing closing, std::size_t size = kDefaultPayload);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// FrameReader reads frames that arrive in any pieces. A frame lies in memory that `in` lent, or in a buffer of 64 KiB
// that grows to at most kMaxFrame + 1 bytes; no byte is looked at twice for its newline, and none is copied more than
// once but when that buffer grows. A stream may end without a last newline.
//
//   while (*(more = reader.next()))
//     if (reader.bulk()) reader.payload(room); else use(reader.request());
class FrameReader {
 public:
  // `in` must outlive it.
  FrameReader(Source& in, Direction direction);
  ~FrameReader();
  Direction direction() const;

  // next goes to the next frame; false at the end of the stream. Errors: as decode_request and decode_response, with
  // the offset of the frame's first byte in the stream; kLimitExceeded as soon as a frame is longer than the cap; those
  // of `in`. They are permanent.
  Result<bool> next();
  // bulk is the kind of a bulk frame, nothing for other messages.
  std::optional<Bulk> bulk() const;
  // payload_capacity is room enough for the payload of a bulk frame; exact but for the padding.
  std::size_t payload_capacity() const;
  // payload decodes the payload of a bulk frame into `out` and returns its size; at most once for each frame. A payload
  // that nobody takes is checked all the same, by the next call of next(). Requires out.size() >= payload_capacity();
  // `out` is zeroed on failure.
  Result<std::size_t> payload(ByteSpan out);
  // The message of a frame that is not bulk. Requires the direction and !bulk().
  const Request& request() const;
  const Response& response() const;
  // unknown_name is the name that was not known, after an error says so; cut to 64 bytes.
  const std::string& unknown_name() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// PayloadSource is the payload of the bulk frames of one kind that a closing frame (see Closing) ends, which is not
// passed on; what follows is left to the reader. Frames are decoded into the scratch if that has room, otherwise into a
// buffer that is lent. Any other frame, and a stream that ends before it is closed, is kMalformed. `frames` must
// outlive it.
class PayloadSource final : public Source {
 public:
  explicit PayloadSource(FrameReader& frames);
  ~PayloadSource() override;
  Result<ByteView> pull(ByteSpan scratch) override;
  // kind is that of its frames; nothing before the first one.
  std::optional<Bulk> kind() const;
  // agent_error is the error response that ended the payload, after pull() has failed for it; otherwise null.
  const response::Error* agent_error() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace millrace::silkd
