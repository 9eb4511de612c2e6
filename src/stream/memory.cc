#include <algorithm>

#include "base/check.h"
#include "base/copy.h"
#include "millrace/stream.h"
#include "stream/slab.h"

namespace millrace {

namespace {

// lend takes up to n bytes off the front of `left`.
ByteView lend(ByteView& left, std::size_t n) {
  const ByteView out = left.first(std::min(n, left.size()));
  left = left.subspan(out.size());
  return out;
}

}  // namespace

Result<ByteView> MemorySource::pull(ByteSpan scratch) {
  MR_CHECK(!scratch.empty());
  return lend(left_, scratch.size());
}

Result<ByteView> PrependSource::pull(ByteSpan scratch) {
  MR_CHECK(!scratch.empty());
  if (!first_.empty()) return lend(first_, scratch.size());
  return rest_.pull(scratch);
}

std::optional<std::uint64_t> PrependSource::remaining() const {
  const std::optional<std::uint64_t> rest = rest_.remaining();
  if (!rest) return std::nullopt;
  return first_.size() + *rest;
}

// The vector grows by doubling, and its free end is the scratch.
ByteSpan MemorySink::scratch() {
  if (used_ == bytes_.size()) bytes_.resize(std::max<std::size_t>(4096, 2 * bytes_.size()));
  return ByteSpan(bytes_).subspan(used_);
}

Status MemorySink::write(ByteView bytes) {
  if (bytes.data() != bytes_.data() + used_) {
    if (bytes_.size() - used_ < bytes.size()) bytes_.resize(std::max(used_ + bytes.size(), 2 * bytes_.size()));
    copy_bytes(ByteSpan(bytes_).subspan(used_), bytes);
  }
  used_ += bytes.size();
  return Ok{};
}

Status MemorySink::finish() { return Ok{}; }

struct NullSink::Buffer {
  Slab slab = Slab::acquire(kStreamBuffer);
};

NullSink::NullSink() = default;
NullSink::~NullSink() = default;

ByteSpan NullSink::scratch() {
  if (!buffer_) buffer_ = std::make_unique<Buffer>();
  return buffer_->slab.bytes();
}

Status NullSink::write(ByteView bytes) {
  count_ += bytes.size();
  return Ok{};
}

Status MemoryReadAt::read_at(std::uint64_t offset, ByteSpan dst) const {
  if (offset > bytes_.size() || dst.size() > bytes_.size() - offset) {
    return Error{ErrorCode::kInvalidArgument, "read beyond the end", offset};
  }
  copy_bytes(dst, bytes_.subspan(offset, dst.size()));
  return Ok{};
}

Result<SliceReadAt> SliceReadAt::create(const ReadAt& in, std::uint64_t from, std::uint64_t size) {
  if (from > in.size() || size > in.size() - from) {
    return Error{ErrorCode::kInvalidArgument, "slice beyond the end", in.size()};
  }
  return SliceReadAt(in, from, size);
}

Status SliceReadAt::read_at(std::uint64_t offset, ByteSpan dst) const {
  if (offset > size_ || dst.size() > size_ - offset) {
    return Error{ErrorCode::kInvalidArgument, "read beyond the end", offset};
  }
  return in_->read_at(from_ + offset, dst);
}

Result<ByteView> ReadAtSource::pull(ByteSpan scratch) {
  MR_CHECK(!scratch.empty());
  if (failed_) return *failed_;
  const ByteSpan dst = scratch.first(static_cast<std::size_t>(std::min<std::uint64_t>(scratch.size(), end_ - at_)));
  if (dst.empty()) return ByteView{};
  if (const Status status = in_.read_at(at_, dst); !status) {
    failed_ = status.error();
    return *failed_;
  }
  at_ += dst.size();
  return ByteView(dst);
}

}  // namespace millrace
