// SegmentFormat: what the tests of the engine need to know of a segment format, so that one list of cases and one list
// of attacks serve the toy cipher and every real one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "segment/segment_stage.h"
#include "segment/stream_head.h"
#include "testing/bytes.h"
#include "testing/toy_cipher.h"

namespace millrace::testing {

struct SegmentFormat {
  std::string name;
  SegmentLayout layout;
  Bytes header;                                                  // of the one stream that `cipher` seals
  std::function<std::unique_ptr<const SegmentCipher>()> cipher;  // for a stream with that header
  std::function<std::unique_ptr<StreamHead>()> head;             // finds the cipher of any stream of this format
  std::vector<std::size_t> listed = {};  // plaintext of each segment, when the layout is a list: that of one stream

  std::size_t listed_size() const {
    std::size_t size = 0;
    for (const std::size_t segment : listed) size += segment;
    return size;
  }
};

// The sizes of the segments of a plaintext, by the rule and not by the engine's arithmetic: fill one, go on.
inline std::vector<std::size_t> plain_segments(const SegmentLayout& layout, std::size_t size) {
  std::vector<std::size_t> sizes;
  do {
    const std::size_t capacity = layout.segment_size() - layout.overhead() -
                                 (sizes.empty() ? layout.segment_size() - layout.cipher_capacity(0) : 0);
    sizes.push_back(std::min(size, capacity));
    size -= sizes.back();
  } while (size > 0);
  return sizes;
}

// seal_by_loop makes a whole stream with nothing but the cipher: what every sealing driver must produce.
inline Bytes seal_by_loop(const SegmentFormat& format, ByteView plain) {
  const auto cipher = format.cipher();
  MR_CHECK(format.listed.empty() || plain.size() == format.listed_size());
  const std::vector<std::size_t> sizes =
      format.listed.empty() ? plain_segments(format.layout, plain.size()) : format.listed;
  Bytes stream = format.header;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Bytes segment(sizes[i] + format.layout.overhead());
    const Last last = i + 1 == sizes.size() ? Last::kYes : Last::kNo;
    MR_CHECK(cipher->seal(static_cast<std::uint32_t>(i), last, plain.first(sizes[i]), segment).has_value());
    append(stream, segment);
    plain = plain.subspan(sizes[i]);
  }
  return stream;
}

// What a decryptor may make of a stream: the plaintext of the segments before the first bad one, and a verdict.
struct Opened {
  Bytes plain;
  bool whole = false;
};

// open_by_loop opens a stream with nothing but the cipher: take a full segment, and only if nothing follows it is last.
// Where there is a list, the segments have the sizes in it, and nothing follows when it is over and not before.
inline Opened open_by_loop(const SegmentFormat& format, ByteView stream) {
  Opened opened;
  auto verdict = format.head()->examine(stream, true);
  if (!verdict) return opened;
  const SegmentCipher& cipher = *verdict->cipher;
  ByteView left = stream.subspan(cipher.layout().header_size());
  for (std::uint32_t index = 0;; ++index) {
    const std::size_t capacity = index < format.listed.size() ? format.listed[index] + cipher.layout().overhead()
                                                              : cipher.layout().cipher_capacity(index);
    const ByteView segment = left.first(std::min(left.size(), capacity));
    left = left.subspan(segment.size());
    if (!format.listed.empty() && (segment.size() < capacity || left.empty() != (index + 1 == format.listed.size()))) {
      return opened;
    }
    if (segment.size() < cipher.layout().overhead()) return opened;
    Bytes plain(segment.size() - cipher.layout().overhead());
    if (!cipher.open(index, left.empty() ? Last::kYes : Last::kNo, segment, plain)) return opened;
    append(opened.plain, plain);
    if (left.empty()) {
      opened.whole = true;
      return opened;
    }
  }
}

// The toy format. Its key comes from the header, as in Tink, so that a changed header is a wrong key.
inline std::uint64_t toy_key(ByteView header) {
  std::uint64_t key = 0xcbf29ce484222325u;
  for (const std::byte b : header) key = (key ^ static_cast<std::uint64_t>(b)) * 0x100000001b3u;
  return key;
}

class ToyHead final : public StreamHead {
 public:
  explicit ToyHead(const SegmentLayout& layout, const ToyTraits& traits = {}) : layout_(layout), traits_(traits) {}
  Result<Verdict> examine(ByteView head, bool ended) override {
    if (head.size() < layout_.header_size()) {
      if (ended) return Error{ErrorCode::kNotAuthentic, "toy header", head.size()};
      return Verdict{layout_.header_size(), nullptr};
    }
    return Verdict{0,
                   std::make_unique<ToyCipher>(layout_, toy_key(head.first(layout_.header_size())), nullptr, traits_)};
  }

 private:
  SegmentLayout layout_;
  ToyTraits traits_;
};

inline SegmentFormat toy_format(const SegmentLayout::Params& params, SealLog* log = nullptr,
                                const ToyTraits& traits = {}) {
  const SegmentLayout layout = *SegmentLayout::create(params);
  const Bytes header = noise_bytes(params.header_size, 99);
  return SegmentFormat{
      "header " + std::to_string(params.header_size) + ", segment " + std::to_string(params.segment_size) + ", front " +
          std::to_string(params.front_size) + ", first shorter by " + std::to_string(params.first_shorter_by),
      layout,
      header,
      [=] { return std::make_unique<ToyCipher>(layout, toy_key(header), log, traits); },
      [=] { return std::make_unique<ToyHead>(layout, traits); },
  };
}

// A toy format that lists the plaintext sizes of its segments. It does not seal the last flag, so that the end of a
// stream is the engine's to know.
inline SegmentFormat listed_toy_format(std::size_t header_size, std::size_t front_size, std::size_t tag_size,
                                       const std::vector<std::size_t>& plain_sizes) {
  std::vector<std::uint64_t> cipher_sizes;
  for (const std::size_t size : plain_sizes) cipher_sizes.push_back(front_size + size + tag_size);
  const SegmentLayout layout = *SegmentLayout::listed(header_size, front_size, tag_size, cipher_sizes);
  const Bytes header = noise_bytes(header_size, 98);
  const ToyTraits traits{false};
  return SegmentFormat{
      "header " + std::to_string(header_size) + ", front " + std::to_string(front_size) + ", " +
          std::to_string(plain_sizes.size()) + " listed segments, largest " + std::to_string(layout.segment_size()),
      layout,
      header,
      [=] { return std::make_unique<ToyCipher>(layout, toy_key(header), nullptr, traits); },
      [=] { return std::make_unique<ToyHead>(layout, traits); },
      plain_sizes,
  };
}

// Empty segments at both ends and in the middle, tiny ones, a large one behind small ones, and a list that is uniform.
inline std::vector<SegmentFormat> small_listed_formats() {
  return {listed_toy_format(24, 0, 8, {5, 40, 0, 0, 40, 1, 17, 3}),
          listed_toy_format(0, 12, 16, {0, 0, 7, 40, 39, 40, 0, 100, 0, 0}),
          listed_toy_format(7, 3, 9, {40, 40, 40, 40, 11}), listed_toy_format(0, 12, 16, {20, 20, 20, 20, 0})};
}

}  // namespace millrace::testing
