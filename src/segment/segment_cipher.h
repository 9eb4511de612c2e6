// SegmentCipher: all that the engine asks of a segment format.
#pragma once

#include <cstdint>
#include <memory>

#include "millrace/bytes.h"
#include "millrace/result.h"
#include "segment/piece_sealer.h"
#include "segment/segment_layout.h"

namespace millrace {

enum class Last : bool { kNo, kYes };

// SegmentCipher seals and opens single segments of one stream. It does no I/O and keeps no position: the engine tells
// it which segment it has in hand. Both calls are const and safe from many threads at once; what a format gathers per
// segment (a hash for its manifest) goes to a slot of its own by `index`.
class SegmentCipher {
 public:
  virtual ~SegmentCipher() = default;
  virtual const SegmentLayout& layout() const = 0;

  // seal encrypts segment `index` of the stream. out.size() == plaintext.size() + layout().overhead(); the plaintext
  // starts at out.data() + layout().front_size() or does not overlap out. On failure `out` is zeroed.
  virtual Status seal(std::uint32_t index, Last last, ByteView plaintext, ByteSpan out) const = 0;

  // open authenticates and decrypts segment `index`. segment.size() >= layout().overhead() and out.size() ==
  // segment.size() - layout().overhead(); out starts at segment.data() + layout().front_size() or does not overlap the
  // segment. On failure (kNotAuthentic, offset of the segment in the stream) `out` is zeroed.
  virtual Status open(std::uint32_t index, Last last, ByteView segment, ByteSpan out) const = 0;

  // piece_sealer returns what seals segments of this stream piece by piece, to the same bytes as seal(), or null for a
  // format that cannot. The cipher must outlive it. For one thread; another thread asks for its own.
  virtual std::unique_ptr<PieceSealer> piece_sealer() const { return nullptr; }
  // seals_last tells whether the bytes of a segment depend on `last`. If not, a segment can begin before it is known
  // whether it is the last one.
  virtual bool seals_last() const { return true; }
};

}  // namespace millrace
