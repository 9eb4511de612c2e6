// The drivers of ChunkParser.
#include <algorithm>

#include "base/check.h"
#include "millrace/aws_chunked.h"
#include "s3/aws_chunked_parser.h"
#include "stream/slab.h"

namespace millrace::aws_chunked {

struct DecodingSource::State {
  ChunkParser parser;
  Source& encoded;
  Slab buffer;  // what `encoded` fills; payload is lent from here
  ByteView in;
  ByteView released;
  std::optional<Error> failed;
  bool ended = false;

  // next returns payload, or nothing at the end of a good body.
  Result<ByteView> next() {
    for (;;) {
      MR_TRY(const ByteView payload, parser.take(in));
      if (!payload.empty()) return payload;
      if (buffer.size() == 0) buffer = Slab::acquire(kStreamBuffer);
      MR_TRY(in, encoded.pull(buffer.bytes()));
      if (!in.empty()) continue;
      MR_TRY(parser.finish());
      ended = true;
      return ByteView{};
    }
  }
};

DecodingSource::DecodingSource(std::unique_ptr<State> state) : state_(std::move(state)) {}
DecodingSource::DecodingSource(DecodingSource&&) noexcept = default;
DecodingSource& DecodingSource::operator=(DecodingSource&&) noexcept = default;
DecodingSource::~DecodingSource() = default;

Result<DecodingSource> DecodingSource::create(const Format& format, Source& encoded, const ChunkSigning* signing,
                                              const DecodeOptions& options) {
  MR_TRY(ChunkParser parser, ChunkParser::create(format, signing, options));
  return DecodingSource(std::unique_ptr<State>(new State{std::move(parser), encoded, {}, {}, {}, {}, false}));
}

Result<ByteView> DecodingSource::pull(ByteSpan scratch) {
  MR_CHECK(!scratch.empty());
  State& state = *state_;
  if (state.failed) return *state.failed;
  if (state.released.empty() && !state.ended) {
    const Result<ByteView> next = state.next();
    if (!next) {
      state.failed = next.error();
      return *state.failed;
    }
    state.released = *next;
  }
  const ByteView bytes = state.released.first(std::min(scratch.size(), state.released.size()));
  state.released = state.released.subspan(bytes.size());
  return bytes;
}

std::optional<std::uint64_t> DecodingSource::remaining() const {
  const std::optional<std::uint64_t> length = state_->parser.decoded_length();
  if (!length) return std::nullopt;
  return *length - state_->parser.decoded() + state_->released.size();
}

struct DecodingSink::State {
  ChunkParser parser;
  Sink& payload;
  Slab buffer;  // made at the first scratch()
  std::optional<Error> failed;

  Status write(ByteView in) {
    for (;;) {
      MR_TRY(const ByteView bytes, parser.take(in));
      if (bytes.empty()) return Ok{};
      MR_TRY(payload.write(bytes));
    }
  }
  Status finish() {
    MR_TRY(parser.finish());
    return payload.finish();
  }
  Status keep(const Status& status) {
    if (!status) failed = status.error();
    return status;
  }
};

DecodingSink::DecodingSink(std::unique_ptr<State> state) : state_(std::move(state)) {}
DecodingSink::DecodingSink(DecodingSink&&) noexcept = default;
DecodingSink& DecodingSink::operator=(DecodingSink&&) noexcept = default;
DecodingSink::~DecodingSink() = default;

Result<DecodingSink> DecodingSink::create(const Format& format, Sink& payload, const ChunkSigning* signing,
                                          const DecodeOptions& options) {
  MR_TRY(ChunkParser parser, ChunkParser::create(format, signing, options));
  return DecodingSink(std::unique_ptr<State>(new State{std::move(parser), payload, {}, {}}));
}

ByteSpan DecodingSink::scratch() {
  if (state_->buffer.size() == 0) state_->buffer = Slab::acquire(kStreamBuffer);
  return state_->buffer.bytes();
}

Status DecodingSink::write(ByteView bytes) {
  if (state_->failed) return *state_->failed;
  return state_->keep(state_->write(bytes));
}

Status DecodingSink::finish() {
  if (state_->failed) return *state_->failed;
  return state_->keep(state_->finish());
}

}  // namespace millrace::aws_chunked
