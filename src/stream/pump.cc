#include "base/check.h"
#include "base/copy.h"
#include "millrace/stream.h"

namespace millrace {

Result<std::size_t> read_full(Source& from, ByteSpan dst) {
  std::size_t done = 0;
  while (done < dst.size()) {
    const ByteSpan room = dst.subspan(done);
    MR_TRY(const ByteView got, from.pull(room));
    if (got.empty()) break;
    MR_CHECK(got.size() <= room.size());
    if (got.data() != room.data()) copy_bytes(room, got);
    done += got.size();
  }
  return done;
}

Result<std::uint64_t> pump(Source& from, Sink& to) {
  std::uint64_t total = 0;
  std::byte nothing_more[1];
  for (;;) {
    // The last pull only learns that the end is good: a sink that has what it was sized for need not make room for it.
    const ByteSpan room = from.remaining() == std::uint64_t{0} ? ByteSpan(nothing_more) : to.scratch();
    MR_TRY(const ByteView bytes, from.pull(room));
    if (bytes.empty()) return total;
    MR_TRY(to.write(bytes));
    total += bytes.size();
  }
}

}  // namespace millrace
