// The pull drivers: a Source of sealed or opened bytes over a Source of the others.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "millrace/stream.h"
#include "segment/segment_intake.h"
#include "segment/segment_pieces.h"

namespace millrace {

// SegmentSource works on the thread that pulls. It lends what it has sealed or opened in place, or works straight into
// a scratch that holds a whole batch. Memory: one batch (SegmentIntake). Errors are sticky; segments before a bad one
// are delivered first.
class SegmentSource final : public Source {
 public:
  // `header` is sent before segment 0 (empty when opening: the header has been read). All must outlive this.
  SegmentSource(const SegmentStage& stage, ByteView header, Source& in);

  Result<ByteView> pull(ByteSpan scratch) override;
  // What is to come when it all goes well; a stream that was cut or changed fails instead.
  std::optional<std::uint64_t> remaining() const override { return remaining_; }

 private:
  SegmentStage stage_;
  SourceFeed feed_;
  SegmentIntake intake_;
  SegmentBatch batch_;
  ByteView output_;  // to be lent
  std::optional<std::uint64_t> remaining_;
};

// PieceSource seals piece by piece, for ciphers and inputs that can_seal_pieces() allows: as SegmentSource, but with
// memory that does not depend on the segment size. A piece is pulled to where its ciphertext must lie in the scratch,
// or sealed from where it was lent into it; a scratch of less than some 100 bytes is served from a small buffer. An
// error may come in the middle of a segment.
class PieceSource final : public Source {
 public:
  // As SegmentSource. Requires can_seal_pieces(stage.cipher(), in.remaining()), and a stage that seals.
  PieceSource(const SegmentStage& stage, ByteView header, Source& in);

  Result<ByteView> pull(ByteSpan scratch) override;
  std::optional<std::uint64_t> remaining() const override { return remaining_; }

 private:
  Result<std::size_t> next(ByteSpan out);

  Source& in_;
  StreamPieces pieces_;
  ByteView output_;  // to be lent
  std::optional<std::uint64_t> remaining_;
  Slab own_;  // for what does not fit into a very small scratch
  std::optional<Error> failed_;
};

// ParallelSegmentSource reads ahead: workers take turns at the input, work on their batches side by side, and the
// batches are lent in order. Memory: one batch for each worker. Back-pressure is not pulling: with all batches full, no
// one reads. The destructor waits for a pull of the input that is under way.
class ParallelSegmentSource final : public Source {
 public:
  // As SegmentSource; `in` is used by one worker at a time. threads >= 1 workers.
  ParallelSegmentSource(const SegmentStage& stage, ByteView header, Source& in, unsigned threads);
  ~ParallelSegmentSource() override;

  Result<ByteView> pull(ByteSpan scratch) override;
  std::optional<std::uint64_t> remaining() const override { return alone_ ? alone_->remaining() : remaining_; }

 private:
  struct Slot {
    SegmentBatch batch;
    ByteView output;
    bool done = false;  // worked on, not yet lent
    bool last = false;  // nothing comes after it
  };
  void work();
  void take_turns();

  SegmentStage stage_;
  ByteView output_;
  std::optional<std::uint64_t> remaining_;
  std::optional<Error> failed_;  // of the consumer's side
  bool finished_ = false;

  std::mutex input_;  // held by the worker whose turn at the input it is
  SourceFeed feed_;
  SegmentIntake intake_;
  bool input_over_ = false;

  std::mutex state_;
  std::condition_variable changed_;
  std::vector<Slot> ring_;
  std::uint64_t filled_ = 0;  // batches taken from the input so far
  std::uint64_t lent_ = 0;    // batches lent and given back
  bool lending_ = false;      // batch number lent_ is with the consumer
  bool stop_ = false;
  std::optional<Error> failed_work_;    // a worker that had to give up
  std::optional<SegmentSource> alone_;  // when the system gave no thread at all
  std::vector<std::thread> workers_;
};

// stream_size is the remaining() of a stage: what `stage` makes of `in` bytes, header included, if that is known.
std::optional<std::uint64_t> stream_size(const SegmentStage& stage, ByteView header, std::optional<std::uint64_t> in);

}  // namespace millrace
