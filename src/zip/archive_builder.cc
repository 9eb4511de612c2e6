#include "zip/archive_builder.h"

#include <limits>

#include "millrace/checksum.h"
#include "zip/entry_name.h"
#include "zip/zip_records.h"

namespace millrace::zip {

namespace {

using Bytes = std::vector<std::byte>;

// The format itself needs ZIP64 from 2^32 - 1 on, which is all ones. There are readers with signed 32-bit fields
// (opentdf/platform#3981); their largest number takes the place of all ones.
constexpr std::uint64_t kZip64From = 0x7fffffff;
// Offsets that fit the signed 64-bit positions of files.
constexpr std::uint64_t kMaxOffset = std::numeric_limits<std::int64_t>::max();

constexpr std::uint16_t kVersion = 45;  // ZIP64; there is a reader that looks at ZIP64 fields only from 45 on
constexpr std::uint16_t kMadeBy = 3 << 8 | kVersion;
// What "made by Unix" says about the entry: a regular file, rw-r--r--. Without it unzip makes files nobody may read.
constexpr std::uint32_t kAttributes = std::uint32_t{0100644} << 16;
// 1980-01-01 00:00:00, the first moment that DOS can tell.
constexpr std::uint16_t kTime = 0;
constexpr std::uint16_t kDate = 0 << 9 | 1 << 5 | 1;

constexpr std::size_t kMaxDescriptorSize = record_size<Descriptor<std::uint64_t>>();

constexpr bool needs_zip64(std::uint64_t number) { return number >= kZip64From; }

// narrow is what stands in a 32-bit field, which the ZIP64 fields replace or not.
std::uint32_t narrow(std::uint64_t number, bool zip64) { return zip64 ? kInZip64 : static_cast<std::uint32_t>(number); }

std::uint16_t zip64_extra_size(std::size_t numbers) {
  return static_cast<std::uint16_t>(kExtraHeaderSize + numbers * sizeof(std::uint64_t));
}

void append_zip64_extra(Bytes& out, std::initializer_list<std::uint64_t> numbers) {
  append_number(out, kZip64ExtraId);
  append_number(out, static_cast<std::uint16_t>(numbers.size() * sizeof(std::uint64_t)));
  for (const std::uint64_t number : numbers) append_number(out, number);
}

void append(Bytes& out, ByteView more) { out.insert(out.end(), more.begin(), more.end()); }

Error out_of_turn(std::string_view where) { return Error{ErrorCode::kInvalidArgument, where}; }

}  // namespace

std::uint16_t ArchiveBuilder::flags(const Entry& entry) {
  return static_cast<std::uint16_t>((entry.descriptor ? kFlagDescriptor : 0) | (is_ascii(entry.name) ? 0 : kFlagUtf8));
}

Bytes ArchiveBuilder::local_header(const Entry& entry) {
  // What a descriptor will say is zero here; the extra field is there all the same, because a reader that cannot look
  // at the directory learns the width of the descriptor from it.
  const std::uint64_t size = entry.descriptor ? 0 : entry.size;
  LocalHeader header;
  header.version_needed = kVersion;
  header.flags = flags(entry);
  header.method = kStored;
  header.time = kTime;
  header.date = kDate;
  header.crc = entry.descriptor ? 0 : entry.crc;
  header.stored_size = header.plain_size = narrow(size, entry.zip64);
  header.name_size = static_cast<std::uint16_t>(entry.name.size());
  header.extra_size = entry.zip64 ? zip64_extra_size(2) : 0;
  Bytes out;
  append_record(out, header);
  append(out, as_bytes(entry.name));
  if (entry.zip64) append_zip64_extra(out, {size, size});
  return out;
}

// The directory has all three numbers in ZIP64 or none: what the readers have in common.
void ArchiveBuilder::append_central_header(Bytes& out, const Entry& entry) {
  const bool zip64 = entry.zip64 || needs_zip64(entry.header_offset);
  CentralHeader header;
  header.made_by = kMadeBy;
  header.version_needed = kVersion;
  header.flags = flags(entry);
  header.method = kStored;
  header.time = kTime;
  header.date = kDate;
  header.crc = entry.crc;
  header.stored_size = header.plain_size = narrow(entry.size, zip64);
  header.name_size = static_cast<std::uint16_t>(entry.name.size());
  header.extra_size = zip64 ? zip64_extra_size(3) : 0;
  header.external_attributes = kAttributes;
  header.header_offset = narrow(entry.header_offset, zip64);
  append_record(out, header);
  append(out, as_bytes(entry.name));
  if (zip64) append_zip64_extra(out, {entry.size, entry.size, entry.header_offset});
}

bool ArchiveBuilder::has_room(std::uint64_t header_size, std::uint64_t size) const {
  const std::uint64_t room = kMaxOffset - offset_;
  return size <= room && header_size + kMaxDescriptorSize <= room - size;
}

Result<Bytes> ArchiveBuilder::start(std::string_view name, std::optional<std::uint64_t> size, std::uint32_t crc,
                                    bool descriptor) {
  if (finished_) return out_of_turn("zip archive: finished");
  if (open_) return out_of_turn("zip archive: an entry is open");
  MR_TRY(check_entry_name(name));
  Entry entry{std::string(name), offset_, size.value_or(0), crc, descriptor, !size || needs_zip64(*size)};
  Bytes header = local_header(entry);
  if (!has_room(header.size(), entry.size)) return Error{ErrorCode::kLimitExceeded, "zip archive: size", offset_};
  if (!names_.insert(entry.name).second) return Error{ErrorCode::kInvalidArgument, "zip entry name: comes twice"};
  entries_.push_back(std::move(entry));
  offset_ += header.size();
  return header;
}

Result<Bytes> ArchiveBuilder::begin(std::string_view name, std::optional<std::uint64_t> size) {
  MR_TRY(Bytes header, start(name, size, 0, true));
  announced_ = size;
  open_ = true;
  return header;
}

Result<Bytes> ArchiveBuilder::end(std::uint64_t size, std::uint32_t crc) {
  if (!open_) return out_of_turn("zip archive: no entry is open");
  if (announced_ && size != *announced_)
    return Error{ErrorCode::kInvalidArgument, "zip entry: size other than announced", offset_};
  if (!has_room(0, size)) return Error{ErrorCode::kLimitExceeded, "zip archive: size", offset_};
  Entry& entry = entries_.back();
  entry.size = size;
  entry.crc = crc;
  Bytes descriptor;
  if (entry.zip64) {
    append_record(descriptor, Descriptor<std::uint64_t>{crc, size, size});
  } else {
    const auto narrow_size = static_cast<std::uint32_t>(size);  // as announced, below kZip64From
    append_record(descriptor, Descriptor<std::uint32_t>{crc, narrow_size, narrow_size});
  }
  offset_ += size + descriptor.size();
  open_ = false;
  return descriptor;
}

Result<Bytes> ArchiveBuilder::add(std::string_view name, ByteView contents) {
  return add(name, contents.size(), Crc32::of(contents).value());
}

Result<Bytes> ArchiveBuilder::add(std::string_view name, std::uint64_t size, std::uint32_t crc) {
  MR_TRY(Bytes header, start(name, size, crc, false));
  offset_ += size;
  return header;
}

Result<Bytes> ArchiveBuilder::finish() {
  if (finished_) return out_of_turn("zip archive: finished");
  if (open_) return out_of_turn("zip archive: an entry is open");
  Bytes out;
  bool zip64 = needs_zip64(offset_) || entries_.size() >= kInZip64Short;
  for (const Entry& entry : entries_) {
    zip64 = zip64 || entry.zip64;  // an entry far behind has the directory behind it
    append_central_header(out, entry);
  }
  const std::uint64_t directory_size = out.size();
  zip64 = zip64 || needs_zip64(directory_size);

  if (zip64) {
    Zip64EndRecord record;
    record.size_left = record_size<Zip64EndRecord>() - 12;  // not of the signature and of itself
    record.made_by = kMadeBy;
    record.version_needed = kVersion;
    record.disk_entries = record.entries = entries_.size();
    record.directory_size = directory_size;
    record.directory_offset = offset_;
    append_record(out, record);
    append_record(out, Zip64Locator{0, offset_ + directory_size, 1});
  }
  // There are readers that look for ZIP64 only if the offset is all ones; so all of it is.
  EndRecord end;
  end.disk_entries = end.entries = zip64 ? kInZip64Short : static_cast<std::uint16_t>(entries_.size());
  end.directory_size = narrow(directory_size, zip64);
  end.directory_offset = narrow(offset_, zip64);
  append_record(out, end);

  offset_ += out.size();
  finished_ = true;
  return out;
}

}  // namespace millrace::zip
