#include "segment/segment_intake.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/copy.h"
#include "segment/buffer_growth.h"

namespace millrace {

namespace {

// Buffers of the byte path hold plaintext at one time or another; they are zeroed before they go back to the stock.
Slab acquire_cleansed(std::size_t size) {
  Slab slab = Slab::acquire(size);
  slab.cleanse_on_release();
  return slab;
}

}  // namespace

ByteView SegmentBatch::run(const SegmentStage& stage, ByteSpan direct) {
  std::size_t out_total = 0;
  for (const Cut& cut : cuts_) out_total += stage.out_size(cut.size);

  const bool in_buffer = in_.size() != 0 && input_.data() == in_.bytes().data() + stage.in_place_in();
  ByteSpan out;
  if (direct.size() >= out_total && out_total > 0) {
    out = direct;
  } else if (cuts_.size() == 1 && in_buffer) {
    out = in_.bytes().subspan(stage.in_place_out());
  } else {
    if (out_.size() < out_total) {
      out_ = Slab();
      // A run that begins with the shorter segment 0 must not make the next one ask for a little more.
      const bool from_start = cuts_.size() > 1 && cuts_.front().index == 0;
      out_ = acquire_cleansed(out_total + (from_start ? stage.layout().first_shorter_by() : 0));
    }
    out = out_.bytes();
  }

  ByteView in = input_;
  std::size_t done = 0;
  for (const Cut& cut : cuts_) {
    const std::size_t size = stage.out_size(cut.size);
    if (const Status status = stage.run(cut, in.first(cut.size), out.subspan(done, size)); !status) {
      error_ = status.error();  // comes before an error of the input behind this segment
      break;
    }
    in = in.subspan(cut.size);
    done += size;
  }
  cuts_.clear();
  return out.first(done);
}

ByteSpan SegmentBatch::prepare(const SegmentStage& stage, std::vector<Cut>& cuts, std::size_t size, std::size_t most) {
  if (in_.size() < stage.in_place_in() + size + stage.in_place_tail()) {
    in_ = Slab();
    in_ = acquire_cleansed(stage.in_place_in() + std::max(size, most) + stage.in_place_tail());
  }
  const ByteSpan room = in_.bytes().subspan(stage.in_place_in(), size);
  input_ = room;
  cuts_.swap(cuts);
  error_.reset();
  return room;
}

SegmentIntake::SegmentIntake(const SegmentStage& stage, std::optional<std::uint64_t> total)
    : cutter_(stage, total), target_(stage.in_capacity(0)) {
  plan();
}

std::size_t SegmentIntake::capacity() const {
  const std::size_t around = stage().in_place_in() + stage().in_place_tail();
  return buffer_.size() > around ? buffer_.size() - around : 0;
}

// plan decides how much the next batch may hold: whole segments, one byte more while the end is not known, and no more
// than is left.
void SegmentIntake::plan() {
  const std::uint64_t next = cutter_.next_index();
  const std::uint64_t run = stage().layout().run(next, std::min(target_, kStreamBuffer));
  full_ = static_cast<std::size_t>(stage().in_offset(next + run) - stage().in_offset(next)) + (cutter_.left() ? 0 : 1);
  if (cutter_.left()) full_ = static_cast<std::size_t>(std::min<std::uint64_t>(full_, *cutter_.left()));
}

// Of an unknown length, only a segment much larger than all before it is approached in steps, and so is the first: a
// known length is no guess, and a stream that has filled one segment is not small.
bool SegmentIntake::guessing() const {
  return !cutter_.left() && (cutter_.next_index() == 0 || full_ / 8 > std::max(target_, kStreamBuffer));
}

bool SegmentIntake::too_small_for(std::size_t bytes) const {
  return capacity() < bytes || (capacity() < full_ && !guessing());
}

// grow makes room for `bytes` at least, which are at most full_.
void SegmentIntake::grow(std::size_t bytes) {
  std::size_t next = guessing() ? grown_size(capacity(), full_, bytes) : full_;
  // Segment 0 may be shorter than the others; a buffer that holds all of it holds the next one as well.
  if (next == full_ && cutter_.next_index() == 0 && (!cutter_.left() || *cutter_.left() > full_))
    next += stage().layout().first_shorter_by();
  const std::size_t size = stage().in_place_in() + next + stage().in_place_tail();
  if (have_ == 0) {
    buffer_ = Slab();  // before the larger one is made: it may be what the stock gives
    buffer_ = acquire_cleansed(size);
  } else {
    buffer_.grow(size, stage().in_place_in() + have_);
  }
}

void SegmentIntake::restore_carry() {
  if (!carrying_) return;
  carrying_ = false;
  const std::size_t carried = std::exchange(have_, 0);
  if (ended_ ? capacity() < carried : too_small_for(carried)) grow(carried);
  copy_bytes(buffered(), carry_.bytes().first(carried));
  have_ = carried;
}

ByteSpan SegmentIntake::room(std::size_t pending) {
  MR_CHECK(lent_.empty() && !done());
  restore_carry();
  const std::size_t needed = std::min(have_ + pending, full_);
  if (too_small_for(needed)) grow(needed);
  return buffered().first(std::min(capacity(), full_)).subspan(have_);
}

// whole_segments returns how many of `size` bytes make segments whose end is known.
std::size_t SegmentIntake::whole_segments(std::size_t size) const {
  std::size_t whole = 0;
  for (std::uint64_t index = cutter_.next_index(); whole < size; ++index) {
    const std::size_t capacity = stage().in_capacity(index);
    if (cutter_.left()) {
      const std::size_t next = static_cast<std::size_t>(std::min<std::uint64_t>(capacity, *cutter_.left() - whole));
      if (next > size - whole) break;
      whole += next;
    } else {
      if (capacity >= size - whole) break;
      whole += capacity;
    }
  }
  return whole;
}

std::size_t SegmentIntake::take(ByteView bytes, bool may_lend) {
  MR_CHECK(!bytes.empty() && lent_.empty() && !ready() && !done());
  const bool built_here = !carrying_ && buffer_.size() != 0 && bytes.data() == buffered().data() + have_;
  std::size_t wanted = std::min(bytes.size(), full_ - have_);
  if (bytes.size() >= full_ - have_) filled_ = true;
  if (may_lend && !built_here) {
    if (have_ == 0) {
      // Lent bytes that hold whole segments go through the cipher from where they lie; the rest stays with the lender.
      const std::size_t whole = whole_segments(wanted);
      if (whole > 0) {
        lent_ = bytes.first(whole);
        have_ = whole;
        beyond_ = cutter_.left() ? 0 : 1;
        return whole;
      }
    } else {
      // A segment that was begun is completed with copies, and no more than that: the next ones can be lent.
      wanted = std::min(wanted, stage().in_capacity(cutter_.next_index()) - have_);
      if (!cutter_.left() && wanted < bytes.size()) beyond_ = 1;
    }
  }
  if (wanted > 0 && !built_here) copy_bytes(room(wanted), bytes.first(wanted));
  have_ += wanted;
  return wanted;
}

void SegmentIntake::take_batch(SegmentBatch& batch) {
  restore_carry();
  batch.cuts_.clear();
  batch.error_.reset();
  const ByteView input = !lent_.empty() ? lent_ : have_ > 0 ? ByteView(buffered().first(have_)) : ByteView{};
  std::size_t used = 0;
  while (cutter_.decided(have_ + beyond_ - used, ended_)) {
    const Result<Cut> cut = cutter_.cut(have_ + beyond_ - used);
    if (!cut) {
      batch.fail(cut.error());
      failed_ = true;
      break;
    }
    batch.cuts_.push_back(*cut);
    used += cut->size;
  }
  if (ended_ && !done()) {  // the length was known, and the input did not keep it
    batch.fail(
        Error{ErrorCode::kIo, "input became shorter while it was read", stage().in_offset(cutter_.next_index())});
    failed_ = true;
  }
  batch.input_ = input.first(used);

  carrying_ = !done() && have_ > used;
  if (carrying_) {
    if (carry_.size() < have_ - used) carry_ = acquire_cleansed(have_ - used);
    copy_bytes(carry_.bytes(), input.subspan(used));
  }
  have_ = carrying_ ? have_ - used : 0;
  beyond_ = 0;
  if (lent_.empty()) batch.in_ = std::move(buffer_);  // which gives the intake the batch's old buffer
  lent_ = {};
  // An input that does not fill a batch would not fill a larger one either.
  target_ = std::max(target_, used);
  if (std::exchange(filled_, false)) target_ = std::max(target_, std::min(target_ * 8, kStreamBuffer));
  if (!done()) plan();
}

void SegmentIntake::recycle(SegmentBatch& batch) {
  if (buffer_.size() == 0) buffer_ = std::move(batch.in_);
}

void SourceFeed::next_batch(SegmentIntake& intake, SegmentBatch& batch, bool may_lend) {
  intake.recycle(batch);
  while (!intake.ready()) {
    if (pending_.empty()) {
      const Result<ByteView> pulled = source_.pull(intake.room());
      if (!pulled) {
        failed_ = true;
        intake.take_batch(batch);  // nothing is ready: this only resets the batch
        batch.fail(pulled.error());
        return;
      }
      pending_ = *pulled;
      if (pending_.empty()) {
        intake.end();
        break;
      }
    }
    pending_ = pending_.subspan(intake.take(pending_, may_lend));
  }
  intake.take_batch(batch);
}

}  // namespace millrace
