// What the program under measurement asks of the heap, its libraries included.
#pragma once

#include <cstdint>

namespace millrace::bench {

struct Allocations {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;  // as asked for, without what malloc adds
};

// Counting is off until it is started, so that it costs a timed loop nothing but a test of a flag per call.
void start_counting();
Allocations stop_counting();

}  // namespace millrace::bench
