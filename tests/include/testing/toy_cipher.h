// ToyCipher: a segment cipher without cryptography, so that tests of the engine see every byte it is given.
//
//   segment = front (depends on index) | plaintext xor key stream(index, last) | checksum(index, last, front,
//   ciphertext)
//
// It checks what the engine promises to ciphers (sizes, aliasing) and notes what it sealed.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/check.h"
#include "segment/segment_cipher.h"
#include "testing/bytes.h"

namespace millrace::testing {

// SealLog notes each (index, last) that was sealed.
class SealLog {
 public:
  void note(std::uint32_t index, Last last) {
    const std::lock_guard lock(mutex_);
    ++seals_[{index, last}];
  }
  // repeated tells whether one pair, which is one nonce, was used twice.
  bool repeated() const {
    const std::lock_guard lock(mutex_);
    for (const auto& [pair, count] : seals_) {
      if (count > 1) return true;
    }
    return false;
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return seals_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::uint32_t, Last>, int> seals_;
};

// What a toy format does not do like Tink.
struct ToyTraits {
  bool marks_last = true;  // the last flag is sealed; without it, only a list of segments tells where a stream ends
  bool by_pieces = false;  // it has a PieceSealer
};

class ToyCipher final : public SegmentCipher {
 public:
  explicit ToyCipher(const SegmentLayout& layout, std::uint64_t key = 1, SealLog* log = nullptr,
                     const ToyTraits& traits = {})
      : layout_(layout), key_(key), log_(log), traits_(traits) {}

  const SegmentLayout& layout() const override { return layout_; }

  Status seal(std::uint32_t index, Last last, ByteView plaintext, ByteSpan out) const override {
    MR_CHECK(out.size() == plaintext.size() + layout_.overhead());
    MR_CHECK(plaintext.size() <= layout_.plain_capacity(index));
    MR_CHECK(allowed(plaintext, out, plaintext.data() == out.data() + layout_.front_size()));
    if (log_ != nullptr) log_->note(index, last);
    const ByteSpan body = out.subspan(layout_.front_size(), plaintext.size());
    apply(index, last, plaintext, body);
    for (std::size_t i = 0; i < layout_.front_size(); ++i) out[i] = static_cast<std::byte>(index * 7 + i + key_);
    checksum(index, last, out.first(layout_.front_size() + body.size()), out.last(layout_.tag_size()));
    return Ok{};
  }

  Status open(std::uint32_t index, Last last, ByteView segment, ByteSpan out) const override {
    MR_CHECK(segment.size() >= layout_.overhead() && out.size() == segment.size() - layout_.overhead());
    MR_CHECK(segment.size() <= layout_.cipher_capacity(index));
    MR_CHECK(allowed(segment, out, out.data() == segment.data() + layout_.front_size()));
    Bytes tag(layout_.tag_size());
    checksum(index, last, segment.first(segment.size() - tag.size()), tag);
    if (!equal(tag, segment.last(tag.size()))) {
      std::fill(out.begin(), out.end(), std::byte{0});
      return Error{ErrorCode::kNotAuthentic, "toy segment", layout_.cipher_offset(index)};
    }
    apply(index, last, segment.subspan(layout_.front_size(), out.size()), out);
    return Ok{};
  }

  std::unique_ptr<PieceSealer> piece_sealer() const override;
  bool seals_last() const override { return traits_.marks_last; }

 private:
  friend class ToyPieceSealer;
  static bool allowed(ByteView a, ByteView b, bool in_place) {
    return in_place || a.empty() || b.empty() || a.data() + a.size() <= b.data() || b.data() + b.size() <= a.data();
  }
  std::uint64_t start(std::uint32_t index, Last last) const {
    return (key_ * 0x9e3779b97f4a7c15u) ^
           (std::uint64_t{index} * 2 + (last == Last::kYes && traits_.marks_last ? 1 : 0) + 1) * 0xbf58476d1ce4e5b9u;
  }
  // Eight bytes at a time: the lists of cases move gigabytes.
  void apply(std::uint32_t index, Last last, ByteView in, ByteSpan out) const {
    std::uint64_t x = start(index, last) | 1;
    for (std::size_t i = 0; i < in.size(); i += 8) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
      const std::size_t n = std::min<std::size_t>(8, in.size() - i);
      std::uint64_t word = 0;
      std::memcpy(&word, in.data() + i, n);
      word ^= x;
      std::memcpy(out.data() + i, &word, n);
    }
  }
  static std::uint64_t mix(std::uint64_t h, std::uint64_t word) {
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 32);
  }
  // Every step is a bijection of the state, so that one changed word always changes the result.
  void checksum(std::uint32_t index, Last last, ByteView bytes, ByteSpan tag) const {
    std::uint64_t h = start(index, last);
    for (std::size_t i = 0; i < bytes.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i, std::min<std::size_t>(8, bytes.size() - i));
      h = mix(h, word);
    }
    h = mix(h, bytes.size());
    for (std::size_t i = 0; i < tag.size(); ++i) tag[i] = static_cast<std::byte>(h >> (8 * (i % 8)));
  }

  SegmentLayout layout_;
  std::uint64_t key_;
  SealLog* log_;
  ToyTraits traits_;
};

// ToyPieceSealer does the same byte by byte, and checks the order of the calls.
class ToyPieceSealer final : public PieceSealer {
 public:
  explicit ToyPieceSealer(const ToyCipher& cipher) : cipher_(cipher) {}

  Status start(std::uint32_t index, Last last, ByteSpan front) override {
    MR_CHECK(front.size() == cipher_.layout_.front_size());
    if (cipher_.log_ != nullptr) cipher_.log_->note(index, cipher_.traits_.marks_last ? last : Last::kNo);
    index_ = index;
    x_ = cipher_.start(index, last) | 1;
    h_ = cipher_.start(index, last);
    word_ = done_ = hashed_ = 0;
    started_ = true;
    for (std::size_t i = 0; i < front.size(); ++i) {
      front[i] = static_cast<std::byte>(index * 7 + i + cipher_.key_);
      hash(front[i]);
    }
    return Ok{};
  }
  Status update(ByteView in, ByteSpan out) override {
    MR_CHECK(started_ && in.size() == out.size() && !in.empty());
    MR_CHECK(done_ + in.size() <= cipher_.layout_.plain_capacity(index_));
    MR_CHECK(ToyCipher::allowed(in, out, in.data() == out.data()));
    for (std::size_t i = 0; i < in.size(); ++i, ++done_) {
      if (done_ % 8 == 0) {
        x_ ^= x_ << 13;
        x_ ^= x_ >> 7;
        x_ ^= x_ << 17;
      }
      out[i] = in[i] ^ static_cast<std::byte>(x_ >> (8 * (done_ % 8)));
      hash(out[i]);
    }
    return Ok{};
  }
  Status finish(ByteSpan tag) override {
    MR_CHECK(started_ && tag.size() == cipher_.layout_.tag_size());
    started_ = false;
    if (hashed_ % 8 != 0) h_ = ToyCipher::mix(h_, word_);
    h_ = ToyCipher::mix(h_, hashed_);
    for (std::size_t i = 0; i < tag.size(); ++i) tag[i] = static_cast<std::byte>(h_ >> (8 * (i % 8)));
    return Ok{};
  }

 private:
  void hash(std::byte b) {
    word_ |= static_cast<std::uint64_t>(b) << (8 * (hashed_ % 8));
    if (++hashed_ % 8 != 0) return;
    h_ = ToyCipher::mix(h_, word_);
    word_ = 0;
  }

  const ToyCipher& cipher_;
  std::uint32_t index_ = 0;
  std::uint64_t x_ = 0;
  std::uint64_t h_ = 0;
  std::uint64_t word_ = 0;
  std::size_t done_ = 0;
  std::size_t hashed_ = 0;
  bool started_ = false;
};

inline std::unique_ptr<PieceSealer> ToyCipher::piece_sealer() const {
  return traits_.by_pieces ? std::make_unique<ToyPieceSealer>(*this) : nullptr;
}

}  // namespace millrace::testing
