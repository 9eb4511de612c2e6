#include <algorithm>

#include "millrace/digest.h"

namespace millrace {

namespace {

void update_all(std::span<Digest> digests, ByteView bytes) {
  // Several digests read each piece while it is in the cache, however much passes at once.
  constexpr std::size_t kPiece = 64 * 1024;
  while (!bytes.empty()) {
    const ByteView piece = bytes.first(digests.size() == 1 ? bytes.size() : std::min(kPiece, bytes.size()));
    for (Digest& digest : digests) digest.update(piece);
    bytes = bytes.subspan(piece.size());
  }
}

}  // namespace

Result<ByteView> DigestSource::pull(ByteSpan scratch) {
  MR_TRY(const ByteView bytes, inner_.pull(scratch));
  update_all(digests_, bytes);
  return bytes;
}

// The bytes may lie in the inner sink's scratch, which is gone after its write().
Status DigestSink::write(ByteView bytes) {
  update_all(digests_, bytes);
  return inner_.write(bytes);
}

}  // namespace millrace
