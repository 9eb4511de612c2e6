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
  for (;;) {
    MR_TRY(const ByteView bytes, from.pull(to.scratch()));
    if (bytes.empty()) return total;
    MR_TRY(to.write(bytes));
    total += bytes.size();
  }
}

}  // namespace millrace
