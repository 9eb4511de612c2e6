// How a buffer grows while it is not known how much will come.
//
// A reader or writer that takes a full segment at once pays for 1 MiB to move a 300-byte record. So the first buffer
// has 4 KiB, each next one 8 times as much, and when a step comes within a quarter of the full size it takes the full
// size: for 1 MiB, 4096, 32768, 262144, full. Doubling was rejected: its steps add up to another full buffer.
#pragma once

#include <algorithm>
#include <cstddef>

namespace millrace {

// grown_size is the next size of a buffer of `current` bytes (0: none) that may reach `full`, when `pending` bytes are
// known to be wanted in it. The result is above `current` and at most `full`. Requires current < full, pending <= full.
inline std::size_t grown_size(std::size_t current, std::size_t full, std::size_t pending = 0) {
  constexpr std::size_t kFirst = 4096;
  constexpr std::size_t kFactor = 8;
  const std::size_t step = current == 0 ? kFirst : current > full / kFactor ? full : current * kFactor;
  const std::size_t next = std::max(step, pending);
  return next >= full - full / 4 ? full : next;
}

}  // namespace millrace
