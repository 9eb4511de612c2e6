#include "segment/segment_layout.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace millrace {

namespace {

constexpr std::uint64_t kMaxSegmentSize = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kMaxSegments = std::uint64_t{1} << 32;

Error refuse(std::string_view field) { return Error{ErrorCode::kInvalidArgument, field}; }

}  // namespace

Result<SegmentLayout> SegmentLayout::create(const Params& params) {
  if (params.segment_size > kMaxSegmentSize) return refuse("segment size");
  if (params.front_size > kMaxSegmentSize || params.tag_size > kMaxSegmentSize) return refuse("segment overhead");
  if (params.header_size > kMaxSegmentSize) return refuse("header size");
  if (params.first_shorter_by > kMaxSegmentSize) return refuse("first segment offset");
  if (params.max_segments == 0 || params.max_segments > kMaxSegments) return refuse("number of segments");
  // The sizes above are below 2^31 and the index below 2^32, so no sum or product here or in the header overflows.
  if (params.segment_size <= params.front_size + params.tag_size + params.first_shorter_by) {
    return refuse("segment size: no room for plaintext in the first segment");
  }
  return SegmentLayout(params);
}

Result<SegmentLayout> SegmentLayout::listed(std::uint64_t header_size, std::uint64_t front_size, std::uint64_t tag_size,
                                            std::span<const std::uint64_t> cipher_sizes) {
  if (front_size > kMaxSegmentSize || tag_size > kMaxSegmentSize) return refuse("segment overhead");
  if (header_size > kMaxSegmentSize) return refuse("header size");
  if (cipher_sizes.empty()) return Error{ErrorCode::kMalformed, "list of segments is empty"};
  const std::uint64_t count = cipher_sizes.size();
  if (count > kMaxSegments) return Error{ErrorCode::kLimitExceeded, "number of segments", count};

  const std::uint64_t first = cipher_sizes.front();
  const std::uint64_t smallest = std::max<std::uint64_t>(1, front_size + tag_size);
  std::uint64_t largest = 0;
  std::uint64_t end = header_size;  // at most 2^31 + 2^32 x 2^31
  bool uniform = first > front_size + tag_size;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t size = cipher_sizes[i];
    if (size < smallest) return Error{ErrorCode::kMalformed, "listed segment too short", i};
    if (size > kMaxSegmentSize) return Error{ErrorCode::kMalformed, "listed segment too long", i};
    if (size > first || (size < first && i + 1 < count)) uniform = false;
    largest = std::max(largest, size);
    end += size;
  }
  SegmentLayout layout(Params{header_size, largest, front_size, tag_size, 0, count});
  layout.only_size_ = end;
  if (uniform) return layout;

  std::vector<std::uint64_t> offsets;
  offsets.reserve(count + 1);
  offsets.push_back(header_size);
  for (const std::uint64_t size : cipher_sizes) offsets.push_back(offsets.back() + size);
  layout.offsets_ = std::make_shared<const std::vector<std::uint64_t>>(std::move(offsets));
  return layout;
}

std::size_t SegmentLayout::listed_size(std::uint64_t index) const {
  if (index >= listed_count()) return params_.segment_size;
  return static_cast<std::size_t>((*offsets_)[index + 1] - (*offsets_)[index]);
}

std::uint64_t SegmentLayout::listed_offset(std::uint64_t index) const {
  return (*offsets_)[std::min(index, listed_count())];
}

std::uint64_t SegmentLayout::listed_plain_offset(std::uint64_t index) const {
  index = std::min(index, listed_count());
  return (*offsets_)[index] - params_.header_size - index * overhead();
}

// The last segment that starts at or before the byte: empty ones, which start where the next does, come before it.
std::uint64_t SegmentLayout::listed_segment_of(std::uint64_t offset) const {
  std::uint64_t found = 0;
  std::uint64_t beyond = listed_count();
  while (beyond - found > 1) {
    const std::uint64_t middle = found + (beyond - found) / 2;
    (listed_plain_offset(middle) <= offset ? found : beyond) = middle;
  }
  return found;
}

std::uint64_t SegmentLayout::listed_run(std::uint64_t first, std::uint64_t bytes) const {
  if (first >= listed_count()) return 1;
  const auto start = offsets_->begin() + static_cast<std::ptrdiff_t>(first);
  const auto beyond = std::upper_bound(start + 1, offsets_->end(), *start + bytes);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(beyond - start - 1));
}

Result<std::uint64_t> SegmentLayout::segment_count(std::uint64_t plain_size) const {
  if (only_size_ != 0) {
    MR_TRY(const std::uint64_t own, this->plain_size(only_size_));
    if (plain_size != own) return refuse("plaintext size of another stream");
    return segment_count_of_stream(only_size_);
  }
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
  if (only_size_ != 0 && cipher_size != only_size_) {
    return Error{ErrorCode::kNotAuthentic, "stream size differs from the list of segments", cipher_size};
  }
  if (offsets_) return listed_count();
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
