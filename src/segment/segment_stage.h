// SegmentStage: one direction of a segment format, so that every driver is written once for sealing and opening.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "millrace/bytes.h"
#include "millrace/result.h"
#include "segment/segment_cipher.h"

namespace millrace {

enum class Direction : bool { kSeal, kOpen };

// Cut says which input bytes make the next segment.
struct Cut {
  std::uint32_t index = 0;
  Last last = Last::kNo;
  std::size_t size = 0;  // input bytes: plaintext when sealing, a whole segment when opening
};

// SegmentStage borrows the cipher, which must outlive it. Const calls are safe from many threads.
class SegmentStage {
 public:
  SegmentStage(const SegmentCipher& cipher, Direction direction)
      : cipher_(&cipher), layout_(&cipher.layout()), direction_(direction) {}

  Direction direction() const { return direction_; }
  const SegmentCipher& cipher() const { return *cipher_; }
  const SegmentLayout& layout() const { return *layout_; }

  // Bytes of a full segment `index` on the input and the output side.
  std::size_t in_capacity(std::uint64_t index) const {
    return sealing() ? layout().plain_capacity(index) : layout().cipher_capacity(index);
  }
  std::size_t out_capacity(std::uint64_t index) const {
    return sealing() ? layout().cipher_capacity(index) : layout().plain_capacity(index);
  }
  std::size_t out_size(std::size_t in_size) const {
    return sealing() ? in_size + layout().overhead() : in_size - layout().overhead();
  }
  // Where segment `index` starts; the input of opening begins behind the header, whose bytes are counted all the same.
  std::uint64_t in_offset(std::uint64_t index) const {
    return sealing() ? layout().plain_offset(index) : layout().cipher_offset(index);
  }
  std::uint64_t out_offset(std::uint64_t index) const {
    return sealing() ? layout().cipher_offset(index) : layout().plain_offset(index);
  }
  // To work in place, a segment's input starts this far into its buffer and its output that far. The kernel copies to
  // addresses off the 64-byte grid several times slower (rep movsb on Zen 4), so the input lies on it.
  std::size_t in_place_in() const { return sealing() ? (layout().front_size() + 63) / 64 * 64 : 0; }
  std::size_t in_place_out() const { return sealing() ? in_place_in() - layout().front_size() : layout().front_size(); }
  std::size_t in_place_tail() const { return sealing() ? layout().tag_size() : 0; }  // room behind the input

  // run seals or opens one segment: in.size() == cut.size, out.size() == out_size(cut.size), aliasing as in
  // SegmentCipher. On failure `out` is zeroed.
  Status run(const Cut& cut, ByteView in, ByteSpan out) const {
    return sealing() ? cipher_->seal(cut.index, cut.last, in, out) : cipher_->open(cut.index, cut.last, in, out);
  }

 private:
  bool sealing() const { return direction_ == Direction::kSeal; }

  const SegmentCipher* cipher_;
  const SegmentLayout* layout_;  // asked for once: small writes ask often
  Direction direction_;
};

// SegmentCutter decides where one segment of the input ends and the next begins, which one is the last, and how many
// there may be. It is the one place where these decisions are made; drivers only move bytes.
//
// Without a known length, a full buffer is not yet known to be the last segment: it is cut only when another byte is
// there or the input has ended.
class SegmentCutter {
 public:
  // `total` is the length of the input, without a header, if it is known.
  SegmentCutter(const SegmentStage& stage, std::optional<std::uint64_t> total) : stage_(stage), left_(total) {}

  bool done() const { return done_; }
  std::optional<std::uint64_t> left() const { return left_; }
  std::uint64_t next_index() const { return next_; }
  const SegmentStage& stage() const { return stage_; }

  // decided tells whether the first `have` bytes of what is left hold a segment whose end is known.
  bool decided(std::size_t have, bool ended) const;
  // cut takes the next segment off them. Requires decided(). Errors: kNotAuthentic for a segment that is too short
  // or, when the layout is a list, not the end that the list has; kLimitExceeded for one too many.
  Result<Cut> cut(std::size_t have);

  // For sealing by pieces, where a segment begins before all of it is there. next_size is how many bytes it will have,
  // or may have at most while the length is not known; 0 when all of a known length has been cut. begin takes it:
  // without a known length `last` is not yet true of it, and end() says that none comes after it. Require !done().
  std::size_t next_size() const;
  Result<Cut> begin();
  void end() { done_ = true; }

  // cut_at is the same decision for any segment of an input of known length, for drivers that work by position.
  // Requires index < the number of segments of that input.
  static Result<Cut> cut_at(const SegmentStage& stage, std::uint64_t total, std::uint64_t index);

 private:
  static Result<Cut> check(const SegmentStage& stage, std::uint64_t index, Last last, std::size_t size);

  SegmentStage stage_;
  std::optional<std::uint64_t> left_;
  std::uint64_t next_ = 0;
  bool done_ = false;
};

}  // namespace millrace
