// The payload of a TDF file as a SegmentFormat.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "tdf/tdf_cipher.h"
#include "testing/segment_format.h"

namespace millrace::testing {

// counting_nonce makes streams repeatable: the nonce of a segment depends on nothing but its index.
inline Status counting_nonce(std::uint32_t index, ByteSpan nonce) {
  for (std::size_t i = 0; i < nonce.size(); ++i) nonce[i] = static_cast<std::byte>(16 * (index + 1) + i);
  nonce[0] = static_cast<std::byte>(index >> 8);
  return Ok{};
}

inline const Bytes& tdf_key() {
  static const Bytes key = noise_bytes(32, 77);
  return key;
}

// TdfHead opens payloads with a table of their segments, as a manifest gives it. The bytes before the payload are the
// container's, which would not be found if they were others.
class TdfHead final : public StreamHead {
 public:
  TdfHead(SegmentLayout layout, Bytes header, tdf::SegmentHash hash, std::vector<tdf::SegmentRecord> table)
      : layout_(std::move(layout)), header_(std::move(header)), hash_(hash), table_(std::move(table)) {}
  Result<Verdict> examine(ByteView head, bool ended) override {
    if (head.size() < header_.size()) {
      if (ended) return Error{ErrorCode::kNotAuthentic, "test header", head.size()};
      return Verdict{header_.size(), nullptr};
    }
    if (!equal(head.first(header_.size()), header_)) return Error{ErrorCode::kNotAuthentic, "test header"};
    tdf::TdfCipher::Options options;
    options.hash = hash_;
    auto cipher = tdf::TdfCipher::create(tdf_key(), layout_, options, table_);
    MR_CHECK(cipher.has_value());
    return Verdict{0, *std::move(cipher)};
  }

 private:
  SegmentLayout layout_;
  Bytes header_;
  tdf::SegmentHash hash_;
  std::vector<tdf::SegmentRecord> table_;
};

// tdf_format seals with repeatable nonces; what it opens are the payloads whose table is that of `plain`.
inline SegmentFormat tdf_format(tdf::SegmentHash hash, std::size_t plain_segment, std::size_t header_size,
                                ByteView plain) {
  const SegmentLayout layout = *tdf::TdfCipher::layout_of(header_size, plain_segment);
  const Bytes header = noise_bytes(header_size, 98);
  const auto cipher = [=]() -> std::unique_ptr<const tdf::TdfCipher> {
    tdf::TdfCipher::Options options;
    options.hash = hash;
    options.make_nonce = &counting_nonce;
    auto made = tdf::TdfCipher::create(tdf_key(), layout, options);
    MR_CHECK(made.has_value());
    return *std::move(made);
  };
  const auto sealing = cipher();
  std::uint32_t index = 0;
  for (const std::size_t size : plain_segments(layout, plain.size())) {
    Bytes segment(size + layout.overhead());
    MR_CHECK(sealing->seal(index++, Last::kNo, plain.first(size), segment).has_value());
    plain = plain.subspan(size);
  }
  const std::vector<tdf::SegmentRecord> table = sealing->table().records();
  return SegmentFormat{
      std::string(hash == tdf::SegmentHash::kGmac ? "GMAC" : "HS256") + ", segments of " +
          std::to_string(plain_segment) + ", header " + std::to_string(header_size),
      layout,
      header,
      cipher,
      [=] { return std::make_unique<TdfHead>(layout, header, hash, table); },
  };
}

}  // namespace millrace::testing
