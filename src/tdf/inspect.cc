#include <algorithm>
#include <array>

#include "millrace/checksum.h"
#include "millrace/tdf.h"
#include "tdf/entry_names.h"
#include "zip/zip_reader.h"

namespace millrace::tdf {

namespace {

Status check_kind(const ReadAt& file) {
  std::array<std::byte, 64> first;
  const ByteSpan head = ByteSpan(first).first(static_cast<std::size_t>(std::min<std::uint64_t>(64, file.size())));
  MR_TRY(file.read_at(0, head));
  switch (recognize(head)) {
    case FileKind::kTdf:
      return Ok{};
    case FileKind::kHtmlTdf:
      return Error{ErrorCode::kMalformed, "TDF in a web page (HTML): not supported, take the archive out of it"};
    case FileKind::kNanoTdf:
      return Error{ErrorCode::kMalformed, "NanoTDF: not supported"};
    case FileKind::kUnknown:
      break;
  }
  return Error{ErrorCode::kMalformed, "not a TDF: no ZIP archive"};
}

// read_manifest returns the text of the entry. The checksum protects nothing against anyone; but a damaged archive is
// told from a forged manifest by it, and other readers of archives would refuse it as well.
Result<std::string> read_manifest(const ReadAt& file, const zip::ZipEntry& entry, const ManifestLimits& limits) {
  if (entry.stored_size > limits.max_size) {
    return Error{ErrorCode::kLimitExceeded, "manifest size", entry.data_offset};
  }
  std::string text(static_cast<std::size_t>(entry.stored_size), '\0');
  MR_TRY(file.read_at(entry.data_offset, std::as_writable_bytes(std::span(text))));
  if (Crc32::of(as_bytes(text)).value() != entry.crc) {
    return Error{ErrorCode::kMalformed, "manifest: CRC-32 of the archive entry", entry.data_offset};
  }
  return text;
}

}  // namespace

Result<Inspection> inspect(const ReadAt& file, const ManifestLimits& limits) {
  MR_TRY(check_kind(file));
  MR_TRY(const zip::ZipReader archive, zip::ZipReader::open(file));
  MR_TRY(const zip::ZipEntry* const payload, archive.stored(kPayloadName));
  MR_TRY(const zip::ZipEntry* const manifest, archive.stored(kManifestName));

  Inspection found;
  MR_TRY(found.manifest_json, read_manifest(file, *manifest, limits));
  Result<Manifest> parsed = parse_manifest(as_bytes(found.manifest_json), limits);
  if (!parsed) {
    Error error = parsed.error();
    if (error.offset != 0) error.offset += manifest->data_offset;  // a place in the file
    return error;
  }
  found.manifest = *std::move(parsed);
  if (found.manifest.payload_url != kPayloadName) return Error{ErrorCode::kMalformed, "manifest: payload.url"};
  for (const zip::ZipEntry& entry : archive.entries()) {
    found.entries.push_back({entry.name, entry.header_offset, entry.data_offset, entry.stored_size, entry.crc});
  }
  found.zip64 = archive.zip64();
  found.file_size = file.size();
  found.payload_offset = payload->data_offset;
  found.payload_size = payload->stored_size;
  // No sum of what parse_manifest lets through reaches 2^63.
  for (const Segment& segment : found.manifest.segments) found.plain_size += segment.plain_size;
  return found;
}

}  // namespace millrace::tdf
