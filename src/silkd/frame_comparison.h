// The fast path beside the parser on one line, for the differential test and the fuzz target: what the first accepts
// the second must accept with the same payload, and a FrameReader must give exactly the parser's verdict and message.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "millrace/base64.h"
#include "silkd/bulk_frame.h"

namespace millrace::silkd {

struct Comparison {
  bool fast = false;      // the fast path accepts the line
  bool accepted = false;  // the parser does
  bool bulk = false;      // and it is a bulk frame
  const char* difference = nullptr;
};

namespace comparison {

// What a message holds, as text. There are messages that are read and not written: a mode above 07777.
template <class Message>
std::string text_of(const Message& message) {
  const Result<std::string> frame = encode(message);
  return frame ? *frame : std::string(frame.error().where);
}

// One message of either direction, as text: what it is and everything it holds.
inline std::optional<std::string> parsed(std::string_view line, Direction direction, bool& bulk) {
  if (direction == Direction::kRequests) {
    const Result<Request> message = decode_request(as_bytes(line));
    if (!message) return std::nullopt;
    bulk = std::holds_alternative<request::Data>(*message) || std::holds_alternative<request::Stdin>(*message);
    return text_of(*message);
  }
  const Result<Response> message = decode_response(as_bytes(line));
  if (!message) return std::nullopt;
  bulk = std::holds_alternative<response::Data>(*message) || std::holds_alternative<response::Stdout>(*message) ||
         std::holds_alternative<response::Stderr>(*message);
  return text_of(*message);
}

inline std::string bulk_message(Bulk kind, ByteView payload) {
  std::vector<std::byte> data(payload.begin(), payload.end());
  switch (kind) {
    case Bulk::kDataRequest:
      return text_of(Request(request::Data{std::move(data)}));
    case Bulk::kStdinRequest:
      return text_of(Request(request::Stdin{std::move(data)}));
    case Bulk::kDataResponse:
      return text_of(Response(response::Data{std::move(data)}));
    case Bulk::kStdoutResponse:
      return text_of(Response(response::Stdout{std::move(data)}));
    case Bulk::kStderrResponse:
      break;
  }
  return text_of(Response(response::Stderr{std::move(data)}));
}

// The one message of a stream that is `line`; nothing if it was refused.
inline std::optional<std::string> read(std::string_view line, Direction direction) {
  MemorySource source(as_bytes(line));
  FrameReader reader(source, direction);
  const Result<bool> more = reader.next();
  if (!more || !*more) return std::nullopt;
  if (!reader.bulk()) return direction == Direction::kRequests ? text_of(reader.request()) : text_of(reader.response());
  std::vector<std::byte> payload(reader.payload_capacity());
  const Result<std::size_t> size = reader.payload(payload);
  if (!size) return std::nullopt;
  return bulk_message(*reader.bulk(), ByteView(payload).first(*size));
}

inline bool reads_untaken(std::string_view line, Direction direction) {
  MemorySource source(as_bytes(line));
  FrameReader reader(source, direction);
  const Result<bool> more = reader.next();
  return more && *more && reader.next().has_value();
}

}  // namespace comparison

// Requires a line: no newline in it, not empty.
inline Comparison compare(std::string_view line, Direction direction) {
  Comparison result;
  const std::optional<std::string> message = comparison::parsed(line, direction, result.bulk);
  result.accepted = message.has_value();
  if (const std::optional<BulkText> found = find_bulk_text(line, direction)) {
    std::vector<std::byte> payload(base64_decoded_capacity(found->text.size()));
    if (const Result<std::size_t> size = base64_decode(found->text, payload)) {
      result.fast = true;
      if (message != comparison::bulk_message(found->kind, ByteView(payload).first(*size)))
        result.difference = "the fast path takes what the parser refuses or takes for something else";
    }
  }
  if (comparison::read(line, direction) != message) result.difference = "the reader is not of the parser's opinion";
  if (comparison::reads_untaken(line, direction) != result.accepted)
    result.difference = "the reader is not of the parser's opinion about a payload that nobody takes";
  return result;
}

}  // namespace millrace::silkd
