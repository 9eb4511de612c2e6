// The positional drivers: a whole stream from position to position on several threads, and random access to plaintext.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "millrace/stream.h"
#include "segment/segment_stage.h"
#include "stream/slab.h"

namespace millrace {

// transform_at seals or opens a stream of known size. `threads` workers take runs of segments, read each at its place,
// work, and write the result to its place: no order, no copy. Sealing reads plaintext and writes `header` and segments;
// opening reads a whole stream and writes plaintext, which is not the user's until all of it has been verified: a
// caller keeps it aside (a temporary file) until transform_at returns. `out` null: everything is verified, nothing is
// written. Memory: threads x one batch, or x one piece when sealing segments larger than that with a
// cipher that has a PieceSealer. Errors: of the first bad segment in the order of the stream.
Status transform_at(const SegmentStage& stage, ByteView header, const ReadAt& in, const WriteAt* out, unsigned threads);

// SegmentReadAt gives random access to the plaintext of a stream. It is safe from many threads; the segment opened last
// is kept, so that small reads in order open each segment once. What is read has been verified, and so has the end of
// the stream; segments that no read needed have not, which those without plaintext (in a list) may never be.
class SegmentReadAt final : public ReadAt {
 public:
  // create opens the last segment first, so that the size is proved before it is believed. `in` is the whole stream
  // and must outlive the result, as must `cipher`.
  static Result<std::unique_ptr<SegmentReadAt>> create(const SegmentCipher& cipher, const ReadAt& in);

  // A read up to the end is fine, one beyond it is kInvalidArgument. On failure dst is zeroed.
  Status read_at(std::uint64_t offset, ByteSpan dst) const override;
  std::uint64_t size() const override { return plain_size_; }
  std::uint64_t segment_count() const { return count_; }

 private:
  SegmentReadAt(const SegmentCipher& cipher, const ReadAt& in, std::uint64_t count, std::uint64_t plain_size)
      : stage_(cipher, Direction::kOpen), in_(in), count_(count), plain_size_(plain_size) {}
  // open_segments opens `count` whole segments into dst, which has their plaintext's size.
  Status open_segments(std::uint64_t first, std::uint64_t count, ByteSpan dst) const;
  // read_part copies a part of segment `index` from what is kept, or opens it and keeps it.
  Status read_part(std::uint64_t index, std::size_t skip, ByteSpan dst) const;
  std::uint64_t plain_end(std::uint64_t index) const;

  SegmentStage stage_;
  const ReadAt& in_;
  std::uint64_t count_;
  std::uint64_t plain_size_;

  mutable std::mutex mutex_;
  mutable Slab kept_;  // plaintext of segment kept_index_
  mutable std::uint64_t kept_index_ = ~std::uint64_t{0};
};

}  // namespace millrace
