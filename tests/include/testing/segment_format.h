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
  const std::vector<std::size_t> sizes = plain_segments(format.layout, plain.size());
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
inline Opened open_by_loop(const SegmentFormat& format, ByteView stream) {
  Opened opened;
  auto verdict = format.head()->examine(stream, true);
  if (!verdict) return opened;
  const SegmentCipher& cipher = *verdict->cipher;
  ByteView left = stream.subspan(cipher.layout().header_size());
  for (std::uint32_t index = 0;; ++index) {
    const ByteView segment = left.first(std::min(left.size(), cipher.layout().cipher_capacity(index)));
    left = left.subspan(segment.size());
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
  explicit ToyHead(const SegmentLayout& layout) : layout_(layout) {}
  Result<Verdict> examine(ByteView head, bool ended) override {
    if (head.size() < layout_.header_size()) {
      if (ended) return Error{ErrorCode::kNotAuthentic, "toy header", head.size()};
      return Verdict{layout_.header_size(), nullptr};
    }
    return Verdict{0, std::make_unique<ToyCipher>(layout_, toy_key(head.first(layout_.header_size())))};
  }

 private:
  SegmentLayout layout_;
};

inline SegmentFormat toy_format(const SegmentLayout::Params& params, SealLog* log = nullptr) {
  const SegmentLayout layout = *SegmentLayout::create(params);
  const Bytes header = noise_bytes(params.header_size, 99);
  return SegmentFormat{
      "header " + std::to_string(params.header_size) + ", segment " + std::to_string(params.segment_size) + ", front " +
          std::to_string(params.front_size) + ", first shorter by " + std::to_string(params.first_shorter_by),
      layout,
      header,
      [=] { return std::make_unique<ToyCipher>(layout, toy_key(header), log); },
      [=] { return std::make_unique<ToyHead>(layout); },
  };
}

}  // namespace millrace::testing
