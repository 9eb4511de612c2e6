#include "segment/segment_stage.h"

#include <algorithm>

#include "base/check.h"

namespace millrace {

bool SegmentCutter::decided(std::size_t have, bool ended) const {
  if (done_) return false;
  const std::size_t capacity = stage_.in_capacity(next_);
  if (left_) return have >= std::min<std::uint64_t>(capacity, *left_);
  return ended || have > capacity;
}

Result<Cut> SegmentCutter::cut(std::size_t have) {
  MR_CHECK(!done_);
  const std::size_t capacity = stage_.in_capacity(next_);
  const std::uint64_t left = left_.value_or(have);  // not decided before the end is seen, so `have` is all there is
  const Last last = left <= capacity ? Last::kYes : Last::kNo;
  const std::size_t size = last == Last::kYes ? static_cast<std::size_t>(left) : capacity;
  MR_TRY(const Cut cut, check(stage_, next_, last, size));
  // The index moves on before the bytes are used: whatever happens to them, no two segments get the same nonce.
  ++next_;
  done_ = last == Last::kYes;
  if (left_) *left_ -= size;
  return cut;
}

std::size_t SegmentCutter::next_size() const {
  if (done_) return 0;
  const std::size_t capacity = stage_.in_capacity(next_);
  return left_ ? static_cast<std::size_t>(std::min<std::uint64_t>(capacity, *left_)) : capacity;
}

Result<Cut> SegmentCutter::begin() {
  MR_CHECK(!done_);
  if (left_) return cut(0);  // what is there matters only while the length is not known
  MR_TRY(const Cut cut, check(stage_, next_, Last::kYes, stage_.in_capacity(next_)));  // it may be
  ++next_;
  return cut;
}

Result<Cut> SegmentCutter::cut_at(const SegmentStage& stage, std::uint64_t total, std::uint64_t index) {
  const std::uint64_t start = stage.in_offset(index) - stage.in_offset(0);
  MR_CHECK(start <= total);
  const std::uint64_t left = total - start;
  const std::size_t capacity = stage.in_capacity(index);
  const Last last = left <= capacity ? Last::kYes : Last::kNo;
  return check(stage, index, last, last == Last::kYes ? static_cast<std::size_t>(left) : capacity);
}

Result<Cut> SegmentCutter::check(const SegmentStage& stage, std::uint64_t index, Last last, std::size_t size) {
  if (const std::uint64_t only = stage.layout().only_size(); only != 0) {
    // A format that lists its segments need not seal which one is the last: here is where a cut stream is found out.
    if (stage.direction() == Direction::kSeal) return Error{ErrorCode::kInvalidArgument, "layout of another stream"};
    const std::uint64_t end = stage.in_offset(index) + size;
    if (end > only || (end == only) != (last == Last::kYes)) {
      return Error{ErrorCode::kNotAuthentic, "stream differs from the list of segments", stage.in_offset(index)};
    }
  }
  if (index >= stage.layout().max_segments() - (last == Last::kNo)) {
    return Error{ErrorCode::kLimitExceeded, "number of segments", stage.in_offset(index)};
  }
  if (stage.direction() == Direction::kOpen && size < stage.layout().overhead()) {
    return Error{ErrorCode::kNotAuthentic, "truncated segment", stage.in_offset(index)};
  }
  return Cut{static_cast<std::uint32_t>(index), last, size};
}

}  // namespace millrace
