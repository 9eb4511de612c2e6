// Loaded into a command (LD_PRELOAD), it counts what the command allocates from its start to its end and writes that,
// as JSON, to the descriptor whose number stands in MILLRACE_COUNT_TO.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "allocations.h"

namespace {

struct WholeLife {
  WholeLife() { millrace::bench::start_counting(); }
  ~WholeLife() {
    const millrace::bench::Allocations all = millrace::bench::stop_counting();
    if (const char* const descriptor = std::getenv("MILLRACE_COUNT_TO"))
      ::dprintf(std::atoi(descriptor), "{\"allocations\": %" PRIu64 ", \"bytes_allocated\": %" PRIu64 "}\n", all.count,
                all.bytes);
  }
} whole_life;

}  // namespace
