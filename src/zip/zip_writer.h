// ZipWriter: a ZIP archive written to a Sink, entry by entry.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "millrace/bytes.h"
#include "millrace/checksum.h"
#include "millrace/result.h"
#include "millrace/stream.h"
#include "zip/archive_builder.h"

namespace millrace::zip {

// ZipWriter is ArchiveBuilder with the bytes moved: what is written between begin() and end() is the contents of an
// entry and passes through unchanged, without a buffer or a copy; its CRC is computed on the way. It is a Sink for the
// contents, so that pump() and stages write into an entry.
//
//   ZipWriter archive(out);
//   MR_TRY(archive.begin("0.payload"));
//   MR_TRY(pump(payload, archive));
//   MR_TRY(archive.end());
//   MR_TRY(archive.add("0.manifest.json", manifest));
//   MR_TRY(archive.finish());
//
// Errors: those of ArchiveBuilder and of `out`, which must outlive this. The first one is the last word: the archive
// cannot be completed. One thread at a time.
class ZipWriter final : public Sink {
 public:
  explicit ZipWriter(Sink& out) : out_(out) {}

  // begin opens an entry. With a size known in advance it must be what is written; the entry takes ZIP64 fields only if
  // that size needs them, an unknown one always.
  Status begin(std::string_view name, std::optional<std::uint64_t> size = std::nullopt);
  // The scratch of `out`: contents built there are not copied.
  ByteSpan scratch() override { return out_.scratch(); }
  // write refuses bytes beyond the announced size before any of them are written.
  Status write(ByteView bytes) override;
  Status end();
  // add writes a whole entry, sizes and CRC in front of its contents, which must not lie in scratch().
  Status add(std::string_view name, ByteView contents);
  // finish writes the directory and leaves `out` open.
  Status finish() override;

  // How many bytes of the archive have been written.
  std::uint64_t count() const { return count_; }

 private:
  Status put(ByteView bytes);
  Status put(const Result<std::vector<std::byte>>& bytes);
  Error fail(const Error& error);

  Sink& out_;
  ArchiveBuilder builder_;
  std::uint64_t count_ = 0;
  bool open_ = false;
  std::optional<std::uint64_t> announced_;  // of the open entry, with its size and CRC so far
  std::uint64_t size_ = 0;
  Crc32 crc_;
  bool finished_ = false;
  std::optional<Error> failed_;
};

}  // namespace millrace::zip
