// KeyChoice: which of several keys opens a stream. Ciphertexts carry no key id, so the keys are tried on the header and
// the first segment, on one buffer, without seeking and without reading anything twice.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "segment/stream_head.h"
#include "tink/stream_cipher.h"

namespace millrace::tink {

// One ENABLED key of a StreamingAead.
struct UsableKey {
  std::uint32_t id;
  StreamingParams params;
  SecretBytes ikm;
};

// Keys whose header has another size are not tried. The others are, smallest segments first, as soon as enough of the
// stream is there: a slow source need not deliver a large segment for a key with small ones. The last key standing is
// taken without a trial: opening the stream tells. So a keyset of one key reads no further than the header.
class KeyChoice final : public StreamHead {
 public:
  // The keys must outlive this; the associated data is copied.
  KeyChoice(const std::vector<UsableKey>& keys, std::uint32_t first_segment_offset, ByteView associated_data);

  Result<Verdict> examine(ByteView head, bool ended) override;
  // The key that was chosen; null before.
  const UsableKey* chosen() const { return chosen_; }

 private:
  Result<std::unique_ptr<const SegmentCipher>> try_key(const UsableKey& key, ByteView head, bool last_standing);

  const std::vector<UsableKey>& keys_;
  std::uint32_t offset_;
  std::vector<std::byte> associated_data_;
  std::vector<const UsableKey*> untried_;  // smallest segments first; filled when the header's size is known
  bool header_seen_ = false;
  const UsableKey* chosen_ = nullptr;
};

}  // namespace millrace::tink
