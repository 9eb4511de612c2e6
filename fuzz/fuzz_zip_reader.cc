// Any bytes as a ZIP archive: nothing is read outside, and the entries of one that opens lie inside it, one behind the
// other, under different names.
#include <algorithm>
#include <cstdlib>

#include "zip/zip_reader.h"

using namespace millrace;
using namespace millrace::zip;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

// Aborts when it is read outside.
class Archive final : public ReadAt {
 public:
  explicit Archive(ByteView bytes) : bytes_(bytes) {}
  Status read_at(std::uint64_t offset, ByteSpan dst) const override {
    require(offset <= bytes_.size() && dst.size() <= bytes_.size() - offset);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), dst.size(), dst.begin());
    return Ok{};
  }
  std::uint64_t size() const override { return bytes_.size(); }

 private:
  ByteView bytes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Archive archive({reinterpret_cast<const std::byte*>(data), size});
  const Result<ZipReader> reader = ZipReader::open(archive);
  if (!reader) {
    require(reader.error().code != ErrorCode::kIo && reader.error().code != ErrorCode::kInvalidArgument);
    (void)describe(reader.error());
    return 0;
  }
  std::vector<ZipEntry> entries = reader->entries();
  for (const ZipEntry& entry : entries) {
    require(entry.header_offset < entry.data_offset && entry.data_offset <= size);
    require(entry.stored_size <= size - entry.data_offset);
    const Result<const ZipEntry*> stored = reader->stored(entry.name);
    require(!stored || (*stored)->header_offset == entry.header_offset);  // the only one of its name
    require(!stored || entry.stored_size == entry.plain_size);
  }
  std::ranges::sort(entries, {}, &ZipEntry::header_offset);
  for (std::size_t i = 1; i < entries.size(); ++i) {
    require(entries[i - 1].data_offset + entries[i - 1].stored_size <= entries[i].header_offset);
  }
  return 0;
}
