// SegmentPieces and StreamPieces: sealing with memory that does not depend on the segment size.
//
// A segment that is sealed whole must first be there whole. A cipher with a PieceSealer needs only the piece in hand,
// so a piece is read, sealed in place and written while it is in the cache, with what stands before and behind the
// ciphertext of a segment around the first and the last piece of it. Opening has no such form: plaintext leaves after
// its tag was verified.
#pragma once

#include <memory>
#include <optional>

#include "millrace/bytes.h"
#include "millrace/result.h"
#include "segment/piece_sealer.h"
#include "segment/segment_stage.h"
#include "stream/slab.h"

namespace millrace {

// The plaintext of one step. What the kernel copies from and to and the piece itself are three times this; with 256 KiB
// they fit in a second-level cache of 1 MiB, and a system call of that size loses nothing.
inline constexpr std::size_t kPieceSize = kStreamBuffer;
// And of one step between files: the page cache makes larger pages for larger writes, which gains more than the
// second-level cache loses (1 GiB to a new file in segments of 1 MiB: 6.5 GB/s in four pieces each, 7.8 in one).
inline constexpr std::size_t kFilePieceSize = std::size_t{1} << 20;

// can_seal_pieces is the rule: the cipher has a PieceSealer, and nothing about the end of the input needs to be known
// before it comes: its length `total` is known, or the format does not seal which segment is the last. Where it answers
// no, SegmentSource and SegmentSink are the drivers.
bool can_seal_pieces(const SegmentCipher& cipher, std::optional<std::uint64_t> total);
// prefers_pieces tells whether it is also worth it: the stage seals, and segments and input are larger than a piece.
// Smaller segments are better off in batches.
bool prefers_pieces(const SegmentStage& stage, std::optional<std::uint64_t> total);

enum class Input : bool { kGoesOn, kEnded };

// SegmentPieces seals one segment after the other, in any order, each from pieces. The cipher must outlive it and have
// a PieceSealer.
class SegmentPieces {
 public:
  explicit SegmentPieces(const SegmentCipher& cipher);

  // begin starts a segment of cut.size bytes of plaintext, or of at most as many. One that was not completed is given
  // up.
  void begin(const Cut& cut);
  bool open() const { return open_; }                            // a segment has begun and is not complete
  std::size_t left() const { return left_; }                     // bytes of plaintext that may still come
  std::size_t lead() const { return fresh_ ? front_size_ : 0; }  // bytes that the next output has before the ciphertext
  // seal takes the next bytes, at most left(), and writes lead(), their ciphertext and, when the segment is complete,
  // its tag: that many bytes are returned. A segment is complete with its last byte or the end of the input. `in`
  // starts at out.data() + lead() or does not overlap `out`. On failure what would have been written is zeroed.
  // Requires open().
  Result<std::size_t> seal(ByteView in, ByteSpan out, Input input = Input::kGoesOn);

 private:
  std::unique_ptr<PieceSealer> sealer_;
  std::size_t front_size_;
  std::size_t tag_size_;
  Cut cut_;
  std::size_t left_ = 0;
  bool open_ = false;
  bool fresh_ = false;  // nothing of the segment has been written
};

// StreamPieces seals a whole input from pieces, without I/O: the core of PieceSource and PieceSink. An empty input is
// one empty segment; one that ends with a full segment has no empty one behind it.
class StreamPieces {
 public:
  // Requires can_seal_pieces(stage.cipher(), total), and a stage that seals.
  StreamPieces(const SegmentStage& stage, std::optional<std::uint64_t> total)
      : stage_(stage), cutter_(stage, total), pieces_(stage.cipher()) {}

  // The next plaintext is best built at out.subspan(lead(), most(out.size())), for an `out` of least_room() or more;
  // then it is sealed in place. most() is 0 only when all of a known length has been taken.
  std::size_t lead() const { return pieces_.open() ? pieces_.lead() : stage_.layout().front_size(); }
  std::size_t most(std::size_t room) const;
  std::size_t least_room() const { return stage_.layout().overhead() + 64; }
  // seal takes 1 to most() bytes and returns how many it wrote, as SegmentPieces does. kLimitExceeded for one segment
  // too many.
  Result<std::size_t> seal(ByteView in, ByteSpan out);
  // end says that no more bytes come, and writes what is missing. kIo if a known length was not reached.
  Result<std::size_t> end(ByteSpan out);
  bool done() const { return cutter_.done() && !pieces_.open(); }
  // Bytes of plaintext still to come, if the length is known.
  std::optional<std::uint64_t> left() const;

 private:
  SegmentStage stage_;
  SegmentCutter cutter_;
  SegmentPieces pieces_;
};

}  // namespace millrace
