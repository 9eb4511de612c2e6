#include "tdf/tdf_cipher.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "crypto/random.h"
#include "millrace/secret.h"

namespace millrace::tdf {

void SegmentTable::put(std::uint32_t index, const SegmentRecord& record) {
  const std::lock_guard lock(mutex_);
  if (index >= records_.size()) records_.resize(std::size_t{index} + 1);
  records_[index] = record;
}

std::optional<SegmentRecord> SegmentTable::get(std::uint32_t index) const {
  const std::lock_guard lock(mutex_);
  if (index >= records_.size()) return std::nullopt;
  return records_[index];
}

std::uint64_t SegmentTable::size() const {
  const std::lock_guard lock(mutex_);
  return records_.size();
}

TdfCipher::TdfCipher(AesGcm gcm, SegmentLayout layout, const Options& options, std::vector<SegmentRecord> expected)
    : gcm_(std::move(gcm)), layout_(std::move(layout)), options_(options), table_(std::move(expected)) {}

Result<SegmentLayout> TdfCipher::layout_of(std::uint64_t payload_offset, std::uint64_t plain_size) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31;  // refused by the layout; keeps the sum from wrapping
  SegmentLayout::Params params;
  params.header_size = payload_offset;
  params.segment_size = std::min(plain_size, kMost) + kSegmentOverhead;
  params.front_size = kGcmNonceSize;
  params.tag_size = kGcmTagSize;
  params.max_segments = kMaxSegments;
  return SegmentLayout::create(params);
}

Result<std::unique_ptr<const TdfCipher>> TdfCipher::create(ByteView key, SegmentLayout layout, const Options& options,
                                                           std::vector<SegmentRecord> expected) {
  MR_CHECK(key.size() == 32 && layout.front_size() == kGcmNonceSize && layout.tag_size() == kGcmTagSize);
  MR_TRY(AesGcm gcm, AesGcm::create(key));
  std::unique_ptr<TdfCipher> cipher(new TdfCipher(std::move(gcm), std::move(layout), options, std::move(expected)));
  cipher->table_.reserve(options.expected_segments);
  if (options.hash == SegmentHash::kHs256) {
    MR_TRY(Hmac hmac, Hmac::create(HashAlgorithm::kSha256, key));
    cipher->hmac_.emplace(std::move(hmac));
  }
  return std::unique_ptr<const TdfCipher>(std::move(cipher));
}

Status TdfCipher::random_nonce(std::uint32_t, ByteSpan nonce) { return random_bytes(nonce); }

Status TdfCipher::begin_segment(std::uint32_t index, ByteSpan nonce) const {
  if (index >= options_.max_segments) return options_.too_many;
  return options_.make_nonce(index, nonce);
}

Error TdfCipher::tampered(std::string_view where, std::uint32_t index) const {
  return Error{ErrorCode::kNotAuthentic, where, layout_.cipher_offset(index)};
}

Status TdfCipher::seal(std::uint32_t index, Last, ByteView plaintext, ByteSpan out) const {
  MR_CHECK(out.size() == plaintext.size() + kSegmentOverhead);
  SegmentRecord record;
  const auto run = [&]() -> Status {
    const ByteSpan nonce = out.first(kGcmNonceSize);
    MR_TRY(begin_segment(index, nonce));
    MR_TRY(gcm_.seal(nonce, {}, plaintext, out.subspan(kGcmNonceSize)));
    if (hmac_) return hmac_->compute(record.hash, out);
    std::ranges::copy(out.last(kGcmTagSize), record.hash.begin());
    return Ok{};
  };
  if (const Status status = run(); !status) {
    secure_zero(out);
    return status;
  }
  record.crc = Crc32::of(out);
  record.plain_size = static_cast<std::uint32_t>(plaintext.size());
  table_.put(index, record);
  return Ok{};
}

Status TdfCipher::open(std::uint32_t index, Last last, ByteView segment, ByteSpan out) const {
  MR_CHECK(segment.size() == out.size() + kSegmentOverhead);
  const auto run = [&]() -> Status {
    const std::optional<SegmentRecord> expected = table_.get(index);
    if (!expected || (last == Last::kYes) != (index + std::uint64_t{1} == table_.size())) {
      return tampered("tamper detected: end of the payload, segment", index);
    }
    std::array<std::byte, 32> computed{};
    if (hmac_) {
      MR_TRY(hmac_->compute(computed, segment));
    } else {
      std::ranges::copy(segment.last(kGcmTagSize), computed.begin());
    }
    if (!equal_constant_time(computed, expected->hash)) {
      return tampered("tamper detected: segment signature", index);
    }
    const Status status = gcm_.open(segment.first(kGcmNonceSize), {}, segment.subspan(kGcmNonceSize), out);
    if (!status && status.error().code == ErrorCode::kNotAuthentic) return tampered("tamper detected: segment", index);
    return status;
  };
  const Status status = run();
  if (!status) secure_zero(out);
  return status;
}

// Pieces seals a segment as it comes: cipher, hash and checksum take each piece while it is in the cache.
class TdfCipher::Pieces final : public PieceSealer {
 public:
  explicit Pieces(const TdfCipher& cipher) : cipher_(cipher) {
    if (cipher.hmac_) mac_.emplace(*cipher.hmac_);
  }

  Status start(std::uint32_t index, Last, ByteSpan front) override {
    MR_CHECK(front.size() == kGcmNonceSize);
    index_ = index;
    record_ = {};
    plain_size_ = 0;
    const auto run = [&]() -> Status {
      MR_TRY(cipher_.begin_segment(index, front));
      return gcm_.start(cipher_.gcm_, front, {});
    };
    const Status status = run();
    if (!status) secure_zero(front);
    if (mac_) mac_->start();
    took(front);
    return status;
  }

  Status update(ByteView in, ByteSpan out) override {
    MR_TRY(gcm_.update(in, out));
    took(out);
    plain_size_ += in.size();
    return Ok{};
  }

  Status finish(ByteSpan tag) override {
    MR_CHECK(plain_size_ <= cipher_.layout_.plain_capacity(index_));
    MR_TRY(gcm_.finish(tag));
    took(tag);
    if (mac_) {
      if (const Status status = mac_->finish(record_.hash); !status) {
        secure_zero(tag);
        return status;
      }
    } else {
      std::ranges::copy(tag, record_.hash.begin());
    }
    record_.plain_size = static_cast<std::uint32_t>(plain_size_);
    cipher_.table_.put(index_, record_);
    return Ok{};
  }

 private:
  void took(ByteView sealed) {
    record_.crc.extend(sealed);
    if (mac_) mac_->update(sealed);
  }

  const TdfCipher& cipher_;
  GcmSealer gcm_;
  std::optional<HmacStream> mac_;  // of kHs256
  std::uint32_t index_ = 0;
  std::uint64_t plain_size_ = 0;
  SegmentRecord record_;
};

std::unique_ptr<PieceSealer> TdfCipher::piece_sealer() const { return std::make_unique<Pieces>(*this); }

Crc32 TdfCipher::payload_crc() const {
  const std::uint64_t full = layout_.plain_capacity(0);
  const Crc32::Length full_length(full + kSegmentOverhead);
  Crc32 crc;
  for (const SegmentRecord& record : table_.records()) {
    crc = record.plain_size == full ? crc.combine(record.crc, full_length)
                                    : crc.combine(record.crc, record.plain_size + kSegmentOverhead);
  }
  return crc;
}

}  // namespace millrace::tdf
