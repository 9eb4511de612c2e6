#include "segment/segment_file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "base/check.h"
#include "base/copy.h"
#include "segment/segment_intake.h"
#include "segment/segment_pieces.h"

namespace millrace {

namespace {

// The work of transform_at, shared by its threads.
class PositionalWork {
 public:
  PositionalWork(const SegmentStage& stage, const ReadAt& in, const WriteAt* out, std::uint64_t total,
                 std::uint64_t count)
      : stage_(stage), in_(in), out_(out), total_(total), count_(count) {
    by_pieces_ = stage.layout().segment_size() > kFilePieceSize && prefers_pieces(stage, total);
    const std::uint64_t run = stage.layout().run(1, kStreamBuffer);
    most_ = static_cast<std::size_t>(std::min(total_, stage.in_offset(1 + run) - stage.in_offset(1)));
  }

  // work is what each thread does; memory that it cannot have is an error of the run.
  void work() {
    try {
      by_pieces_ ? run_pieces() : run_all();
    } catch (const std::bad_alloc&) {
      fail(0, Error{ErrorCode::kIo, "memory", 0, ENOMEM});
    }
  }

  Status status() const {
    if (error_) return *error_;
    return Ok{};
  }

 private:
  void run_all() {
    SegmentBatch batch;
    std::vector<Cut> cuts;
    while (!stop_.load(std::memory_order_relaxed)) {
      std::uint64_t first = next_.load(std::memory_order_relaxed);
      std::uint64_t count = 0;
      do {
        if (first >= count_) return;
        count = std::min(stage_.layout().run(first, kStreamBuffer), count_ - first);
      } while (!next_.compare_exchange_weak(first, first + count));
      if (const Status status = one_run(first, count, batch, cuts); !status) fail(first, status.error());
    }
  }

  Status one_run(std::uint64_t first, std::uint64_t count, SegmentBatch& batch, std::vector<Cut>& cuts) {
    cuts.clear();
    std::size_t size = 0;
    for (std::uint64_t index = first; index < first + count; ++index) {
      MR_TRY(const Cut cut, SegmentCutter::cut_at(stage_, total_, index));
      cuts.push_back(cut);
      size += cut.size;
    }
    const ByteSpan room = batch.prepare(stage_, cuts, size, most_);
    if (!room.empty()) MR_TRY(in_.read_at(stage_.in_offset(first), room));
    const ByteView output = batch.run(stage_, {});
    if (batch.error()) return *batch.error();
    if (out_ != nullptr && !output.empty()) return out_->write_at(stage_.out_offset(first), output);
    return Ok{};
  }

  // run_pieces takes one segment after the other and goes through each in pieces.
  void run_pieces() {
    SegmentPieces pieces(stage_.cipher());
    Slab slab = Slab::acquire(stage_.in_place_in() + kFilePieceSize + stage_.in_place_tail());
    slab.cleanse_on_release();
    while (!stop_.load(std::memory_order_relaxed)) {
      const std::uint64_t index = next_.fetch_add(1);
      if (index >= count_) return;
      if (const Status status = one_segment(index, pieces, slab.bytes()); !status) fail(index, status.error());
    }
  }

  Status one_segment(std::uint64_t index, SegmentPieces& pieces, ByteSpan room) {
    MR_TRY(const Cut cut, SegmentCutter::cut_at(stage_, total_, index));
    std::uint64_t from = stage_.in_offset(index);
    std::uint64_t to = stage_.out_offset(index);
    for (pieces.begin(cut); pieces.open();) {
      const ByteSpan plain = room.subspan(stage_.in_place_in(), piece_size(pieces, to));
      if (!plain.empty()) MR_TRY(in_.read_at(from, plain));
      const ByteSpan out = room.subspan(stage_.in_place_in() - pieces.lead());
      MR_TRY(const std::size_t sealed, pieces.seal(plain, out));
      if (out_ != nullptr) MR_TRY(out_->write_at(to, out.first(sealed)));
      from += plain.size();
      to += sealed;
    }
    return Ok{};
  }

  // piece_size is how much plaintext to take next, so that its output ends at a multiple of kFilePieceSize: the page
  // cache has large pages for aligned stretches and is slow where two calls meet in the middle of one.
  static std::size_t piece_size(const SegmentPieces& pieces, std::uint64_t to) {
    const std::size_t stretch = kFilePieceSize - static_cast<std::size_t>(to % kFilePieceSize);
    return std::min(pieces.left(), stretch > pieces.lead() ? stretch - pieces.lead() : kFilePieceSize);
  }

  // fail keeps the error that comes first in the stream; the runs before it have been taken and will be finished.
  void fail(std::uint64_t first, const Error& error) {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    if (!error_ || first < error_first_) {
      error_ = error;
      error_first_ = first;
    }
  }

  const SegmentStage stage_;
  const ReadAt& in_;
  const WriteAt* out_;
  const std::uint64_t total_;
  const std::uint64_t count_;
  bool by_pieces_ = false;
  std::size_t most_ = 0;  // bytes of input in a run of full segments; a list may have larger ones
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::optional<Error> error_;
  std::uint64_t error_first_ = 0;
};

}  // namespace

Status transform_at(const SegmentStage& stage, ByteView header, const ReadAt& in, const WriteAt* out,
                    unsigned threads) {
  const SegmentLayout& layout = stage.layout();
  std::uint64_t count = 0;
  std::uint64_t total = in.size();
  if (stage.direction() == Direction::kSeal) {
    MR_TRY(count, layout.segment_count(total));
    if (out != nullptr && !header.empty()) MR_TRY(out->write_at(0, header));
  } else {
    MR_TRY(count, layout.segment_count_of_stream(total));
    total -= layout.header_size();
  }
  PositionalWork work(stage, in, out, total, count);
  std::vector<std::thread> helpers;
  try {
    for (std::uint64_t i = 1; i < std::min<std::uint64_t>(threads, count); ++i) {
      helpers.emplace_back([&] { work.work(); });
    }
  } catch (const std::system_error&) {
    // No more threads for this process: those that there are do the work.
  }
  work.work();
  for (std::thread& helper : helpers) helper.join();
  return work.status();
}

Result<std::unique_ptr<SegmentReadAt>> SegmentReadAt::create(const SegmentCipher& cipher, const ReadAt& in) {
  MR_TRY(const std::uint64_t count, cipher.layout().segment_count_of_stream(in.size()));
  MR_TRY(const std::uint64_t plain_size, cipher.layout().plain_size(in.size()));
  std::unique_ptr<SegmentReadAt> reader(new SegmentReadAt(cipher, in, count, plain_size));
  if (const Status last = reader->read_part(count - 1, 0, {}); !last) {
    // A wrong key fails everywhere; then it is the first segment that says so, as it does for a reader of the whole.
    if (count > 1 && last.error().code == ErrorCode::kNotAuthentic) MR_TRY(reader->read_part(0, 0, {}));
    return last.error();
  }
  return reader;
}

Status SegmentReadAt::open_segments(std::uint64_t first, std::uint64_t count, ByteSpan dst) const {
  const std::uint64_t total = in_.size() - stage_.layout().header_size();
  std::vector<Cut> cuts;
  std::size_t size = 0;
  for (std::uint64_t index = first; index < first + count; ++index) {
    MR_TRY(const Cut cut, SegmentCutter::cut_at(stage_, total, index));
    cuts.push_back(cut);
    size += cut.size;
  }
  SegmentBatch batch;
  MR_TRY(in_.read_at(stage_.in_offset(first), batch.prepare(stage_, cuts, size, size)));
  const ByteView opened = batch.run(stage_, dst);
  if (batch.error()) return *batch.error();
  MR_CHECK(opened.size() == dst.size());
  return Ok{};
}

Status SegmentReadAt::read_part(std::uint64_t index, std::size_t skip, ByteSpan dst) const {
  {
    const std::lock_guard lock(mutex_);
    if (kept_index_ == index) {
      copy_bytes(dst, ByteView(kept_.bytes()).subspan(skip, dst.size()));
      return Ok{};
    }
  }
  Slab plain = Slab::acquire(static_cast<std::size_t>(plain_end(index) - stage_.out_offset(index)));
  plain.cleanse_on_release();
  MR_TRY(open_segments(index, 1, plain.bytes()));
  copy_bytes(dst, ByteView(plain.bytes()).subspan(skip, dst.size()));
  const std::lock_guard lock(mutex_);
  kept_ = std::move(plain);
  kept_index_ = index;
  return Ok{};
}

std::uint64_t SegmentReadAt::plain_end(std::uint64_t index) const {
  return index + 1 == count_ ? plain_size_ : stage_.out_offset(index + 1);
}

Status SegmentReadAt::read_at(std::uint64_t offset, ByteSpan dst) const {
  if (offset > plain_size_ || dst.size() > plain_size_ - offset) {
    return Error{ErrorCode::kInvalidArgument, "read beyond the end", offset};
  }
  ByteSpan left = dst;
  while (!left.empty()) {
    const std::uint64_t index = stage_.layout().segment_of(offset);
    const std::size_t skip = static_cast<std::size_t>(offset - stage_.out_offset(index));
    // Segments that are wanted whole are opened straight into the caller's memory.
    const std::uint64_t run = skip == 0 ? stage_.layout().run(index, kStreamBuffer) : 0;
    std::uint64_t whole = 0;
    while (whole < run && index + whole < count_ && plain_end(index + whole) <= offset + left.size()) ++whole;
    const std::uint64_t end = plain_end(whole > 0 ? index + whole - 1 : index);
    const ByteSpan part = left.first(static_cast<std::size_t>(std::min<std::uint64_t>(left.size(), end - offset)));
    if (const Status status = whole > 0 ? open_segments(index, whole, part) : read_part(index, skip, part); !status) {
      std::fill(dst.begin(), dst.end(), std::byte{0});
      return status;
    }
    offset += part.size();
    left = left.subspan(part.size());
  }
  return Ok{};
}

}  // namespace millrace
