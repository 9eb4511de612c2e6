// SegmentIntake and SegmentBatch: the engine between the bytes that arrive and the segments that leave.
//
// Every streaming driver is the same three steps, and here they are once, without I/O:
//   1. bytes arrive: built or read straight into room(), or lent by whoever has them          (SegmentIntake)
//   2. the cutter says which of them are whole segments                                       (SegmentIntake)
//   3. those are sealed or opened: in place, or straight into memory that the consumer gave   (SegmentBatch)
// A batch is one large segment, or as many small ones as make a good system call (kStreamBuffer), so that a 4 KiB
// segment does not cost two system calls. Several batches may be in step 3 at once, on several threads.
#pragma once

#include <optional>
#include <vector>

#include "millrace/bytes.h"
#include "millrace/result.h"
#include "millrace/stream.h"
#include "segment/segment_stage.h"
#include "stream/slab.h"

namespace millrace {

// SegmentBatch is a run of consecutive segments on their way through the cipher.
class SegmentBatch {
 public:
  // run seals or opens the batch, into `direct` if everything fits there, else in place or into a buffer of the batch.
  // What it returns starts at direct.data() or is valid until the batch is used again. Segments before one that fails
  // are good and are returned; the failure is then in error().
  ByteView run(const SegmentStage& stage, ByteSpan direct);

  // The error that comes after the output of this batch: of a segment, or of the input behind it.
  const std::optional<Error>& error() const { return error_; }
  void fail(const Error& error) {
    if (!error_) error_ = error;
  }
  bool empty() const { return cuts_.empty(); }

  // For drivers that work by position: makes room for `size` bytes of input, to be filled by the caller, cut as `cuts`.
  // A buffer that has to be made has room for `most`, what any later batch of the same driver will want.
  ByteSpan prepare(const SegmentStage& stage, std::vector<Cut>& cuts, std::size_t size, std::size_t most);

 private:
  friend class SegmentIntake;

  Slab in_;         // the input lies in_place_in() into it, unless it is lent
  Slab out_;        // used when the batch cannot work in place and `direct` is too small
  ByteView input_;  // the bytes of all cuts
  std::vector<Cut> cuts_;
  std::optional<Error> error_;
};

class SegmentIntake {
 public:
  // `total` is the length of the input without its header, if known: then nothing is looked ahead for.
  SegmentIntake(const SegmentStage& stage, std::optional<std::uint64_t> total);

  // room returns memory for the next input bytes, never empty. It grows (buffer_growth.h) when it is full; `pending` is
  // how many bytes are known to come. Requires !ready() and !done().
  ByteSpan room(std::size_t pending = 1);
  // take accepts bytes that were built at room(), or a part of bytes from elsewhere, and returns how many; 0 when it
  // only mattered that there are more. Bytes from elsewhere are used where they lie, without a copy, when they hold
  // whole segments and `may_lend` says that they stay valid until the batch has run. Requires !ready() and !done().
  std::size_t take(ByteView bytes, bool may_lend);
  // end says that no more bytes come.
  void end() { ended_ = true; }

  // ready: at least one segment can be cut. done: the last segment has been cut, or an error ended the stream.
  bool ready() const { return !failed_ && cutter_.decided(have_ + beyond_, ended_); }
  bool ended() const { return ended_; }
  bool done() const { return cutter_.done() || failed_; }

  // take_batch moves all segments that can be cut, and the buffer they lie in, to `batch`.
  void take_batch(SegmentBatch& batch);
  // recycle takes the buffer of a batch that has been used up for the next input, so that one driver with one batch
  // needs one buffer.
  void recycle(SegmentBatch& batch);

 private:
  const SegmentStage& stage() const { return cutter_.stage(); }
  void plan();
  void restore_carry();
  bool guessing() const;
  bool too_small_for(std::size_t bytes) const;
  void grow(std::size_t bytes);
  std::size_t capacity() const;  // input bytes that buffer_ can hold
  ByteSpan buffered() const { return buffer_.bytes().subspan(stage().in_place_in()); }  // requires a buffer
  std::size_t whole_segments(std::size_t size) const;

  SegmentCutter cutter_;
  Slab buffer_;             // the input of the next batch
  ByteView lent_;           // or the bytes lent for it
  std::size_t have_ = 0;    // bytes of input, in lent_ or buffer_ or, until restore_carry(), in carry_
  std::size_t beyond_ = 0;  // 1: another byte is known to follow those lent
  std::size_t full_ = 0;    // how many bytes this batch wants at most
  std::size_t target_;      // how large batches have become: they grow like buffers do
  bool filled_ = false;     // there was as much input as this batch wanted
  Slab carry_;              // bytes behind the last cut, on their way to the next batch
  bool carrying_ = false;
  bool ended_ = false;
  bool failed_ = false;
};

// SourceFeed pulls a source into an intake.
class SourceFeed {
 public:
  explicit SourceFeed(Source& source) : source_(source) {}

  // next_batch gathers until a segment can be cut, and cuts. A failure of the source is the error of the batch; an
  // empty batch without an error cannot be. `may_lend`: the batch runs before the next call. Requires !intake.done().
  void next_batch(SegmentIntake& intake, SegmentBatch& batch, bool may_lend);
  bool failed() const { return failed_; }

 private:
  Source& source_;
  ByteView pending_;  // pulled, not yet taken; valid until the next pull
  bool failed_ = false;
};

}  // namespace millrace
