// silkd frames: on every line the fast path, the reader and the parser are of one opinion; a stream gives the same
// frames in pieces of any size; any payload becomes the frames that the JSON encoder writes, and comes back.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "silkd/frame_comparison.h"

using namespace millrace;
using namespace millrace::silkd;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

// Fills the scratch with at most `step` bytes.
class Pieces final : public Source {
 public:
  Pieces(std::string_view text, std::size_t step) : left_(text), step_(step) {}
  Result<ByteView> pull(ByteSpan scratch) override {
    const std::string_view piece = left_.substr(0, std::min(step_, scratch.size()));
    left_.remove_prefix(piece.size());
    std::ranges::copy(as_bytes(piece), scratch.begin());
    return ByteView(scratch.first(piece.size()));
  }

 private:
  std::string_view left_;
  std::size_t step_;
};

// Everything a reader gives, and how it ended.
std::string transcript(Source& source, Direction direction) {
  FrameReader reader(source, direction);
  std::string text;
  for (;;) {
    const Result<bool> more = reader.next();
    if (!more) return text + std::string(more.error().where) + std::to_string(more.error().offset);
    if (!*more) return text;
    if (!reader.bulk()) {
      text += direction == Direction::kRequests ? comparison::text_of(reader.request())
                                                : comparison::text_of(reader.response());
      continue;
    }
    std::vector<std::byte> payload(reader.payload_capacity());
    if (const Result<std::size_t> size = reader.payload(payload)) {
      text += comparison::bulk_message(*reader.bulk(), ByteView(payload).first(*size));
    }
  }
}

void round_trip(ByteView payload, Bulk kind, std::size_t size) {
  MemorySource memory(payload);
  FrameSource frames(kind, memory, Closing::kYes, size);
  std::string stream;
  for (std::size_t at = 0;; at += size) {
    const ByteView frame = *frames.frame();
    stream += as_text(frame);
    if (at >= payload.size()) break;
    const ByteView piece = payload.subspan(at, std::min(size, payload.size() - at));
    require(as_text(frame) == comparison::bulk_message(kind, piece) + '\n');
  }
  MemorySource back(as_bytes(stream));
  FrameReader reader(back, bulk_form(kind).direction);
  PayloadSource source(reader);
  std::vector<std::byte> bytes(payload.size() + 1);
  require(*read_full(source, bytes) == payload.size());
  require(std::ranges::equal(payload, ByteView(bytes).first(payload.size())));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  // The first two bytes choose the direction and the sizes of pieces; the rest is the stream.
  const Direction direction = (data[0] & 1) != 0 ? Direction::kResponses : Direction::kRequests;
  const std::size_t step = 1 + (data[0] >> 1);
  const std::size_t frame_size = 1 + data[1];
  const std::string_view stream(reinterpret_cast<const char*>(data + 2), size - 2);

  for (std::string_view rest = stream; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (!line.empty()) require(compare(line, direction).difference == nullptr);
  }
  MemorySource whole(as_bytes(stream));
  Pieces pieces(stream, step);
  require(transcript(whole, direction) == transcript(pieces, direction));
  constexpr Bulk kKinds[] = {Bulk::kDataRequest, Bulk::kStdinRequest, Bulk::kDataResponse};
  round_trip(as_bytes(stream), kKinds[data[1] % 3], frame_size);
  return 0;
}
