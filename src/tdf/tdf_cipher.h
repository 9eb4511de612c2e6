// TdfCipher: the segments of one TDF payload. docs/formats/tdf.md has the field table.
//
//   | ZIP local header | segment 0 | segment 1 | ... | segment n-1 | the rest of the archive
//   segment = nonce(12, random) | ciphertext | tag(16).  AES-256-GCM under the file's key, no associated data.
//
// A segment does not say where it belongs or whether it is the last. Its hash stands in the table of the manifest, at
// its index, and the root signature holds the table together: a segment that was moved, repeated or left out does not
// have the hash of its place.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "crypto/aes_gcm.h"
#include "crypto/hmac.h"
#include "millrace/checksum.h"
#include "millrace/tdf_manifest.h"
#include "segment/segment_cipher.h"
#include "tdf/segment_overhead.h"

namespace millrace::tdf {

// Random nonces of 96 bits: fewer than 2^32 of them under one key (NIST SP 800-38D, 8.3).
inline constexpr std::uint64_t kMaxSegments = (std::uint64_t{1} << 32) - 1;

// SegmentRecord is what is kept of a segment.
struct SegmentRecord {
  std::array<std::byte, 32> hash{};  // the first hash_size() bytes
  Crc32 crc;                         // of the whole sealed segment
  std::uint32_t plain_size = 0;
};

// SegmentTable has a record for each segment by its index. It grows, for payloads of unknown length. Safe from many
// threads.
class SegmentTable {
 public:
  SegmentTable() = default;
  explicit SegmentTable(std::vector<SegmentRecord> records) : records_(std::move(records)) {}

  void reserve(std::uint64_t size) { records_.reserve(size); }

  void put(std::uint32_t index, const SegmentRecord& record);
  std::optional<SegmentRecord> get(std::uint32_t index) const;
  std::uint64_t size() const;
  // The records themselves, for when no one puts any more.
  const std::vector<SegmentRecord>& records() const { return records_; }

 private:
  mutable std::mutex mutex_;
  std::vector<SegmentRecord> records_;
};

class TdfCipher final : public SegmentCipher {
 public:
  struct Options {
    SegmentHash hash = SegmentHash::kGmac;
    // Sealing: a segment with this index or a higher one is refused with `too_many`.
    std::uint64_t max_segments = kMaxSegments;
    Error too_many = {ErrorCode::kLimitExceeded, "number of segments"};
    // Sealing: how many there will be, if that is known, for their records.
    std::uint64_t expected_segments = 0;
    // Fills the nonce of segment `index`. Tests make streams repeatable with another one; it must never give the same
    // nonce twice under one key.
    Status (*make_nonce)(std::uint32_t index, ByteSpan nonce) = &random_nonce;
  };
  // The key has 32 bytes. `expected` is the table of a file that is to be opened, and empty for one that is to be
  // sealed: sealing fills it in.
  static Result<std::unique_ptr<const TdfCipher>> create(ByteView key, SegmentLayout layout, const Options& options,
                                                         std::vector<SegmentRecord> expected = {});
  // layout_of is the arithmetic of a payload whose segments but the last have `plain_size` bytes of plaintext each, and
  // which begins at `payload_offset` of its file. Errors: kInvalidArgument for sizes that no layout has.
  static Result<SegmentLayout> layout_of(std::uint64_t payload_offset, std::uint64_t plain_size);

  const SegmentLayout& layout() const override { return layout_; }
  // A segment that is sealed again gets another nonce.
  Status seal(std::uint32_t index, Last last, ByteView plaintext, ByteSpan out) const override;
  // Errors: kNotAuthentic for a hash or tag that is not right, and for a last segment that is not the last of the table
  // or the other way round.
  Status open(std::uint32_t index, Last last, ByteView segment, ByteSpan out) const override;
  std::unique_ptr<PieceSealer> piece_sealer() const override;
  bool seals_last() const override { return false; }

  const SegmentTable& table() const { return table_; }
  // payload_crc is the CRC-32 of all sealed segments. Requires that all have been sealed.
  Crc32 payload_crc() const;

 private:
  class Pieces;
  TdfCipher(AesGcm gcm, SegmentLayout layout, const Options& options, std::vector<SegmentRecord> expected);
  static Status random_nonce(std::uint32_t index, ByteSpan nonce);
  Status begin_segment(std::uint32_t index, ByteSpan nonce) const;
  Error tampered(std::string_view where, std::uint32_t index) const;

  AesGcm gcm_;
  std::optional<Hmac> hmac_;  // of kHs256
  SegmentLayout layout_;
  Options options_;
  mutable SegmentTable table_;
};

}  // namespace millrace::tdf
