// copy_bytes: the one memcpy of the byte path, so that the copy budget is a test and not a hope.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "base/check.h"
#include "millrace/bytes.h"

namespace millrace {

#ifdef MILLRACE_COUNT_COPIES
inline std::atomic<std::uint64_t> copied_bytes{0};  // since the start of the process; tests look at differences
#endif

// copy_bytes copies src to the front of dst, which must have room. Overlap is allowed.
inline void copy_bytes(ByteSpan dst, ByteView src) {
  MR_CHECK(src.size() <= dst.size());
#ifdef MILLRACE_COUNT_COPIES
  copied_bytes.fetch_add(src.size(), std::memory_order_relaxed);
#endif
  if (!src.empty()) std::memmove(dst.data(), src.data(), src.size());
}

}  // namespace millrace
