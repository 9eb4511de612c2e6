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

 private:
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
  // Every step is a bijection of the state, so that one changed word always changes the result.
  void checksum(std::uint32_t index, Last last, ByteView bytes, ByteSpan tag) const {
    std::uint64_t h = start(index, last) ^ bytes.size();
    for (std::size_t i = 0; i < bytes.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i, std::min<std::size_t>(8, bytes.size() - i));
      h = (h ^ word) * 0x9e3779b97f4a7c15u;
      h ^= h >> 32;
    }
    for (std::size_t i = 0; i < tag.size(); ++i) tag[i] = static_cast<std::byte>(h >> (8 * (i % 8)));
  }

  SegmentLayout layout_;
  std::uint64_t key_;
  SealLog* log_;
  ToyTraits traits_;
};

}  // namespace millrace::testing
