// TinkCipher: the segments of one Tink stream. docs/formats/tink.md has the field table.
//
//   | header: size(1) | salt(derived key size) | nonce prefix(7) | segment 0 | segment 1 | ... | last segment |
//   segment = ciphertext | tag.  nonce = nonce prefix(7) | index(4, big-endian) | last(1: 1 on the last).
//   Segment 0 is shorter by the header and the first-segment offset, so that segment i >= 1 starts at
//   i x segment size - offset.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "crypto/aes_ctr.h"
#include "crypto/aes_gcm.h"
#include "crypto/hmac.h"
#include "millrace/tink_keyset.h"
#include "segment/segment_cipher.h"

namespace millrace::tink {

inline constexpr std::size_t kNoncePrefixSize = 7;
inline constexpr std::size_t kMaxHeaderSize = 1 + 32 + kNoncePrefixSize;
inline constexpr std::size_t kMinHeaderSize = 1 + 16 + kNoncePrefixSize;

// What the error says when no key opens the first segment; a wrong key, wrong associated data and damage look the same.
inline constexpr std::string_view kFirstSegmentRefused =
    "first segment: wrong keyset, wrong associated data or altered";

// header_size is 24 or 40, for derived keys of 16 and 32 bytes.
inline std::size_t header_size(const StreamingParams& params) { return 1 + params.derived_key_size + kNoncePrefixSize; }

// layout_of is the segment arithmetic of a key's streams. Errors: kInvalidArgument for an offset that leaves no room.
Result<SegmentLayout> layout_of(const StreamingParams& params, std::uint32_t first_segment_offset);

class TinkCipher final : public SegmentCipher {
 public:
  // create derives the stream's keys from the salt in `header` (header_size(params) bytes) and the associated data.
  static Result<std::unique_ptr<const TinkCipher>> create(const StreamingParams& params, ByteView ikm,
                                                          std::uint32_t first_segment_offset, ByteView header,
                                                          ByteView associated_data);

  const SegmentLayout& layout() const override { return layout_; }
  Status seal(std::uint32_t index, Last last, ByteView plaintext, ByteSpan out) const override;
  Status open(std::uint32_t index, Last last, ByteView segment, ByteSpan out) const override;
  // AES-GCM-HKDF seals by pieces; AES-CTR-HMAC has no such sealer.
  std::unique_ptr<PieceSealer> piece_sealer() const override;

 private:
  friend class TinkPieceSealer;
  struct CtrHmac {
    AesCtr cipher;
    Hmac mac;
  };
  using Nonce = std::array<std::byte, kAesBlockSize>;  // GCM uses the first 12 bytes

  TinkCipher(const SegmentLayout& layout, ByteView nonce_prefix);
  Nonce nonce(std::uint32_t index, Last last) const;

  SegmentLayout layout_;
  std::array<std::byte, kNoncePrefixSize> nonce_prefix_;
  std::optional<AesGcm> gcm_;  // one of these two
  std::optional<CtrHmac> ctr_hmac_;
};

// make_header fills a header with a fresh salt and nonce prefix.
Status make_header(const StreamingParams& params, ByteSpan header);

}  // namespace millrace::tink
