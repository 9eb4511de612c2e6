#include "zip/zip_directory.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "zip/zip_records.h"

namespace millrace::zip {

namespace {

constexpr std::size_t kEndSize = record_size<EndRecord>();
constexpr std::size_t kLocatorSize = record_size<Zip64Locator>();
constexpr std::size_t kZip64EndSize = record_size<Zip64EndRecord>();
constexpr std::size_t kMaxCommentSize = 0xffff;
// What size_left of a Zip64EndRecord does not count: the signature and itself.
constexpr std::uint64_t kUncounted = 12;

Error malformed(std::string_view where, std::uint64_t offset) { return Error{ErrorCode::kMalformed, where, offset}; }

// says tells whether a field of the end record agrees with the one of the ZIP64 end record.
template <class Narrow, class Wide>
bool says(Narrow narrow, Wide wide) {
  return narrow == static_cast<Narrow>(~Narrow{0}) || narrow == wide;
}

bool refers_to_zip64(const EndRecord& end) {
  return end.disk == kInZip64Short || end.directory_disk == kInZip64Short || end.disk_entries == kInZip64Short ||
         end.entries == kInZip64Short || end.directory_size == kInZip64 || end.directory_offset == kInZip64;
}

// The directory by the end record at end_offset alone.
Result<DirectoryPlace> place_of(const EndRecord& end, std::uint64_t end_offset) {
  if (refers_to_zip64(end)) return malformed("zip64 locator: missing", end_offset);
  if (end.disk != 0 || end.directory_disk != 0 || end.disk_entries != end.entries)
    return malformed("zip archive: several disks", end_offset);
  return DirectoryPlace{end.directory_offset, end.directory_size, end.entries, false};
}

// The directory by the ZIP64 end record, which must fill the bytes from where the locator points up to the locator.
Result<DirectoryPlace> zip64_place_of(const ReadAt& archive, const Zip64Locator& locator, std::uint64_t locator_offset,
                                      const EndRecord& end) {
  if (locator.end_disk != 0 || locator.disks != 1) return malformed("zip archive: several disks", locator_offset);
  if (locator_offset < kZip64EndSize || locator.end_offset > locator_offset - kZip64EndSize)
    return malformed("zip64 locator: offset", locator_offset);
  std::byte bytes[kZip64EndSize];
  MR_TRY(archive.read_at(locator.end_offset, bytes));
  const auto wide = parse_record<Zip64EndRecord>(bytes);
  if (!wide || wide->size_left != locator_offset - locator.end_offset - kUncounted)
    return malformed("zip64 end record", locator.end_offset);
  if (wide->disk != 0 || wide->directory_disk != 0 || wide->disk_entries != wide->entries)
    return malformed("zip archive: several disks", locator.end_offset);
  if (!says(end.disk, wide->disk) || !says(end.directory_disk, wide->directory_disk) ||
      !says(end.disk_entries, wide->disk_entries) || !says(end.entries, wide->entries) ||
      !says(end.directory_size, wide->directory_size) || !says(end.directory_offset, wide->directory_offset))
    return malformed("zip64 end record: not what the end record says", locator.end_offset);
  return DirectoryPlace{wide->directory_offset, wide->directory_size, wide->entries, true};
}

// The directory that the end record at tail[at] names. tail is the end of the archive, from tail_offset on.
Result<DirectoryPlace> examine(const ReadAt& archive, ByteView tail, std::uint64_t tail_offset, std::size_t at,
                               const EndRecord& end) {
  const std::uint64_t end_offset = tail_offset + at;
  std::optional<Zip64Locator> locator;
  if (at >= kLocatorSize) locator = parse_record<Zip64Locator>(tail.subspan(at - kLocatorSize));
  MR_TRY(const DirectoryPlace place,
         locator ? zip64_place_of(archive, *locator, end_offset - kLocatorSize, end) : place_of(end, end_offset));
  // No bytes between the directory and the end records: a second directory could hide in them.
  const std::uint64_t limit = locator ? locator->end_offset : end_offset;
  if (place.size > limit || place.offset != limit - place.size)
    return malformed("zip end record: place of the directory", end_offset);
  if (place.entries > place.size / record_size<CentralHeader>())
    return malformed("zip end record: number of entries", end_offset);
  return place;
}

}  // namespace

Result<DirectoryPlace> find_directory(const ReadAt& archive) {
  // With room for the locator of the first record that is looked for.
  std::vector<std::byte> tail(
      static_cast<std::size_t>(std::min<std::uint64_t>(archive.size(), kLocatorSize + kEndSize + kMaxCommentSize)));
  const std::uint64_t tail_offset = archive.size() - tail.size();
  if (tail.size() < kEndSize) return malformed("zip end record: not found", archive.size());
  MR_TRY(archive.read_at(tail_offset, tail));

  std::optional<DirectoryPlace> found;
  std::optional<Error> refused;  // the reason nearest to the end of the file
  const std::size_t first = tail.size() - std::min(tail.size(), kEndSize + kMaxCommentSize);
  for (std::size_t at = tail.size() - kEndSize + 1; at-- > first;) {
    const auto end = parse_record<EndRecord>(ByteView(tail).subspan(at));
    if (!end || end->comment_size != tail.size() - at - kEndSize) continue;
    const Result<DirectoryPlace> place = examine(archive, tail, tail_offset, at, *end);
    if (!place) {
      if (place.error().code == ErrorCode::kIo) return place.error();
      if (!refused) refused = place.error();
    } else if (found) {
      return malformed("zip end record: two of them", tail_offset + at);
    } else {
      found = *place;
    }
  }
  if (found) return *found;
  return refused.value_or(malformed("zip end record: not found", archive.size()));
}

}  // namespace millrace::zip
