#include "segment/segment_layout.h"

#include <algorithm>
#include <limits>

namespace millrace {

Result<SegmentLayout> SegmentLayout::create(const Params& params) {
  const auto refuse = [](std::string_view field) { return Error{ErrorCode::kInvalidArgument, field}; };
  constexpr std::uint64_t kMaxSegmentSize = std::numeric_limits<std::int32_t>::max();
  if (params.segment_size > kMaxSegmentSize) return refuse("segment size");
  if (params.front_size > kMaxSegmentSize || params.tag_size > kMaxSegmentSize) return refuse("segment overhead");
  if (params.header_size > kMaxSegmentSize) return refuse("header size");
  if (params.first_shorter_by > kMaxSegmentSize) return refuse("first segment offset");
  if (params.max_segments == 0 || params.max_segments > (std::uint64_t{1} << 32)) return refuse("number of segments");
  // The sizes above are below 2^31 and the index below 2^32, so no sum or product here or in the header overflows.
  if (params.segment_size <= params.front_size + params.tag_size + params.first_shorter_by) {
    return refuse("segment size: no room for plaintext in the first segment");
  }
  return SegmentLayout(params);
}

Result<std::uint64_t> SegmentLayout::segment_count(std::uint64_t plain_size) const {
  const std::uint64_t first = plain_capacity(0);
  const std::uint64_t full = plain_capacity(1);
  const std::uint64_t rest = plain_size <= first ? 0 : plain_size - first;
  const std::uint64_t count = 1 + rest / full + (rest % full != 0);
  if (count > params_.max_segments) return Error{ErrorCode::kLimitExceeded, "number of segments", plain_size};
  return count;
}

Result<std::uint64_t> SegmentLayout::cipher_size(std::uint64_t plain_size) const {
  MR_TRY(const std::uint64_t count, segment_count(plain_size));
  return params_.header_size + plain_size + count * overhead();
}

Result<std::uint64_t> SegmentLayout::segment_count_of_stream(std::uint64_t cipher_size) const {
  if (cipher_size < params_.header_size + overhead()) {
    return Error{ErrorCode::kNotAuthentic, "stream too short", cipher_size};
  }
  const std::uint64_t body = cipher_size - params_.header_size;
  if (body > std::numeric_limits<std::uint64_t>::max() - params_.first_shorter_by) {
    return Error{ErrorCode::kLimitExceeded, "stream size"};
  }
  const std::uint64_t aligned = body + params_.first_shorter_by;  // as if segment 0 were as long as the others
  const std::uint64_t count =
      std::max<std::uint64_t>(1, aligned / params_.segment_size + (aligned % params_.segment_size != 0));
  if (count > params_.max_segments) return Error{ErrorCode::kLimitExceeded, "number of segments", cipher_size};
  const std::uint64_t last = count == 1 ? body : aligned - (count - 1) * params_.segment_size;
  if (last < overhead()) return Error{ErrorCode::kNotAuthentic, "last segment too short", cipher_size - last};
  return count;
}

Result<std::uint64_t> SegmentLayout::plain_size(std::uint64_t cipher_size) const {
  MR_TRY(const std::uint64_t count, segment_count_of_stream(cipher_size));
  return cipher_size - params_.header_size - count * overhead();
}

}  // namespace millrace
