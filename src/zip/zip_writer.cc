#include "zip/zip_writer.h"

namespace millrace::zip {

Error ZipWriter::fail(const Error& error) {
  if (!finished_) failed_ = error;  // what is complete stays complete
  return error;
}

Status ZipWriter::put(ByteView bytes) {
  if (const Status status = out_.write(bytes); !status) return fail(status.error());
  count_ += bytes.size();
  return Ok{};
}

Status ZipWriter::put(const Result<std::vector<std::byte>>& bytes) {
  if (!bytes) return fail(bytes.error());
  return put(ByteView(*bytes));
}

Status ZipWriter::begin(std::string_view name, std::optional<std::uint64_t> size) {
  if (failed_) return *failed_;
  MR_TRY(put(builder_.begin(name, size)));
  open_ = true;
  announced_ = size;
  size_ = 0;
  crc_ = Crc32();
  return Ok{};
}

Status ZipWriter::write(ByteView bytes) {
  if (failed_) return *failed_;
  if (!open_) return fail({ErrorCode::kInvalidArgument, "zip archive: no entry is open"});
  if (announced_ && bytes.size() > *announced_ - size_)
    return fail({ErrorCode::kInvalidArgument, "zip entry: longer than announced", count_});
  // Before they are written: they may lie in a scratch that is gone afterwards.
  crc_.extend(bytes);
  size_ += bytes.size();
  return put(bytes);
}

Status ZipWriter::end() {
  if (failed_) return *failed_;
  open_ = false;
  return put(builder_.end(size_, crc_.value()));
}

Status ZipWriter::add(std::string_view name, ByteView contents) {
  if (failed_) return *failed_;
  MR_TRY(put(builder_.add(name, contents)));
  return put(contents);
}

Status ZipWriter::finish() {
  if (failed_) return *failed_;
  if (finished_) return Ok{};
  MR_TRY(put(builder_.finish()));
  finished_ = true;
  return Ok{};
}

}  // namespace millrace::zip
