#include "segment/segment_pieces.h"

#include <algorithm>

#include "base/check.h"

namespace millrace {

bool can_seal_pieces(const SegmentCipher& cipher, std::optional<std::uint64_t> total) {
  return (total || !cipher.seals_last()) && cipher.piece_sealer() != nullptr;
}

bool prefers_pieces(const SegmentStage& stage, std::optional<std::uint64_t> total) {
  return stage.direction() == Direction::kSeal && stage.layout().segment_size() > kPieceSize &&
         total.value_or(kPieceSize + 1) > kPieceSize && can_seal_pieces(stage.cipher(), total);
}

SegmentPieces::SegmentPieces(const SegmentCipher& cipher)
    : sealer_(cipher.piece_sealer()), front_size_(cipher.layout().front_size()), tag_size_(cipher.layout().tag_size()) {
  MR_CHECK(sealer_ != nullptr);
}

void SegmentPieces::begin(const Cut& cut) {
  cut_ = cut;
  left_ = cut.size;
  open_ = true;
  fresh_ = true;
}

Result<std::size_t> SegmentPieces::seal(ByteView in, ByteSpan out, Input input) {
  MR_CHECK(open_ && in.size() <= left_);
  const std::size_t lead = this->lead();
  left_ -= in.size();
  open_ = left_ > 0 && input == Input::kGoesOn;
  const ByteSpan written = out.first(lead + in.size() + (open_ ? 0 : tag_size_));
  Status status = Ok{};
  if (fresh_) status = sealer_->start(cut_.index, cut_.last, written.first(lead));
  fresh_ = false;
  if (status && !in.empty()) status = sealer_->update(in, written.subspan(lead, in.size()));
  if (status && !open_) status = sealer_->finish(written.last(tag_size_));
  if (!status) {
    std::fill(written.begin(), written.end(), std::byte{0});
    return status.error();
  }
  return written.size();
}

std::size_t StreamPieces::most(std::size_t room) const {
  const std::size_t free = room - lead() - stage_.layout().tag_size();
  return std::min({free, kPieceSize, pieces_.open() ? pieces_.left() : cutter_.next_size()});
}

Result<std::size_t> StreamPieces::seal(ByteView in, ByteSpan out) {
  if (!pieces_.open()) {
    MR_TRY(const Cut cut, cutter_.begin());
    pieces_.begin(cut);
  }
  return pieces_.seal(in, out);
}

Result<std::size_t> StreamPieces::end(ByteSpan out) {
  if (left().value_or(0) > 0) {
    return Error{ErrorCode::kIo, "input became shorter while it was read", stage_.in_offset(cutter_.next_index())};
  }
  if (cutter_.next_index() == 0) {  // nothing came: one empty segment
    MR_TRY(const Cut cut, cutter_.begin());
    pieces_.begin(cut);
  }
  cutter_.end();
  if (!pieces_.open()) return std::size_t{0};
  return pieces_.seal({}, out, Input::kEnded);
}

std::optional<std::uint64_t> StreamPieces::left() const {
  if (!cutter_.left()) return std::nullopt;
  return *cutter_.left() + (pieces_.open() ? pieces_.left() : 0);
}

}  // namespace millrace
