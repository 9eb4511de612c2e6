#include "segment/stream_head.h"

#include <algorithm>

#include "base/check.h"
#include "base/copy.h"
#include "segment/segment_source.h"

namespace millrace {

namespace {

// enlarge returns a slab of at least `need` bytes that begins with the first `size` of `old`. The head of a stream is
// ciphertext: there is nothing to cleanse.
Slab enlarge(const Slab& old, std::size_t size, std::size_t need) {
  Slab larger = Slab::acquire(need);
  copy_bytes(larger.bytes(), old.bytes().first(size));
  return larger;
}

}  // namespace

Result<StreamStart> read_head(StreamHead& head, Source& from) {
  StreamStart start;
  bool ended = false;
  for (;;) {
    MR_TRY(StreamHead::Verdict verdict, head.examine(start.head.bytes().first(start.size), ended));
    if (verdict.cipher) {
      start.cipher = std::move(verdict.cipher);
      return start;
    }
    MR_CHECK(!ended && verdict.need > start.size);
    if (start.head.size() < verdict.need) start.head = enlarge(start.head, start.size, verdict.need);
    const ByteSpan room = start.head.bytes().first(verdict.need).subspan(start.size);
    MR_TRY(const std::size_t n, read_full(from, room));
    start.size += n;
    ended = n < room.size();
  }
}

Result<std::unique_ptr<const SegmentCipher>> read_head(StreamHead& head, const ReadAt& from) {
  Slab slab;
  std::size_t size = 0;
  for (;;) {
    MR_TRY(StreamHead::Verdict verdict, head.examine(slab.bytes().first(size), size == from.size()));
    if (verdict.cipher) return std::move(verdict.cipher);
    MR_CHECK(size < from.size() && verdict.need > size);
    const std::size_t next = static_cast<std::size_t>(std::min<std::uint64_t>(verdict.need, from.size()));
    slab = enlarge(slab, size, next);
    MR_TRY(from.read_at(size, slab.bytes().subspan(size)));
    size = next;
  }
}

Result<ByteView> OpenSource::pull(ByteSpan scratch) {
  if (failed_) return *failed_;
  if (!opened_) {
    Result<StreamStart> start = read_head(head_, in_);
    if (!start) {
      failed_ = start.error();
      return *failed_;
    }
    start_ = std::move(*start);
    body_.emplace(start_.rest(), in_);
    const SegmentStage stage(*start_.cipher, Direction::kOpen);
    if (threads_ > 1) {
      opened_ = std::make_unique<ParallelSegmentSource>(stage, ByteView{}, *body_, threads_);
    } else {
      opened_ = std::make_unique<SegmentSource>(stage, ByteView{}, *body_);
    }
  }
  return opened_->pull(scratch);
}

void OpenSink::grow() {
  const std::size_t want = std::max<std::size_t>(need_, 64);
  if (start_.head.size() < want) start_.head = enlarge(start_.head, start_.size, want);
}

ByteSpan OpenSink::scratch() {
  if (body_) return body_->scratch();
  grow();
  return start_.head.bytes().subspan(start_.size);
}

Status OpenSink::write(ByteView bytes) {
  if (failed_) return *failed_;
  while (!bytes.empty() && !body_) {
    grow();
    const ByteSpan room = start_.head.bytes().subspan(start_.size);
    const ByteView part = bytes.first(std::min(bytes.size(), room.size()));
    if (part.data() != room.data()) copy_bytes(room, part);
    start_.size += part.size();
    bytes = bytes.subspan(part.size());
    if (start_.size >= need_) MR_TRY(examine(false));
  }
  if (!bytes.empty()) return body_->write(bytes);
  return Ok{};
}

Status OpenSink::finish() {
  if (failed_) return *failed_;
  if (!body_) MR_TRY(examine(true));
  return body_->finish();
}

Status OpenSink::examine(bool ended) {
  Result<StreamHead::Verdict> verdict = head_.examine(start_.head.bytes().first(start_.size), ended);
  if (!verdict) return fail(verdict.error());
  if (!verdict->cipher) {
    MR_CHECK(!ended && verdict->need > start_.size);
    need_ = verdict->need;
    return Ok{};
  }
  start_.cipher = std::move(verdict->cipher);
  body_.emplace(SegmentStage(*start_.cipher, Direction::kOpen), ByteView{}, std::nullopt, out_);
  const ByteView rest = start_.rest();
  if (!rest.empty()) return body_->write(rest);
  return Ok{};
}

Status OpenSink::fail(const Error& error) {
  failed_ = error;
  return error;
}

}  // namespace millrace
