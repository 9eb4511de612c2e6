// SegmentLayout: where a stream of sealed segments lies, by arithmetic or from a list, never by running the cipher.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "millrace/result.h"

namespace millrace {

// A stream of segments, as every segment format here lays it out:
//
//   | header | segment 0 | segment 1 | ... | segment n-1 |        segment = | front | ciphertext | tag |
//
// All segments but the last are full. Segment 0 may be shorter than the others, so that later ones start at a multiple
// of the segment size. An empty plaintext is one segment without ciphertext.
//
//   Tink: header 24 or 40, no front, tag 16 (GCM) or 10..64 (CTR-HMAC), segment 0 shorter by the header.
//   TDF:  no header, front 12 (the nonce), tag 16, segment 0 like the others.
//
// A format that writes down the size of each segment (TDF) may have segments of any sizes: listed() makes the layout of
// that one stream. Copies of a layout are cheap; they share the list.
class SegmentLayout {
 public:
  struct Params {
    std::uint64_t header_size = 0;       // bytes of the stream before segment 0
    std::uint64_t segment_size = 0;      // bytes of a full segment, front and tag included; at most 2^31 - 1
    std::uint64_t front_size = 0;        // bytes of a segment before its ciphertext
    std::uint64_t tag_size = 0;          // bytes of a segment after its ciphertext
    std::uint64_t first_shorter_by = 0;  // how many bytes segment 0 is shorter than segment_size when full
    std::uint64_t max_segments = std::uint64_t{1} << 32;
  };

  // Refused (kInvalidArgument) unless a full segment 0 holds at least one byte of plaintext.
  static Result<SegmentLayout> create(const Params& params);

  // listed is the layout of the one stream whose segments have these sizes, front and tag included; empty plaintext is
  // allowed anywhere. A list that arithmetic describes (all full, the last not longer) is not kept. It is for opening:
  // sealing by it is refused (SegmentCutter). The sizes are taken to be input: kMalformed for an empty list or a size
  // that is 0, below overhead() or above 2^31 - 1, kLimitExceeded for more than 2^32; Error::offset is the place in the
  // list. kInvalidArgument as for create(). Memory: 8 bytes for each segment.
  static Result<SegmentLayout> listed(std::uint64_t header_size, std::uint64_t front_size, std::uint64_t tag_size,
                                      std::span<const std::uint64_t> cipher_sizes);

  std::size_t header_size() const { return params_.header_size; }
  std::size_t segment_size() const { return params_.segment_size; }  // of the largest, when listed
  std::size_t front_size() const { return params_.front_size; }
  std::size_t tag_size() const { return params_.tag_size; }
  std::size_t overhead() const { return params_.front_size + params_.tag_size; }  // of each segment
  std::size_t first_shorter_by() const { return params_.first_shorter_by; }
  std::uint64_t max_segments() const { return params_.max_segments; }
  // The size of the one stream that a listed layout describes; 0 for a layout of any stream.
  std::uint64_t only_size() const { return only_size_; }

  // The bytes of segment `index` when it is full: as it stands in the stream, and of its plaintext. Behind the end of a
  // list: those of the largest.
  std::size_t cipher_capacity(std::uint64_t index) const {
    if (offsets_) [[unlikely]]
      return listed_size(index);
    return params_.segment_size - (index == 0 ? params_.first_shorter_by : 0);
  }
  std::size_t plain_capacity(std::uint64_t index) const { return cipher_capacity(index) - overhead(); }

  // Where segment `index` starts in the stream and in the plaintext. Exact for any index below max_segments, and for a
  // list also at its end.
  std::uint64_t cipher_offset(std::uint64_t index) const {
    if (offsets_) [[unlikely]]
      return listed_offset(index);
    return params_.header_size + (index == 0 ? 0 : index * params_.segment_size - params_.first_shorter_by);
  }
  std::uint64_t plain_offset(std::uint64_t index) const {
    if (offsets_) [[unlikely]]
      return listed_plain_offset(index);
    return index == 0 ? 0 : index * plain_capacity(1) - params_.first_shorter_by;
  }
  // The segment in which plaintext byte `offset` lies.
  std::uint64_t segment_of(std::uint64_t offset) const {
    if (offsets_) [[unlikely]]
      return listed_segment_of(offset);
    return (offset + params_.first_shorter_by) / plain_capacity(1);
  }
  // How many full segments from `first` on have at most `bytes` of the stream together; at least 1. A list knows where
  // it ends, arithmetic does not.
  std::uint64_t run(std::uint64_t first, std::uint64_t bytes) const {
    if (offsets_) [[unlikely]]
      return listed_run(first, bytes);
    return bytes < params_.segment_size ? 1 : bytes / params_.segment_size;
  }

  // How many segments a plaintext takes, and the size of the whole stream. kLimitExceeded beyond max_segments.
  // A listed layout answers for its own plaintext only; any other size is kInvalidArgument.
  Result<std::uint64_t> segment_count(std::uint64_t plain_size) const;
  Result<std::uint64_t> cipher_size(std::uint64_t plain_size) const;
  // The inverse: the plaintext size of a stream of `cipher_size` bytes. A size that no stream has is kNotAuthentic (it
  // was cut), as is any but only_size() if there is one. The answer is only as good as the size: it is proved when the
  // last segment has been opened as the last.
  Result<std::uint64_t> plain_size(std::uint64_t cipher_size) const;
  // The number of segments in a stream of `cipher_size` bytes; kNotAuthentic as above. An empty last segment after full
  // ones counts: some writers make one.
  Result<std::uint64_t> segment_count_of_stream(std::uint64_t cipher_size) const;

 private:
  explicit SegmentLayout(const Params& params) : params_(params) {}
  std::size_t listed_size(std::uint64_t index) const;
  std::uint64_t listed_offset(std::uint64_t index) const;
  std::uint64_t listed_plain_offset(std::uint64_t index) const;
  std::uint64_t listed_segment_of(std::uint64_t offset) const;
  std::uint64_t listed_run(std::uint64_t first, std::uint64_t bytes) const;
  std::uint64_t listed_count() const { return offsets_->size() - 1; }

  Params params_;
  std::uint64_t only_size_ = 0;
  std::shared_ptr<const std::vector<std::uint64_t>> offsets_;  // of each listed segment in the stream, and of its end
};

}  // namespace millrace
