// What we write, as the readers of the three OpenTDF SDKs take it: each reads a part of the ZIP format and stumbles
// over the rest. They are modelled here from what is known of them (docs/formats/zip.md), with archives of any size.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "testing/zip.h"
#include "zip/archive_builder.h"
#include "zip/zip_reader.h"

namespace millrace::zip {
namespace {

using namespace millrace::testing;

struct Place {
  std::uint64_t offset = 0;  // of the contents
  std::uint64_t size = 0;
  bool operator==(const Place&) const = default;
};
using Places = std::map<std::string, Place>;

struct SdkReader {
  const char* name;
  bool scans_last_1000 = false;        // for entries of the directory, and has no look at the end record
  bool end_is_last_22 = false;         // else it searches backwards
  bool begins_with_entry = false;      // the file must
  bool is_signed = false;              // 32-bit fields; but all ones is all ones
  bool zip64_extra_is_first = false;   // else it is looked for
  bool zip64_from_version_45 = false;  // else: from an offset of all ones in the end record
};

constexpr SdkReader kGo{.name = "Go", .end_is_last_22 = true, .begins_with_entry = true, .zip64_extra_is_first = true};
constexpr SdkReader kJs{.name = "JavaScript", .scans_last_1000 = true, .zip64_from_version_45 = true};
constexpr SdkReader kJava{.name = "Java", .is_signed = true};
constexpr SdkReader kSdkReaders[] = {kGo, kJs, kJava};

// A number of 32 bits; nothing if this reader makes a negative one of it.
std::optional<std::uint64_t> number(const SdkReader& sdk, std::uint64_t field) {
  if (sdk.is_signed && field > 0x7fffffff && field != 0xffffffff) return std::nullopt;
  return field;
}

// The numbers of the ZIP64 extra field: plain size, stored size, offset.
std::optional<Bytes> zip64_field(const SdkReader& sdk, ByteView extra) {
  while (extra.size() >= 4) {
    const std::uint64_t id = number_at(extra, 0, 2);
    const std::uint64_t size = number_at(extra, 2, 2);
    if (size > extra.size() - 4) return std::nullopt;
    if (id == 1) return to_bytes(extra.subspan(4, size));
    if (sdk.zip64_extra_is_first) return std::nullopt;
    extra = extra.subspan(4 + size);
  }
  return std::nullopt;
}

// One entry of the directory; nothing if the reader fails.
std::optional<std::pair<std::string, Place>> read_entry(const SdkReader& sdk, const SparseBytes& file, std::uint64_t at,
                                                        bool zip64_archive) {
  const Bytes header = file.read(at, 46);
  const std::string name(as_text(file.read(at + 46, number_at(header, 28, 2))));
  const Bytes extra = file.read(at + 46 + name.size(), number_at(header, 30, 2));
  std::optional<std::uint64_t> size = number(sdk, number_at(header, 20, 4));
  std::optional<std::uint64_t> offset = number(sdk, number_at(header, 42, 4));
  if (!size || !offset) return std::nullopt;
  if (sdk.zip64_from_version_45 ? number_at(header, 6, 2) >= 45 : zip64_archive) {
    std::optional<Bytes> numbers = zip64_field(sdk, extra);
    std::size_t next = 0;
    for (std::optional<std::uint64_t>* field : {&size, &size, &offset}) {
      const std::size_t in_header = field == &size ? 20 : 42;
      if (number_at(header, in_header, 4) != 0xffffffff) continue;
      if (!numbers || numbers->size() < next + 8) return std::nullopt;
      *field = number_at(*numbers, next, 8);
      next += 8;
    }
  }
  if (*offset > file.size() - 30) return std::nullopt;
  const Bytes local = file.read(*offset, 30);
  if (number_at(local, 0, 4) != 0x04034b50) return std::nullopt;
  const std::uint64_t data = *offset + 30 + number_at(local, 26, 2) + number_at(local, 28, 2);
  if (data > file.size() || *size > file.size() - data) return std::nullopt;
  return std::pair{name, Place{data, *size}};
}

std::optional<Places> read_archive(const SdkReader& sdk, const SparseBytes& file) {
  Places places;
  const std::size_t tail_size = std::min<std::uint64_t>(file.size(), 1000);
  const std::uint64_t tail_offset = file.size() - tail_size;
  const Bytes tail = file.read(tail_offset, tail_size);
  if (sdk.begins_with_entry && number_at(file.read(0, 4), 0, 4) != 0x04034b50) return std::nullopt;
  if (sdk.scans_last_1000) {
    for (std::size_t at = tail.size() - 45; at-- > 0;) {
      if (number_at(tail, at, 4) != 0x02014b50) continue;
      const auto entry = read_entry(sdk, file, tail_offset + at, false);
      if (!entry) return std::nullopt;
      places.insert(*entry);
    }
    return places;
  }
  std::size_t end = tail.size() - 22;
  if (!sdk.end_is_last_22) {
    while (end > 0 && number_at(tail, end, 4) != 0x06054b50) --end;
  }
  if (number_at(tail, end, 4) != 0x06054b50) return std::nullopt;
  std::uint64_t count = number_at(tail, end + 10, 2);
  std::uint64_t offset = number_at(tail, end + 16, 4);
  const bool zip64 = offset == 0xffffffff;
  if (zip64) {
    if (number_at(tail, end - 20, 4) != 0x07064b50) return std::nullopt;
    const Bytes record = file.read(number_at(tail, end - 20 + 8, 8), 56);
    if (number_at(record, 0, 4) != 0x06064b50) return std::nullopt;
    count = number_at(record, 32, 8);
    offset = number_at(record, 48, 8);
  } else if (!number(sdk, offset)) {
    return std::nullopt;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const Bytes header = file.read(offset, 46);
    const auto entry = read_entry(sdk, file, offset, zip64);
    if (!entry || !places.insert(*entry).second) return std::nullopt;
    offset += 46 + number_at(header, 28, 2) + number_at(header, 30, 2) + number_at(header, 32, 2);
  }
  return places;
}

Places places_of(const SparseBytes& file) {
  const Result<ZipReader> reader = ZipReader::open(file);
  Places places;
  if (!reader) {
    ADD_FAILURE() << describe(reader.error());
    return places;
  }
  for (const ZipEntry& entry : reader->entries()) places[entry.name] = {entry.data_offset, entry.stored_size};
  return places;
}

// A TDF with a payload of zeros that are not there.
struct Archive {
  SparseBytes file;
  Places places;
};
Archive archive_of(std::optional<std::uint64_t> announced, std::uint64_t size) {
  Archive archive;
  ArchiveBuilder builder;
  archive.file.put_at(0, *builder.begin("0.payload", announced));
  archive.places["0.payload"] = {builder.offset(), size};
  const std::uint64_t end = builder.offset() + size;
  archive.file.put_at(end, *builder.end(size, 0));
  const std::uint64_t second = builder.offset();
  archive.file.put_at(second, *builder.add("0.manifest.json", as_bytes(kDigits)));
  archive.places["0.manifest.json"] = {builder.offset() - kDigits.size(), kDigits.size()};
  archive.file.put_at(builder.offset() - kDigits.size(), as_bytes(kDigits));
  const std::uint64_t directory = builder.offset();
  archive.file.put_at(directory, *builder.finish());
  EXPECT_EQ(builder.offset(), archive.file.size());
  return archive;
}

TEST(SdkReaders, ReadWhatWeWriteOnBothSidesOfEveryBorder_zip_z01_zip_z03_zip_z04) {
  std::vector<std::uint64_t> sizes = {0, 1, 9, 1 << 20, std::uint64_t{1} << 40};
  // Sizes, and the offsets behind them, on both sides of 2^31 - 1 and 2^32 - 1. Segments of 2 MiB make the first two
  // above the lower border of 2,147,454,975 and 2,147,454,976 bytes.
  for (const std::uint64_t border : {std::uint64_t{0x7fffffff}, std::uint64_t{0xffffffff}}) {
    for (std::uint64_t size = border - 120; size <= border + 1; ++size) sizes.push_back(size);
  }
  for (const std::uint64_t size : sizes) {
    for (const std::optional<std::uint64_t> announced : {std::optional<std::uint64_t>{}, {size}}) {
      const Archive archive = archive_of(announced, size);
      SCOPED_TRACE(std::to_string(size) + (announced ? " announced" : ""));
      ASSERT_EQ(places_of(archive.file), archive.places);
      for (const SdkReader& sdk : kSdkReaders) {
        const std::optional<Places> places = read_archive(sdk, archive.file);
        ASSERT_TRUE(places) << sdk.name;
        ASSERT_EQ(*places, archive.places) << sdk.name;
      }
    }
  }
}

SparseBytes file_of(const Bytes& bytes) {
  SparseBytes file;
  file.put_at(0, bytes);
  return file;
}

TEST(SdkReaders, OfTheModelReadTheFilesOfTheSdks) {
  for (const char* name : {"platform/sample.tdf", "java-sdk/sample.txt.tdf", "web-sdk/README.md.tdf",
                           "tests-golden/small-java-4.3.0-e0f8caf.tdf"}) {
    std::ifstream in(std::string(MILLRACE_TEST_VECTORS "/opentdf/") + name, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    const SparseBytes file = file_of(to_bytes(as_bytes(text)));
    for (const SdkReader& sdk : kSdkReaders) EXPECT_EQ(read_archive(sdk, file), places_of(file)) << sdk.name << name;
  }
}

// The model has the faults for which our writer does what it does.
TEST(SdkReaders, OfTheModelStumbleOverWhatWeDoNotWrite) {
  const std::uint32_t ones = 0xffffffff;
  const RawEntry plain{.contents = ""};
  const Bytes zip64 = zip64_extra({0, 0, 0});
  Bytes behind_another = extra_field(0x5455, Bytes(5));
  append(behind_another, zip64);
  const RawEntry late{.contents = "",
                      .extra = behind_another,
                      .stored_size = ones,
                      .plain_size = ones,
                      .header_offset = ones,
                      .local_size = 0};

  const SparseBytes comment = file_of(raw_zip({plain}, {.comment = "c"}));
  EXPECT_FALSE(read_archive(kGo, comment));
  EXPECT_TRUE(read_archive(kJava, comment));
  const SparseBytes long_comment = file_of(raw_zip({plain}, {.comment = std::string(1000, 'c')}));
  EXPECT_EQ(read_archive(kJs, long_comment)->size(), 0u);
  EXPECT_FALSE(read_archive(kGo, file_of(raw_zip({late}, {.zip64 = true})))) << "another extra field is first";
  EXPECT_TRUE(read_archive(kJava, file_of(raw_zip({late}, {.zip64 = true}))));
  EXPECT_FALSE(read_archive(kJs, file_of(raw_zip({late}, {.zip64 = true})))) << "version 20";
  EXPECT_FALSE(read_archive(kJava, file_of(raw_zip({late}, {.directory_offset = 31 + 13, .zip64 = true}))))
      << "the directory's offset is not all ones";

  SparseBytes two_gibibytes;  // without ZIP64, as the format allows
  const std::uint32_t size = 0x80000000;
  const Bytes zip =
      raw_zip({{.contents = "", .stored_size = size, .plain_size = size}}, {.directory_offset = 31 + size});
  two_gibibytes.put_at(0, slice(zip, 0, 31));
  two_gibibytes.put_at(31 + std::uint64_t{size}, slice(zip, 31, zip.size() - 31));
  EXPECT_TRUE(read_archive(kGo, two_gibibytes));
  EXPECT_TRUE(read_archive(kJs, two_gibibytes));
  EXPECT_FALSE(read_archive(kJava, two_gibibytes));
}

}  // namespace
}  // namespace millrace::zip
