#include "zip/zip_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "zip/zip_directory.h"
#include "zip/zip_records.h"

namespace millrace::zip {

namespace {

constexpr std::size_t kLocalSize = record_size<LocalHeader>();
constexpr std::size_t kCentralSize = record_size<CentralHeader>();
// How many bytes behind its contents an entry has at least: a descriptor may be without signature, and in 32 bits.
std::uint64_t min_size_behind(const ZipEntry& entry) { return (entry.flags & kFlagDescriptor) != 0 ? 12 : 0; }

Error malformed(std::string_view where, std::uint64_t offset) { return Error{ErrorCode::kMalformed, where, offset}; }

// PieceReader reads [from, to) of an archive front to back, in pieces.
class PieceReader {
 public:
  PieceReader(const ReadAt& in, std::uint64_t from, std::uint64_t to) : in_(in), next_(from), end_(to) {}

  // take returns the next n bytes, in one view that is valid until the next call.
  Result<ByteView> take(std::size_t n) {
    if (n > have_.size()) {
      // What is left of the piece is read again: it is small, and there is one buffer.
      const std::uint64_t at = offset();
      if (n > end_ - at) return malformed("zip directory: ends early", at);
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(end_ - at, std::max(n, kPiece)));
      if (piece_.size() < size) piece_.resize(size);
      have_ = {};
      MR_TRY(in_.read_at(at, ByteSpan(piece_).first(size)));
      have_ = ByteView(piece_).first(size);
      next_ = at + size;
    }
    const ByteView bytes = have_.first(n);
    have_ = have_.subspan(n);
    return bytes;
  }
  std::uint64_t offset() const { return next_ - have_.size(); }
  bool at_end() const { return offset() == end_; }

 private:
  static constexpr std::size_t kPiece = std::size_t{64} << 10;
  const ReadAt& in_;
  std::uint64_t next_;  // of the byte after `have_`
  std::uint64_t end_;
  std::vector<std::byte> piece_;
  ByteView have_;
};

// What a header says in 32 bits and, where those are all ones, in its ZIP64 extra field.
struct Numbers {
  std::uint64_t plain_size = 0;
  std::uint64_t stored_size = 0;
  std::uint64_t header_offset = 0;  // these two in the directory only
  std::uint32_t disk = 0;
};

// find_zip64 walks the extra fields and returns what is in the one of ZIP64, which is there at most once.
Result<std::optional<ByteView>> find_zip64(ByteView extra, std::uint64_t record) {
  std::optional<ByteView> found;
  while (!extra.empty()) {
    if (extra.size() < kExtraHeaderSize) return malformed("zip extra field: size", record);
    const auto id = take_number<std::uint16_t>(extra);
    const auto size = take_number<std::uint16_t>(extra);
    if (size > extra.size()) return malformed("zip extra field: size", record);
    if (id == kZip64ExtraId) {
      if (found) return malformed("zip64 extra field: comes twice", record);
      found = extra.first(size);
    }
    extra = extra.subspan(size);
  }
  return found;
}

// widen replaces the numbers that are all ones. The field has those and no others, in this order; what follows them is
// ignored, because there are writers that always put all of them.
Status widen(Numbers& numbers, ByteView extra, std::uint64_t record) {
  MR_TRY(std::optional<ByteView> field, find_zip64(extra, record));
  ByteView left = field.value_or(ByteView{});
  for (std::uint64_t* number : {&numbers.plain_size, &numbers.stored_size, &numbers.header_offset}) {
    if (*number != kInZip64) continue;
    if (left.size() < sizeof(std::uint64_t)) return malformed("zip64 extra field: missing or short", record);
    *number = take_number<std::uint64_t>(left);
  }
  if (numbers.disk == kInZip64Short) {
    if (left.size() < sizeof(std::uint32_t)) return malformed("zip64 extra field: missing or short", record);
    numbers.disk = take_number<std::uint32_t>(left);
  }
  return Ok{};
}

Status check_name(std::string_view name, std::uint64_t record) {
  if (name.empty()) return malformed("zip entry name: empty", record);
  // Readers in C would see the part in front of it.
  if (name.find('\0') != std::string_view::npos) return malformed("zip entry name: zero byte", record);
  return Ok{};
}

Result<ZipEntry> read_central_header(PieceReader& directory) {
  const std::uint64_t record = directory.offset();
  MR_TRY(const ByteView fixed, directory.take(kCentralSize));
  const auto header = parse_record<CentralHeader>(fixed);
  if (!header) return malformed("zip directory: no entry here", record);
  MR_TRY(const ByteView variable, directory.take(std::size_t{header->name_size} + header->extra_size));
  ZipEntry entry;
  entry.name = as_text(variable.first(header->name_size));
  MR_TRY(check_name(entry.name, record));
  Numbers numbers{header->plain_size, header->stored_size, header->header_offset, header->disk};
  MR_TRY(widen(numbers, variable.subspan(header->name_size), record));
  MR_TRY(directory.take(header->comment_size));

  if (numbers.disk != 0) return malformed("zip archive: several disks", record);
  const bool encrypted = (header->flags & kFlagEncrypted) != 0;
  if (header->method == kStored && !encrypted && numbers.stored_size != numbers.plain_size)
    return malformed("zip entry: stored, but of two sizes", record);
  entry.header_offset = numbers.header_offset;
  entry.stored_size = numbers.stored_size;
  entry.plain_size = numbers.plain_size;
  entry.crc = header->crc;
  entry.method = header->method;
  entry.flags = header->flags;
  return entry;
}

// read_local_header compares the local header with the directory and sets data_offset. Entries end at `limit`, where
// the directory begins.
Status read_local_header(const ReadAt& archive, std::uint64_t limit, ZipEntry& entry, std::vector<std::byte>& buffer) {
  const std::uint64_t record = entry.header_offset;
  const std::size_t known = kLocalSize + entry.name.size();
  if (known > limit || record > limit - known) return malformed("zip entry: local header outside the archive", record);
  buffer.resize(known);
  MR_TRY(archive.read_at(record, buffer));
  const auto header = parse_record<LocalHeader>(buffer);
  if (!header) return malformed("zip local header: not there", record);
  if (header->name_size != entry.name.size() || as_text(ByteView(buffer).subspan(kLocalSize)) != entry.name)
    return malformed("zip local header: another name than in the directory", record);
  // Java's SDK says only in the directory that the name is UTF-8. Nothing that is read depends on it.
  if (header->method != entry.method || ((header->flags ^ entry.flags) & ~kFlagUtf8) != 0)
    return malformed("zip local header: another method or flags than in the directory", record);

  const std::uint64_t room = limit - record - known;
  const std::uint64_t around = header->extra_size + min_size_behind(entry);
  if (around > room || entry.stored_size > room - around)
    return malformed("zip entry: contents outside the archive", record);
  entry.data_offset = record + known + header->extra_size;

  // With a descriptor writers put anything here: zeros, all ones with and without an extra field, the sizes.
  if ((header->flags & kFlagDescriptor) != 0) return Ok{};
  Numbers numbers{header->plain_size, header->stored_size};
  if (numbers.plain_size == kInZip64 || numbers.stored_size == kInZip64) {
    buffer.resize(header->extra_size);
    MR_TRY(archive.read_at(record + known, buffer));
    MR_TRY(widen(numbers, buffer, record));
  }
  if (header->crc != entry.crc || numbers.plain_size != entry.plain_size || numbers.stored_size != entry.stored_size)
    return malformed("zip local header: another size or CRC than in the directory", record);
  return Ok{};
}

Status check_no_name_twice(const std::vector<ZipEntry>& entries) {
  std::vector<const ZipEntry*> sorted;
  for (const ZipEntry& entry : entries) sorted.push_back(&entry);
  std::ranges::sort(sorted, {}, [](const ZipEntry* entry) { return std::string_view(entry->name); });
  const auto twice =
      std::ranges::adjacent_find(sorted, {}, [](const ZipEntry* e) { return std::string_view(e->name); });
  if (twice != sorted.end()) return malformed("zip entry name: comes twice", (*twice)->header_offset);
  return Ok{};
}

// Each entry lies in front of the directory.
Status check_no_overlap(const std::vector<ZipEntry>& entries) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;  // [begin, end) of each
  for (const ZipEntry& entry : entries) {
    spans.emplace_back(entry.header_offset, entry.data_offset + entry.stored_size + min_size_behind(entry));
  }
  std::ranges::sort(spans);
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].first < spans[i - 1].second) return malformed("zip entry: overlaps another", spans[i].first);
  }
  return Ok{};
}

std::string_view reason_not_stored(const ZipEntry& entry) {
  if ((entry.flags & kFlagEncrypted) != 0) return "zip entry: encrypted the ZIP way";
  switch (entry.method) {
    case 8:
      return "zip entry: compressed with method 8 (deflate), must be stored";
    case 9:
      return "zip entry: compressed with method 9 (deflate64), must be stored";
    case 12:
      return "zip entry: compressed with method 12 (bzip2), must be stored";
    case 14:
      return "zip entry: compressed with method 14 (LZMA), must be stored";
    case 93:
      return "zip entry: compressed with method 93 (Zstandard), must be stored";
    case 95:
      return "zip entry: compressed with method 95 (xz), must be stored";
    default:
      return "zip entry: compressed with a rare method, must be stored";
  }
}

}  // namespace

Result<ZipReader> ZipReader::open(const ReadAt& archive, const ZipLimits& limits) {
  MR_TRY(const DirectoryPlace place, find_directory(archive));
  if (place.entries > limits.max_entries) return Error{ErrorCode::kLimitExceeded, "zip: entries", place.offset};
  if (place.size > limits.max_directory_size)
    return Error{ErrorCode::kLimitExceeded, "zip: size of the directory", place.offset};

  ZipReader reader;
  reader.zip64_ = place.zip64;
  PieceReader directory(archive, place.offset, place.offset + place.size);
  for (std::uint64_t i = 0; i < place.entries; ++i) {
    MR_TRY(ZipEntry entry, read_central_header(directory));
    reader.entries_.push_back(std::move(entry));
  }
  if (!directory.at_end()) return malformed("zip directory: more than its entries", directory.offset());
  MR_TRY(check_no_name_twice(reader.entries_));

  std::vector<std::byte> buffer;
  for (ZipEntry& entry : reader.entries_) MR_TRY(read_local_header(archive, place.offset, entry, buffer));
  MR_TRY(check_no_overlap(reader.entries_));
  return reader;
}

Result<const ZipEntry*> ZipReader::stored(std::string_view name) const {
  const auto entry = std::ranges::find(entries_, name, &ZipEntry::name);
  if (entry == entries_.end()) return Error{ErrorCode::kMalformed, "zip archive: no entry of that name"};
  if (entry->method != kStored || (entry->flags & kFlagEncrypted) != 0)
    return malformed(reason_not_stored(*entry), entry->header_offset);
  return &*entry;
}

}  // namespace millrace::zip
