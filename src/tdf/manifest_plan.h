// ManifestPlan: how large the manifest of a new file becomes, before a byte of the file is sealed.
//
// Everything but the table of segments is the same whatever the plaintext, and an entry of the table differs only in
// the digits of its sizes. So the size is arithmetic: a file's length can be told in advance, and a segment size be
// chosen with which readers that refuse a manifest above 10 MiB can read the file.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "millrace/result.h"
#include "millrace/tdf_manifest.h"

namespace millrace::tdf {

class ManifestPlan {
 public:
  // `prototype` is a manifest of the file to be, with signed assertions and everything else but segments; the sizes of
  // its texts count, not what they say. `max_size` is for the JSON text.
  static Result<ManifestPlan> create(Manifest prototype, std::uint64_t max_size);

  // size is that of the JSON text for a plaintext of `plain_size` bytes in segments of `segment_size`. Requires less
  // than 2^32 segments.
  std::uint64_t size(std::uint64_t plain_size, std::uint64_t segment_size) const;
  bool fits(std::uint64_t plain_size, std::uint64_t segment_size) const {
    return size(plain_size, segment_size) <= max_size_;
  }
  // max_segments is how many full segments fit.
  std::uint64_t max_segments(std::uint64_t segment_size) const;

  // choose_segment_size gives `wanted` if the manifest fits then, else the first of its doubles, up to
  // kMaxPortableSegmentSize, with which it does. Errors: too_large().
  Result<std::uint64_t> choose_segment_size(std::uint64_t plain_size, std::uint64_t wanted) const;
  // too_large is the error for a plaintext that does not fit; detail: a segment size in KiB that would do, 0 if none.
  Error too_large(std::uint64_t plain_size, std::uint64_t segment_size) const;

 private:
  struct Token {
    std::uint64_t around = 0;  // bytes of a signature besides its claims
    std::uint64_t claims = 0;  // bytes of the claims, decoded, besides the signed aggregate and hash
  };
  std::uint64_t assertions_size(std::uint64_t segments) const;

  std::uint64_t max_size_ = 0;
  SegmentHash hash_ = SegmentHash::kGmac;
  SpecVersion version_ = SpecVersion::k430;
  std::uint64_t fixed_ = 0;          // without the table, the default sizes and the signatures of assertions
  std::uint64_t hash_in_token_ = 0;  // of an assertion, as it stands behind the aggregate
  std::uint64_t aggregate_ = 0;      // bytes in the aggregate for each segment
  std::vector<Token> tokens_;
};

}  // namespace millrace::tdf
