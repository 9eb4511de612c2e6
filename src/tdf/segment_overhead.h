// The sizes of a segment: nonce(12) | ciphertext | tag(16).
#pragma once

#include <cstdint>

namespace millrace::tdf {

inline constexpr std::uint64_t kSegmentOverhead = 28;
// The largest number in a manifest is 2^53 - 1: what every reader of JSON takes as it stands.
inline constexpr std::uint64_t kMaxPlainSize = (std::uint64_t{1} << 53) - 1 - kSegmentOverhead;

}  // namespace millrace::tdf
