// The text of a manifest in three parts, so that a writer knows its size in advance and can make it piece by piece:
//
//   head | entry , entry , ... entry | tail
//
// The head ends at the opening bracket of the table of segments. With 90 bytes an entry the table is nearly all of it.
#pragma once

#include <cstdint>
#include <string>

#include "millrace/result.h"
#include "millrace/tdf_manifest.h"

namespace millrace::tdf {

struct ManifestText {
  std::string head;
  std::string tail;
};
// manifest_text ignores the segments. The root signature is in the head. Errors: kInvalidArgument, as to_json.
Result<ManifestText> manifest_text(const Manifest& manifest);

// append_segment adds one entry. Its size does not depend on the hash.
void append_segment(std::string& out, const Segment& segment, SegmentHash hash, SpecVersion version);
std::uint64_t segment_text_size(std::uint64_t plain_size, SegmentHash hash, SpecVersion version);

// append_json appends to_json(manifest): a large one need not be there twice.
Status append_json(std::string& out, const Manifest& manifest);

// json_size is to_json(manifest).size() for a manifest that differs from this one in its table: `segments` entries, the
// last of `last_plain_size` bytes and all before it of the manifest's default_plain_size. kInvalidArgument as to_json.
Result<std::uint64_t> json_size(const Manifest& without_segments, std::uint64_t segments,
                                std::uint64_t last_plain_size);

}  // namespace millrace::tdf
