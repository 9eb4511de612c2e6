// silkd frames in tests: what the general JSON encoder makes of a payload, and everything a reader gives.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "millrace/silkd_frames.h"
#include "testing/bytes.h"

namespace millrace::testing {

inline constexpr silkd::Bulk kBulkKinds[] = {silkd::Bulk::kDataRequest, silkd::Bulk::kStdinRequest,
                                             silkd::Bulk::kDataResponse, silkd::Bulk::kStdoutResponse,
                                             silkd::Bulk::kStderrResponse};

inline silkd::Direction direction_of(silkd::Bulk kind) {
  return kind == silkd::Bulk::kDataRequest || kind == silkd::Bulk::kStdinRequest ? silkd::Direction::kRequests
                                                                                 : silkd::Direction::kResponses;
}

// plain_base64 is written from RFC 4648, bit by bit, to be an oracle.
inline std::string plain_base64(ByteView bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  std::uint32_t bits = 0;
  std::size_t count = 0;
  for (const std::byte b : bytes) {
    bits = bits << 8 | std::to_integer<std::uint32_t>(b);
    for (count += 8; count >= 6; count -= 6) text += kDigits[bits >> (count - 6) & 63];
  }
  if (count > 0) text += kDigits[bits << (6 - count) & 63];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

// json_frame is a bulk frame, newline included, by the JSON library.
inline std::string json_frame(silkd::Bulk kind, ByteView payload) {
  static constexpr const char* kNames[] = {"data", "stdin", "data", "stdout", "stderr"};
  nlohmann::ordered_json object;
  const char* const name = kNames[static_cast<std::size_t>(kind)];
  if (direction_of(kind) == silkd::Direction::kRequests) {
    object = {{"v", 1}, {"op", name}};
  } else {
    object = {{"type", name}};
  }
  object["data"] = plain_base64(payload);
  return object.dump() + '\n';
}

// What a reader gave: for each frame "data" and the payload, or the frame as it would be written.
struct ReadFrames {
  std::vector<std::string> frames;
  std::optional<Error> error;
};

inline ReadFrames read_frames(silkd::FrameReader& reader, bool take_payloads = true) {
  ReadFrames result;
  for (;;) {
    const Result<bool> more = reader.next();
    if (!more) result.error = more.error();
    if (!more || !*more) return result;
    if (!reader.bulk()) {
      result.frames.push_back(*(reader.direction() == silkd::Direction::kRequests ? silkd::encode(reader.request())
                                                                                  : silkd::encode(reader.response())));
      continue;
    }
    std::string text = std::to_string(static_cast<int>(*reader.bulk())) + ":";
    if (take_payloads) {
      Bytes out(reader.payload_capacity());
      const Result<std::size_t> size = reader.payload(out);
      if (!size) {
        result.error = size.error();
        return result;
      }
      text += as_text(ByteView(out).first(*size));
    }
    result.frames.push_back(std::move(text));
  }
}

}  // namespace millrace::testing
