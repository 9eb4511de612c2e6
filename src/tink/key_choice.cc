#include "tink/key_choice.h"

#include <algorithm>

#include "segment/buffer_growth.h"
#include "segment/segment_stage.h"

namespace millrace::tink {

KeyChoice::KeyChoice(const std::vector<UsableKey>& keys, std::uint32_t first_segment_offset, ByteView associated_data)
    : keys_(keys), offset_(first_segment_offset), associated_data_(associated_data.begin(), associated_data.end()) {}

Result<StreamHead::Verdict> KeyChoice::examine(ByteView head, bool ended) {
  if (head.size() < kMinHeaderSize) {
    if (ended) return Error{ErrorCode::kNotAuthentic, "tink header: stream too short", head.size()};
    return Verdict{kMinHeaderSize, nullptr};
  }
  const std::size_t size = static_cast<std::size_t>(head[0]);
  if (size != kMinHeaderSize && size != kMaxHeaderSize) return Error{ErrorCode::kMalformed, "tink header: size byte"};
  if (head.size() < size) {
    if (ended) return Error{ErrorCode::kNotAuthentic, "tink header: stream too short", head.size()};
    return Verdict{size, nullptr};
  }
  if (!header_seen_) {
    header_seen_ = true;
    for (const UsableKey& key : keys_) {
      if (header_size(key.params) == size) untried_.push_back(&key);
    }
    std::stable_sort(untried_.begin(), untried_.end(), [](const UsableKey* a, const UsableKey* b) {
      return a->params.ciphertext_segment_size < b->params.ciphertext_segment_size;
    });
  }
  while (!untried_.empty()) {
    const UsableKey& key = *untried_.front();
    const bool last_standing = untried_.size() == 1;
    // Segment 0 and the foreign bytes before the stream fill one segment; one more byte tells whether it is the last.
    const std::size_t wanted = std::size_t{key.params.ciphertext_segment_size} - offset_ + 1;
    if (!last_standing && !ended && head.size() < wanted)
      return Verdict{grown_size(head.size(), wanted, head.size() + 1), nullptr};
    untried_.erase(untried_.begin());
    MR_TRY(std::unique_ptr<const SegmentCipher> cipher, try_key(key, head, last_standing));
    if (cipher) {
      chosen_ = &key;
      return Verdict{0, std::move(cipher)};
    }
  }
  return Error{ErrorCode::kNotAuthentic, kFirstSegmentRefused};
}

// try_key returns no cipher when the key does not open the first segment; an error is one of the environment.
Result<std::unique_ptr<const SegmentCipher>> KeyChoice::try_key(const UsableKey& key, ByteView head,
                                                                bool last_standing) {
  const ByteView header = head.first(header_size(key.params));
  MR_TRY(std::unique_ptr<const TinkCipher> cipher,
         TinkCipher::create(key.params, key.ikm.reveal(), offset_, header, associated_data_));
  if (!last_standing) {
    const SegmentStage stage(*cipher, Direction::kOpen);
    SegmentCutter cutter(stage, std::nullopt);
    const ByteView body = head.subspan(header.size());
    const Result<Cut> cut = cutter.cut(body.size());
    if (!cut) return std::unique_ptr<const SegmentCipher>();
    // Not in place: another key may need the ciphertext.
    Slab trial = Slab::acquire(stage.out_size(cut->size));
    trial.cleanse_on_release();
    const Status opened = stage.run(*cut, body.first(cut->size), trial.bytes());
    if (!opened) {
      if (opened.error().code != ErrorCode::kNotAuthentic) return opened.error();
      return std::unique_ptr<const SegmentCipher>();
    }
  }
  return std::unique_ptr<const SegmentCipher>(std::move(cipher));
}

}  // namespace millrace::tink
