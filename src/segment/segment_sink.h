// The push drivers: Sinks that seal or open what is written to them and write the result to another Sink.
#pragma once

#include <optional>

#include "millrace/stream.h"
#include "segment/segment_intake.h"
#include "segment/segment_pieces.h"

namespace millrace {

// SegmentSink works on the thread that writes. Bytes built at scratch() and large writes are not copied. Only finish()
// makes the last segment: one that is dropped before leaves a stream that nobody can open as whole. It does not finish
// the sink below, which its owner may have more to write to. Errors are sticky; writing after finish() is an error, and
// finishing twice is harmless.
class SegmentSink final : public Sink {
 public:
  // `header` is written before segment 0. `total` is the length of the input, if it is known: then no segment waits for
  // a byte behind it, and another number of bytes is kInvalidArgument. All must outlive this.
  SegmentSink(const SegmentStage& stage, ByteView header, std::optional<std::uint64_t> total, Sink& out)
      : stage_(stage), intake_(stage, total), left_(total), header_(header), out_(out) {}

  ByteSpan scratch() override;
  Status write(ByteView bytes) override;
  Status finish() override;

 private:
  Status write_header();
  Status run_batch();
  Status fail(const Error& error);

  SegmentStage stage_;
  SegmentIntake intake_;
  SegmentBatch batch_;
  std::optional<std::uint64_t> left_;  // bytes announced and not yet written
  ByteView header_;                    // not yet written
  Sink& out_;
  std::optional<Error> failed_;
  bool finished_ = false;
};

// PieceSink seals piece by piece, for ciphers and inputs that can_seal_pieces() allows: as SegmentSink, but with memory
// that does not depend on the segment size. Plaintext built at scratch() lies in the scratch of the sink below, where
// its ciphertext will be; other bytes are sealed from where they lie into it. Neither is a copy.
class PieceSink final : public Sink {
 public:
  // `total` is the length of the plaintext, if it is known; another number of bytes is kInvalidArgument then. All must
  // outlive this. Requires can_seal_pieces(stage.cipher(), total), and a stage that seals.
  PieceSink(const SegmentStage& stage, ByteView header, std::optional<std::uint64_t> total, Sink& out)
      : pieces_(stage, total), header_(header), out_(out) {}

  ByteSpan scratch() override;
  Status write(ByteView bytes) override;
  Status finish() override;

 private:
  Status write_header();
  ByteSpan room();
  Status write_sealed(const Result<std::size_t>& size);
  Status fail(const Error& error);

  StreamPieces pieces_;
  ByteView header_;  // not yet written
  Sink& out_;
  ByteSpan room_;  // scratch of out_, until the next write to it
  Slab own_;       // used where that is too small to seal in
  std::optional<Error> failed_;
  bool finished_ = false;
};

}  // namespace millrace
