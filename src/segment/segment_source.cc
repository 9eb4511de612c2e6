#include "segment/segment_source.h"

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>

#include "base/check.h"

namespace millrace {

namespace {

// lend takes up to n bytes off the front of `output` and counts them as delivered.
ByteView lend(ByteView& output, std::size_t n, std::optional<std::uint64_t>& remaining) {
  const ByteView bytes = output.first(std::min(n, output.size()));
  output = output.subspan(bytes.size());
  if (remaining) *remaining -= bytes.size();
  return bytes;
}

}  // namespace

std::optional<std::uint64_t> stream_size(const SegmentStage& stage, ByteView header, std::optional<std::uint64_t> in) {
  if (!in) return std::nullopt;
  const SegmentLayout& layout = stage.layout();
  const Result<std::uint64_t> size =
      stage.direction() == Direction::kSeal ? layout.cipher_size(*in) : layout.plain_size(layout.header_size() + *in);
  // A size that no stream has is no promise; pulling will say what is wrong with it.
  if (!size) return std::nullopt;
  return stage.direction() == Direction::kSeal ? *size - layout.header_size() + header.size() : *size;
}

SegmentSource::SegmentSource(const SegmentStage& stage, ByteView header, Source& in)
    : stage_(stage),
      feed_(in),
      intake_(stage, in.remaining()),
      output_(header),
      remaining_(stream_size(stage, header, in.remaining())) {}

Result<ByteView> SegmentSource::pull(ByteSpan scratch) {
  MR_CHECK(!scratch.empty());
  while (output_.empty()) {
    if (batch_.error()) return *batch_.error();
    if (intake_.done()) return ByteView{};
    feed_.next_batch(intake_, batch_, true);
    output_ = batch_.run(stage_, scratch);
  }
  return lend(output_, scratch.size(), remaining_);
}

PieceSource::PieceSource(const SegmentStage& stage, ByteView header, Source& in)
    : in_(in),
      pieces_(stage, in.remaining()),
      output_(header),
      remaining_(stream_size(stage, header, in.remaining())) {}

Result<ByteView> PieceSource::pull(ByteSpan scratch) {
  MR_CHECK(!scratch.empty());
  while (output_.empty()) {
    if (failed_) return *failed_;
    if (pieces_.done()) return ByteView{};
    ByteSpan out = scratch;
    if (out.size() < pieces_.least_room()) {
      if (own_.size() == 0) {
        own_ = Slab::acquire(pieces_.least_room() + 4096);
        own_.cleanse_on_release();
      }
      out = own_.bytes();
    }
    const Result<std::size_t> sealed = next(out);
    if (!sealed) {
      failed_ = sealed.error();
      return *failed_;
    }
    output_ = out.first(*sealed);
  }
  return lend(output_, scratch.size(), remaining_);
}

// next seals one piece, or what comes at the end, into `out`.
Result<std::size_t> PieceSource::next(ByteSpan out) {
  const std::size_t most = pieces_.most(out.size());
  if (most == 0) return pieces_.end(out);
  MR_TRY(const ByteView plain, in_.pull(out.subspan(pieces_.lead(), most)));
  return plain.empty() ? pieces_.end(out) : pieces_.seal(plain, out);
}

ParallelSegmentSource::ParallelSegmentSource(const SegmentStage& stage, ByteView header, Source& in, unsigned threads)
    : stage_(stage),
      output_(header),
      remaining_(stream_size(stage, header, in.remaining())),
      feed_(in),
      intake_(stage, in.remaining()) {
  MR_CHECK(threads >= 1);
  // One batch for each worker. One of them is with the consumer, which is busy too: it writes what it was lent.
  ring_.resize(threads);
  try {
    for (unsigned i = 0; i < threads; ++i) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // No more threads for this process: those that there are do the work, or the one that pulls.
    if (workers_.empty()) alone_.emplace(stage, header, in);
  }
}

ParallelSegmentSource::~ParallelSegmentSource() {
  {
    const std::lock_guard lock(state_);
    stop_ = true;
  }
  changed_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ParallelSegmentSource::work() {
  try {
    take_turns();
  } catch (const std::bad_alloc&) {
    const std::lock_guard lock(state_);
    if (!failed_work_) failed_work_ = Error{ErrorCode::kIo, "memory", 0, ENOMEM};
    stop_ = true;
    changed_.notify_all();
  }
}

void ParallelSegmentSource::take_turns() {
  for (;;) {
    Slot* slot = nullptr;
    {
      const std::lock_guard turn(input_);
      if (input_over_) return;
      {
        std::unique_lock lock(state_);
        changed_.wait(lock, [&] { return stop_ || filled_ - lent_ < ring_.size(); });
        if (stop_) return;
        slot = &ring_[filled_ % ring_.size()];
      }
      feed_.next_batch(intake_, slot->batch, false);
      input_over_ = intake_.done() || feed_.failed();
      slot->last = input_over_;
      const std::lock_guard lock(state_);
      ++filled_;
    }
    slot->output = slot->batch.run(stage_, {});
    const std::lock_guard lock(state_);
    slot->done = true;
    changed_.notify_all();
  }
}

Result<ByteView> ParallelSegmentSource::pull(ByteSpan scratch) {
  MR_CHECK(!scratch.empty());
  if (alone_) return alone_->pull(scratch);
  while (output_.empty()) {
    if (failed_) return *failed_;
    if (finished_) return ByteView{};
    std::unique_lock lock(state_);
    if (lending_) {
      Slot& given_back = ring_[lent_ % ring_.size()];
      lending_ = false;
      if (given_back.batch.error()) {
        failed_ = given_back.batch.error();
        stop_ = true;
        changed_.notify_all();
        continue;
      }
      if (given_back.last) {
        finished_ = true;
        continue;
      }
      given_back.done = false;
      ++lent_;
      changed_.notify_all();
    }
    Slot& next = ring_[lent_ % ring_.size()];
    changed_.wait(lock, [&] { return next.done || failed_work_; });
    if (!next.done) {
      failed_ = failed_work_;
      continue;
    }
    lending_ = true;
    output_ = next.output;
  }
  return lend(output_, scratch.size(), remaining_);
}

}  // namespace millrace
