// Tink streams behind the interfaces that the verbs use.
#pragma once

#include <memory>
#include <vector>

#include "sealing.h"

namespace millrace::cli {

// TinkKeys is a keyset that was loaded, and what goes with it.
struct TinkKeys {
  explicit TinkKeys(const KeyOptions& options)
      : aead(options.streaming()), associated_data(options.read_associated_data()) {}
  tink::StreamingAead aead;
  std::vector<std::byte> associated_data;
};

// may_be_tink: a stream begins with the size of its header, which is one of two.
inline bool may_be_tink(std::byte first) { return first == std::byte{24} || first == std::byte{40}; }

std::unique_ptr<Sealing> seal_tink(const KeyOptions& options);
// Both must outlive what is returned.
std::unique_ptr<Opening> open_tink(Transfer& transfer, const TinkKeys& keys);

}  // namespace millrace::cli
