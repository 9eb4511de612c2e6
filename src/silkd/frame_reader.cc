// Bytes arrive in memory that the input lends or behind those of an unfinished frame in our own buffer; a frame is
// handed on where it lies. Each byte is searched for a newline once, when it arrives.
#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/copy.h"
#include "millrace/base64.h"
#include "silkd/bulk_frame.h"
#include "stream/slab.h"

namespace millrace::silkd {

namespace {

// Buffer sizes: small for a connection that carries control frames, then large enough for a frame of a MiB; the last
// is for the cap and a newline. A jump is rarer than doubling and copies what was there once.
constexpr std::size_t kBufferSizes[] = {64 * 1024, 1 << 21, kMaxFrame + 1};

}  // namespace

struct FrameReader::State {
  State(Source& i, Direction d) : in(i), direction(d) {}

  Result<bool> next();
  Result<bool> next_line();
  Result<std::size_t> payload(ByteSpan out);
  bool is_base64() const;
  Status parse();
  Status keep(ByteView bytes);
  void make_room();
  void grow_to(std::size_t n);
  Error refuse(Error error);

  Source& in;
  const Direction direction;

  Slab buffer;
  std::size_t held = 0;        // of an unfinished frame, at the start of the buffer; no newline among them
  ByteView arrived;            // behind those, and not looked at yet
  bool lends = false;          // `in` lent the last ones
  bool ended = false;          // `in` has no more
  std::uint64_t position = 0;  // of the frame in the stream
  std::uint64_t next_position = 0;

  ByteView frame;                // the current one, without its newline
  std::optional<BulkText> bulk;  // of a frame that looks like a bulk frame, or that turned out to be one
  bool parsed = false;           // `message` is that of this frame
  bool taken = true;             // its payload was taken or there is none
  std::variant<Request, Response> message;
  std::string unknown;
  std::optional<Error> failed;
};

FrameReader::FrameReader(Source& in, Direction direction) : state_(std::make_unique<State>(in, direction)) {}
FrameReader::~FrameReader() = default;

Direction FrameReader::direction() const { return state_->direction; }

namespace {

// ParsedBulk is what a parsed message carries if it is a bulk frame.
struct ParsedBulk {
  Bulk kind;
  ByteView bytes;
};
std::optional<ParsedBulk> bulk_of(const std::variant<Request, Response>& message) {
  if (const Request* request = std::get_if<Request>(&message)) {
    if (const auto* m = std::get_if<request::Data>(request)) return ParsedBulk{Bulk::kDataRequest, m->data};
    if (const auto* m = std::get_if<request::Stdin>(request)) return ParsedBulk{Bulk::kStdinRequest, m->data};
    return std::nullopt;
  }
  const Response& response = std::get<Response>(message);
  if (const auto* m = std::get_if<response::Data>(&response)) return ParsedBulk{Bulk::kDataResponse, m->data};
  if (const auto* m = std::get_if<response::Stdout>(&response)) return ParsedBulk{Bulk::kStdoutResponse, m->data};
  if (const auto* m = std::get_if<response::Stderr>(&response)) return ParsedBulk{Bulk::kStderrResponse, m->data};
  return std::nullopt;
}

}  // namespace

Error FrameReader::State::refuse(Error error) {
  failed = error;
  bulk.reset();
  taken = true;
  return error;
}

// grow_to moves what is held to a buffer of at least n bytes.
void FrameReader::State::grow_to(std::size_t n) {
  Slab larger = Slab::acquire(*std::ranges::find_if(kBufferSizes, [&](std::size_t size) { return size >= n; }));
  copy_bytes(larger.bytes(), buffer.bytes().first(held));
  buffer = std::move(larger);
}

// make_room sees that the next bytes of an unfinished frame have a place. A buffer that one fills by half is likely to
// be too small for it.
void FrameReader::State::make_room() {
  if (buffer.size() <= kMaxFrame && held >= buffer.size() / 2) grow_to(buffer.size() + 1);
}

// keep puts bytes of an unfinished frame behind those that are held.
Status FrameReader::State::keep(ByteView bytes) {
  const std::size_t total = held + bytes.size();
  if (total > kMaxFrame) return Error{ErrorCode::kLimitExceeded, "silkd frame", position};
  if (total > buffer.size()) grow_to(total);  // only bytes that lie elsewhere can be too many
  if (bytes.data() != buffer.bytes().data() + held) copy_bytes(buffer.bytes().subspan(held), bytes);
  held = total;
  return Ok{};
}

// next_line sets `frame`; false at the end of the stream.
Result<bool> FrameReader::State::next_line() {
  position = next_position;
  for (;;) {
    const std::size_t length = as_text(arrived).find('\n');  // memchr: as fast as memory
    if (length != std::string_view::npos) {
      const ByteView rest = arrived.subspan(length + 1);
      if (held + length > kMaxFrame) return Error{ErrorCode::kLimitExceeded, "silkd frame", position};
      if (held == 0) {
        frame = arrived.first(length);
      } else {
        MR_TRY(keep(arrived.first(length)));
        frame = buffer.bytes().first(std::exchange(held, 0));
      }
      arrived = rest;
      next_position = position + frame.size() + 1;
      return true;
    }
    MR_TRY(keep(std::exchange(arrived, {})));
    if (ended) {
      if (held == 0) return false;
      frame = buffer.bytes().first(std::exchange(held, 0));
      next_position = position + frame.size();
      return true;
    }
    make_room();
    ByteSpan room = buffer.bytes().subspan(held);
    // Bytes that are read are best decoded before the next ones push them out of the cache; those that are lent are
    // best lent in one piece, so that no frame has to be put together.
    if (!lends) room = room.first(std::min(room.size(), kStreamBuffer));
    MR_TRY(arrived, in.pull(room));
    lends = !arrived.empty() && arrived.data() != room.data();
    ended = arrived.empty();
  }
}

Status FrameReader::State::parse() {
  Status status = Ok{};
  const auto read = [&](auto result) {
    if (result) {
      message = *std::move(result);
      parsed = true;
    } else {
      Error error = result.error();
      error.offset += position;
      status = refuse(error);
    }
  };
  if (direction == Direction::kRequests) {
    read(decode_request(frame, &unknown));
  } else {
    read(decode_response(frame, &unknown));
  }
  return status;
}

// is_base64 tells whether a payload that nobody takes could be decoded.
bool FrameReader::State::is_base64() const {
  constexpr std::size_t kPiece = 4096;
  std::array<std::byte, kPiece / 4 * 3> out;
  Base64Decoder decoder;
  for (std::string_view text = bulk->text; !text.empty(); text.remove_prefix(std::min(kPiece, text.size()))) {
    if (!decoder.update(text.substr(0, kPiece), out)) return false;
  }
  return decoder.finish(out).has_value();
}

Result<bool> FrameReader::State::next() {
  if (failed) return *failed;
  if (!taken && !parsed && !is_base64()) MR_TRY(parse());
  bulk.reset();
  parsed = false;
  taken = true;
  const Result<bool> more = next_line();
  if (!more) return refuse(more.error());
  if (!*more) return false;
  bulk = find_bulk_text(as_text(frame), direction);
  if (!bulk) {
    MR_TRY(parse());
    if (const std::optional<ParsedBulk> found = bulk_of(message)) bulk = BulkText{found->kind, {}};
  }
  taken = !bulk.has_value();
  return true;
}

Result<std::size_t> FrameReader::State::payload(ByteSpan out) {
  taken = true;
  if (!parsed) {
    const Result<std::size_t> size = base64_decode(bulk->text, out);
    if (size) return *size;
    // The text may have escapes, or other fields behind it.
    MR_TRY(parse());
  }
  const std::optional<ParsedBulk> found = bulk_of(message);
  MR_CHECK(found && found->kind == bulk->kind);  // the name is in the head, and may not stand there twice
  copy_bytes(out, found->bytes);
  return found->bytes.size();
}

Result<bool> FrameReader::next() { return state_->next(); }

std::optional<Bulk> FrameReader::bulk() const {
  if (!state_->bulk) return std::nullopt;
  return state_->bulk->kind;
}

std::size_t FrameReader::payload_capacity() const {
  MR_CHECK(state_->bulk);
  if (state_->parsed) return bulk_of(state_->message)->bytes.size();
  return base64_decoded_capacity(state_->bulk->text.size());
}

Result<std::size_t> FrameReader::payload(ByteSpan out) {
  MR_CHECK(state_->bulk && !state_->taken);
  const std::size_t capacity = payload_capacity();
  MR_CHECK(out.size() >= capacity);
  return state_->payload(out.first(capacity));
}

const Request& FrameReader::request() const {
  MR_CHECK(!state_->bulk && state_->parsed);
  return std::get<Request>(state_->message);
}

const Response& FrameReader::response() const {
  MR_CHECK(!state_->bulk && state_->parsed);
  return std::get<Response>(state_->message);
}

const std::string& FrameReader::unknown_name() const { return state_->unknown; }

}  // namespace millrace::silkd
