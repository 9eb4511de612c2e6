// PieceSealer: sealing a segment without ever having all of it.
#pragma once

#include <cstdint>

#include "millrace/bytes.h"
#include "millrace/result.h"

namespace millrace {

enum class Last : bool;

// PieceSealer seals segments piece by piece, so that neither memory nor cache has to hold one. There is no opener of
// this kind: plaintext may not leave before its tag is verified. One segment at a time, one thread at a time; several
// sealers of one cipher may work at once, on different segments.
class PieceSealer {
 public:
  virtual ~PieceSealer() = default;
  // start begins segment `index` and writes what stands before its ciphertext; front.size() == layout().front_size().
  // `last` must be right: a format that does not seal it may be told anything.
  virtual Status start(std::uint32_t index, Last last, ByteSpan front) = 0;
  // update seals the next bytes; out.size() == in.size(); out starts at in.data() or does not overlap it.
  virtual Status update(ByteView in, ByteSpan out) = 0;
  // finish writes what stands behind the ciphertext; tag.size() == layout().tag_size().
  virtual Status finish(ByteSpan tag) = 0;
};

}  // namespace millrace
