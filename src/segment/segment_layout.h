// SegmentLayout: where a stream of sealed segments lies, by arithmetic and never by running the cipher.
#pragma once

#include <cstddef>
#include <cstdint>

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

  std::size_t header_size() const { return params_.header_size; }
  std::size_t segment_size() const { return params_.segment_size; }
  std::size_t front_size() const { return params_.front_size; }
  std::size_t tag_size() const { return params_.tag_size; }
  std::size_t overhead() const { return params_.front_size + params_.tag_size; }  // of each segment
  std::uint64_t max_segments() const { return params_.max_segments; }

  // The bytes of segment `index` when it is full: as it stands in the stream, and of its plaintext.
  std::size_t cipher_capacity(std::uint64_t index) const {
    return params_.segment_size - (index == 0 ? params_.first_shorter_by : 0);
  }
  std::size_t plain_capacity(std::uint64_t index) const { return cipher_capacity(index) - overhead(); }

  // Where segment `index` starts in the stream and in the plaintext. Exact for any index below max_segments.
  std::uint64_t cipher_offset(std::uint64_t index) const {
    return params_.header_size + (index == 0 ? 0 : index * params_.segment_size - params_.first_shorter_by);
  }
  std::uint64_t plain_offset(std::uint64_t index) const {
    return index == 0 ? 0 : index * plain_capacity(1) - params_.first_shorter_by;
  }
  // The segment in which plaintext byte `offset` lies.
  std::uint64_t segment_of(std::uint64_t offset) const {
    return (offset + params_.first_shorter_by) / plain_capacity(1);
  }

  // How many segments a plaintext takes, and the size of the whole stream. kLimitExceeded beyond max_segments.
  Result<std::uint64_t> segment_count(std::uint64_t plain_size) const;
  Result<std::uint64_t> cipher_size(std::uint64_t plain_size) const;
  // The inverse: the plaintext size of a stream of `cipher_size` bytes. A size that no stream has is kNotAuthentic (it
  // was cut). The answer is only as good as the size: it is proved when the last segment has been opened as the last.
  Result<std::uint64_t> plain_size(std::uint64_t cipher_size) const;
  // The number of segments in a stream of `cipher_size` bytes; kNotAuthentic as above. An empty last segment after full
  // ones counts: some writers make one.
  Result<std::uint64_t> segment_count_of_stream(std::uint64_t cipher_size) const;

 private:
  explicit SegmentLayout(const Params& params) : params_(params) {}
  Params params_;
};

}  // namespace millrace
