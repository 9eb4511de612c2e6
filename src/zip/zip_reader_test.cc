// ZipReader on files of other writers, and on archives that are wrong in one way each.
#include "zip/zip_reader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "millrace/checksum.h"
#include "testing/streams.h"
#include "testing/zip.h"
#include "zip/zip_writer.h"

namespace millrace::zip {
namespace {

using namespace millrace::testing;

Result<ZipReader> open_bytes(ByteView bytes, const ZipLimits& limits = {}) {
  const TestReadAt archive(bytes);  // aborts when it is read outside
  return ZipReader::open(archive, limits);
}

std::string contents_of(ByteView archive, const ZipEntry& entry) {
  return std::string(as_text(archive.subspan(entry.data_offset, entry.stored_size)));
}

// The error of an archive, or "" when it opens.
std::string refusal(ByteView bytes, const ZipLimits& limits = {}) {
  const Result<ZipReader> reader = open_bytes(bytes, limits);
  if (reader) return "";
  EXPECT_NE(reader.error().code, ErrorCode::kIo);
  EXPECT_NE(reader.error().code, ErrorCode::kInvalidArgument);
  return std::string(reader.error().where);
}

void expect_opens(const Bytes& zip, const std::vector<std::string>& names = {"a"}) {
  const Result<ZipReader> reader = open_bytes(zip);
  ASSERT_TRUE(reader) << describe(reader.error());
  ASSERT_EQ(reader->entries().size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(reader->entries()[i].name, names[i]);
    EXPECT_EQ(contents_of(zip, reader->entries()[i]), kDigits);
    EXPECT_EQ(reader->entries()[i].crc, kDigitsCrc);
    EXPECT_TRUE(reader->stored(names[i]));
  }
}

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  return to_bytes(as_bytes(text));
}

// Writers of five kinds: Go, Java, JavaScript, libarchive and Info-ZIP.
TEST(ZipReaderGolden, OpensTheFilesOfOtherWriters_zip_z04_zip_z06_zip_z07_zip_z10) {
  std::size_t files = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(MILLRACE_TEST_VECTORS "/opentdf")) {
    if (file.path().extension() != ".tdf" || file.path().filename().string().starts_with("invalid_")) continue;
    if (file.path().filename().string().ends_with("html_tdf.tdf")) continue;  // archives inside of web pages
    ++files;
    SCOPED_TRACE(file.path().filename());
    const Bytes bytes = read_file(file.path());
    const Result<ZipReader> reader = open_bytes(bytes);
    ASSERT_TRUE(reader) << describe(reader.error());
    EXPECT_EQ(reader->entries().size(), 2u);
    const Bytes locator = from_hex("504b0607");
    EXPECT_EQ(reader->zip64(), equal(slice(bytes, bytes.size() - 42, 4), locator));
    for (const char* name : {"0.payload", "0.manifest.json"}) {
      const Result<const ZipEntry*> entry = reader->stored(name);
      ASSERT_TRUE(entry) << describe(entry.error());
      const ByteView contents = slice(bytes, (*entry)->data_offset, (*entry)->stored_size);
      EXPECT_EQ(Crc32::of(contents).value(), (*entry)->crc) << "these bytes are the contents";
    }
  }
  EXPECT_GE(files, 17u);
}

TEST(ZipReaderGolden, RefusesTheArchiveThatAConversionOfTextDamaged) {
  EXPECT_EQ(refusal(read_file(MILLRACE_TEST_VECTORS "/opentdf/client-cpp/invalid_zip_tdf.tdf")),
            "zip end record: not found");
}

TEST(ZipReader, OpensWhatTheWriterWrites) {
  for (const std::optional<std::uint64_t> size : {std::optional<std::uint64_t>{}, {9}}) {
    MemorySink out;
    ZipWriter zip(out);
    ASSERT_TRUE(zip.begin("0.payload", size));
    ASSERT_TRUE(zip.write(as_bytes(kDigits)));
    ASSERT_TRUE(zip.end());
    ASSERT_TRUE(zip.add("\xc3\xbc", as_bytes(kDigits)));
    ASSERT_TRUE(zip.finish());
    expect_opens(to_bytes(out.bytes()), {"0.payload", "\xc3\xbc"});
    EXPECT_EQ(open_bytes(out.bytes())->zip64(), !size);
  }
}

TEST(ZipReader, OpensTheArchiveWithoutEntries) {
  expect_opens(raw_zip({}), {});
  EXPECT_EQ(open_bytes(raw_zip({}))->stored("a").error().code, ErrorCode::kMalformed);
}

TEST(ZipReader, FindsTheEndRecordBehindAnyCommentAndNoFurther_zip_z02) {
  for (const std::size_t size : {0u, 1u, 21u, 22u, 65534u, 65535u}) {
    expect_opens(raw_zip({{}}, {.comment = std::string(size, 'c')}));
  }
  // One byte more than a comment can have: the record is there, but does not say so.
  Bytes zip = raw_zip({{}}, {.comment = std::string(65535, 'c')});
  zip.push_back(std::byte{'c'});
  EXPECT_EQ(refusal(zip), "zip end record: not found");
}

TEST(ZipReader, IsNotConfusedBySignatures_zip_z02) {
  const std::string central = "PK\1\2";
  const std::string end = "PK\5\6";
  const std::string zeros(18, '\0');
  for (const std::string& lure :
       {central, end, end + zeros, end + zeros.substr(1) + "x", std::string("PK\3\4") + end + central,
        std::string("PK\6\7") + zeros.substr(2) + end + zeros}) {
    const Bytes zip = raw_zip({{.contents = lure, .comment = lure}, {.name = "0.manifest.json", .contents = lure}},
                              {.comment = lure}, to_bytes(as_bytes(lure)));
    const Result<ZipReader> reader = open_bytes(zip);
    ASSERT_TRUE(reader) << describe(reader.error());
    EXPECT_EQ(reader->entries().size(), 2u);
    EXPECT_EQ(contents_of(zip, **reader->stored("0.manifest.json")), lure);
  }
}

// An archive whose comment holds a directory and an end record of its own, both with right offsets.
TEST(ZipReader, RefusesTwoArchivesInOneFile_g6) {
  const Bytes hidden = raw_zip({{.name = "b"}}, {}, raw_zip({{}}, {.comment = ""}));
  const std::size_t outer = raw_zip({{}}).size();
  const std::string comment(as_text(ByteView(hidden).subspan(outer)));
  const Bytes zip = raw_zip({{}}, {.comment = comment});
  EXPECT_EQ(refusal(zip), "zip end record: two of them");
  // Each of them alone is an archive.
  expect_opens(hidden, {"b"});
  expect_opens(raw_zip({{}}, {.comment = std::string(comment.size(), 'c')}));
}

TEST(ZipReader, RefusesEveryPrefixAndBytesBehindTheEnd_zip_z11) {
  for (const Bytes& zip : {raw_zip({{}, {.name = "b"}}), raw_zip({{}}, {.comment = "comment"}),
                           raw_zip({{.extra = zip64_extra({9, 9, 0}),
                           .stored_size = 0xffffffff,
                           .plain_size = 0xffffffff,
                           .header_offset = 0xffffffff,
                           .local_size = 9}},
                                   {.zip64 = true})}) {
    ASSERT_EQ(refusal(zip), "");
    for (std::size_t size = 0; size < zip.size(); ++size) EXPECT_NE(refusal(slice(zip, 0, size)), "") << size;
    for (const char* more : {"\n", "PK\5\6", "0123456789012345678901"}) {
      Bytes longer = zip;
      put(longer, more);
      EXPECT_NE(refusal(longer), "") << more;
    }
  }
}

TEST(ZipReader, RefusesADirectoryThatIsNotWhereTheEndRecordSays_zip_z02_zip_z11) {
  const auto size = static_cast<std::uint32_t>(46 + 1);
  const auto offset = static_cast<std::uint32_t>(30 + 1 + 9);
  for (const RawEnd& end : std::vector<RawEnd>{{.directory_size = size - 1},
                                               {.directory_size = size + 1},
                                               {.directory_offset = offset - 1},
                                               {.directory_offset = offset + 1},
                                               {.directory_size = 0},
                                               {.directory_size = 0xfffffffe},
                                               {.directory_offset = 0xfffffffe},
                                               {.directory_size = 0xfffffffe, .directory_offset = 0xfffffffe},
                                               {.directory_size = size + offset, .directory_offset = 0},
                                               {.before = Bytes(1)},
                                               {.entries = 0},
                                               {.entries = 2},
                                               {.entries = 0xfffe}}) {
    EXPECT_NE(refusal(raw_zip({{}}, end)), "");
  }
  // A record more or less than the directory holds.
  const RawEntry roomy{.comment = std::string(46, 'c')};
  EXPECT_EQ(refusal(raw_zip({roomy}, {.entries = 2})), "zip directory: ends early");
  Bytes no_entry = raw_zip({{}});
  no_entry[offset] = std::byte{0};
  EXPECT_EQ(refusal(no_entry), "zip directory: no entry here");
  EXPECT_EQ(refusal(raw_zip({{}, {.name = "b"}}, {.entries = 1})), "zip directory: more than its entries");
}

TEST(ZipReader, RefusesArchivesOfSeveralDisks) {
  EXPECT_EQ(refusal(raw_zip({{}}, {.disk = 1})), "zip archive: several disks");
  EXPECT_EQ(refusal(raw_zip({{}}, {.disk_entries = 0})), "zip archive: several disks");
  EXPECT_EQ(refusal(raw_zip({{.disk = 1}})), "zip archive: several disks");
  EXPECT_EQ(refusal(raw_zip({{}}, {.zip64 = true, .locator_disks = 2})), "zip archive: several disks");
  EXPECT_EQ(refusal(raw_zip({{.extra = extra_field(1, from_hex("01000000")), .disk = 0xffff}})),
            "zip archive: several disks");
  expect_opens(raw_zip({{.extra = extra_field(1, from_hex("00000000")), .disk = 0xffff}}));
}

TEST(ZipReader, FollowsTheZip64EndRecord) {
  expect_opens(raw_zip({{}}, {.zip64 = true}));
  expect_opens(raw_zip({{}}, {.zip64 = true, .zip64_more = Bytes(40)}));
  expect_opens(raw_zip({{}}, {.comment = "comment", .zip64 = true}));
  // Any field may be all ones, and any may say the number.
  expect_opens(raw_zip({{}}, {.entries = 1, .zip64 = true}));
  expect_opens(raw_zip({{}}, {.disk = 0xffff, .directory_size = 47, .zip64 = true}));
  expect_opens(raw_zip({{}}, {.entries = 1, .directory_size = 47, .directory_offset = 40, .zip64 = true}));
}

TEST(ZipReader, RefusesAZip64EndRecordThatIsWrongInOneWay_g6) {
  const std::string two = "zip64 end record: not what the end record says";
  EXPECT_EQ(refusal(raw_zip({{}}, {.entries = 2, .zip64 = true})), two);
  EXPECT_EQ(refusal(raw_zip({{}}, {.entries = 2, .disk_entries = 0xffff, .zip64 = true})), two);
  EXPECT_EQ(refusal(raw_zip({{}}, {.directory_size = 46, .zip64 = true})), two);
  EXPECT_EQ(refusal(raw_zip({{}}, {.directory_offset = 41, .zip64 = true})), two);
  EXPECT_EQ(refusal(raw_zip({{}}, {.disk = 1, .zip64 = true})), two);
  // All ones, but nothing to look at; also when the locator is not right in front of the end record.
  EXPECT_EQ(refusal(raw_zip({{}}, {.entries = 0xffff})), "zip64 locator: missing");
  EXPECT_EQ(refusal(raw_zip({{}}, {.disk = 0xffff})), "zip64 locator: missing");
  EXPECT_EQ(refusal(raw_zip({{}}, {.directory_size = 0xffffffff})), "zip64 locator: missing");
  EXPECT_EQ(refusal(raw_zip({{}}, {.directory_offset = 0xffffffff})), "zip64 locator: missing");
  EXPECT_EQ(refusal(raw_zip({{}}, {.zip64 = true, .behind_locator = Bytes(1)})), "zip64 locator: missing");
  // The record must be there and reach up to its locator.
  const std::uint64_t record = 40 + 47;
  for (const std::uint64_t offset : {std::uint64_t{0}, record - 1}) {
    EXPECT_EQ(refusal(raw_zip({{}}, {.zip64 = true, .locator_offset = offset})), "zip64 end record") << offset;
  }
  for (const std::uint64_t offset : {record + 1, record + 56, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    EXPECT_EQ(refusal(raw_zip({{}}, {.zip64 = true, .locator_offset = offset})), "zip64 locator: offset") << offset;
  }
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{43}, std::uint64_t{45}, ~std::uint64_t{0} - 11}) {
    EXPECT_EQ(refusal(raw_zip({{}}, {.zip64 = true, .zip64_size_left = size})), "zip64 end record") << size;
  }
  const std::string place = "zip end record: place of the directory";
  for (const std::uint64_t wrong : {std::uint64_t{0}, std::uint64_t{46}, std::uint64_t{48}, ~std::uint64_t{0}}) {
    EXPECT_EQ(refusal(raw_zip({{}}, {.zip64 = true, .zip64_directory_size = wrong})), place) << wrong;
    EXPECT_EQ(refusal(raw_zip({{}}, {.zip64 = true, .zip64_directory_offset = wrong})), place) << wrong;
  }
  EXPECT_EQ(refusal(raw_zip({{}}, {.before = Bytes(1), .zip64 = true})), place);
  for (const std::uint64_t wrong : {std::uint64_t{2}, ~std::uint64_t{0}}) {
    EXPECT_EQ(refusal(raw_zip({{}}, {.zip64 = true, .zip64_entries = wrong})), "zip end record: number of entries");
  }
  EXPECT_EQ(refusal(raw_zip({{}}, {.zip64 = true, .zip64_entries = 0})), "zip directory: more than its entries");
}

TEST(ZipReader, FindsTheZip64ExtraFieldById_zip_z10) {
  const Bytes time = extra_field(0x5455, from_hex("03 00000000"));
  const std::uint32_t ones = 0xffffffff;
  // Alone, behind another one and in front of another one.
  for (const auto& [before, after] : std::vector<std::pair<Bytes, Bytes>>{{{}, {}}, {time, {}}, {{}, time}}) {
    Bytes extra = before;
    append(extra, zip64_extra({9, 9, 0}));
    append(extra, after);
    expect_opens(
        raw_zip({{.extra = extra, .stored_size = ones, .plain_size = ones, .header_offset = ones, .local_size = 9}}));
  }
  // Fields for exactly the numbers that are all ones, in the order plain size, stored size, offset.
  expect_opens(raw_zip({{.extra = zip64_extra({9}), .stored_size = ones, .local_size = 9}}));
  expect_opens(raw_zip({{.extra = zip64_extra({9}), .plain_size = ones, .local_size = 9}}));
  expect_opens(raw_zip({{.extra = zip64_extra({0}), .header_offset = ones}}));  // 0 is a value
  expect_opens(
      raw_zip(
          {{},
           {.name = "b", .extra = zip64_extra({9, 40}), .plain_size = ones, .header_offset = ones, .local_size = 9}}),
      {"a", "b"});
  // Writers that always put all of them; numbers that are not all ones stand.
  expect_opens(raw_zip({{.extra = zip64_extra({1, 2, 3})}}));
  expect_opens(raw_zip({{.extra = zip64_extra({9, 2, 3}), .plain_size = ones, .local_size = 9}}));
}

TEST(ZipReader, RefusesExtraFieldsThatSayTooLittle_zip_z10) {
  const std::uint32_t ones = 0xffffffff;
  const std::string missing = "zip64 extra field: missing or short";
  EXPECT_EQ(refusal(raw_zip({{.stored_size = ones, .local_size = 9}})), missing);
  EXPECT_EQ(refusal(raw_zip({{.header_offset = ones}})), missing);
  EXPECT_EQ(refusal(raw_zip({{.extra = zip64_extra({}), .stored_size = ones, .local_size = 9}})), missing);
  EXPECT_EQ(refusal(raw_zip({{.extra = zip64_extra({9, 9}),
                              .stored_size = ones,
                              .plain_size = ones,
                              .header_offset = ones,
                              .local_size = 9}})),
            missing);
  EXPECT_EQ(refusal(raw_zip({{.extra = extra_field(1, Bytes(7)), .stored_size = ones, .local_size = 9}})), missing);
  EXPECT_EQ(refusal(raw_zip({{.extra = extra_field(1, Bytes(3)), .disk = 0xffff}})), missing);
  Bytes twice = zip64_extra({9});
  append(twice, zip64_extra({9}));
  EXPECT_EQ(refusal(raw_zip({{.extra = twice, .stored_size = ones, .local_size = 9}})),
            "zip64 extra field: comes twice");
  for (const Bytes& cut : {from_hex("01"), from_hex("010008"), from_hex("0100 0100"), from_hex("5455 ffff 00")}) {
    EXPECT_EQ(refusal(raw_zip({{.extra = cut}})), "zip extra field: size");
  }
}

TEST(ZipReader, ReadsNumbersWithoutSign_zip_z01) {
  for (const std::uint64_t size : {0x7fffffffull, 0x80000000ull, 0xfffffffeull}) {
    SparseBytes archive;
    const Bytes zip =
        raw_zip({{.contents = "",
                  .stored_size = static_cast<std::uint32_t>(size),
                  .plain_size = static_cast<std::uint32_t>(size)}},
                {.directory_offset = static_cast<std::uint32_t>(std::min<std::uint64_t>(31 + size, 0xfffffffe))});
    archive.put_at(0, slice(zip, 0, 31));
    archive.put_at(31 + size, slice(zip, 31, zip.size() - 31));
    const Result<ZipReader> reader = ZipReader::open(archive);
    if (size == 0xfffffffe) {
      EXPECT_FALSE(reader) << "the offset of the directory does not fit";
      continue;
    }
    ASSERT_TRUE(reader) << describe(reader.error());
    EXPECT_EQ(reader->entries()[0].stored_size, size);
  }
}

TEST(ZipReader, ReadsWithEveryKindOfDescriptor_zip_z07) {
  const std::string crc_sizes_32 = "2639f4cb 09000000 09000000";
  const std::string crc_sizes_64 = "2639f4cb 0900000000000000 0900000000000000";
  for (const std::string& descriptor :
       {crc_sizes_32, crc_sizes_64, std::string("504b0708") + crc_sizes_32, std::string("504b0708") + crc_sizes_64}) {
    for (const std::uint32_t local_size : {0u, 9u, 0xffffffffu}) {
      std::vector<RawEntry> entries;
      for (const char* name : {"a", "b"}) {
        entries.push_back(
            {.name = name, .flags = 8, .descriptor = from_hex(descriptor), .local_crc = 0, .local_size = local_size});
      }
      expect_opens(raw_zip(entries), {"a", "b"});
    }
  }
  EXPECT_EQ(refusal(raw_zip({{.flags = 8, .descriptor = Bytes(11)}, {.name = "b"}})), "zip entry: overlaps another");
  EXPECT_EQ(refusal(raw_zip({{.flags = 8, .descriptor = Bytes(11)}})), "zip entry: contents outside the archive");
}

TEST(ZipReader, RefusesLocalHeadersThatSayOtherwise_zip_z06_g6) {
  const std::string flags = "zip local header: another method or flags than in the directory";
  const std::string name = "zip local header: another name than in the directory";
  const std::string numbers = "zip local header: another size or CRC than in the directory";
  EXPECT_EQ(refusal(raw_zip({{.local_name = "b"}})), name);
  EXPECT_EQ(refusal(raw_zip({{.local_name = "aa"}})), name);
  EXPECT_EQ(refusal(raw_zip({{.name = "aa", .local_name = "a"}})), name);
  EXPECT_EQ(refusal(raw_zip({{.local_method = 8}})), flags);
  EXPECT_EQ(refusal(raw_zip({{.local_flags = 1}})), flags);
  EXPECT_EQ(refusal(raw_zip({{.local_flags = 8}})), flags);
  EXPECT_EQ(refusal(raw_zip({{.local_crc = 1}})), numbers);
  EXPECT_EQ(refusal(raw_zip({{.local_size = 8}})), numbers);
  EXPECT_EQ(refusal(raw_zip({{.local_size = 0}})), numbers);
  EXPECT_EQ(refusal(raw_zip({{.local_size = 0xffffffff, .local_extra = zip64_extra({9, 8})}})), numbers);
  EXPECT_EQ(refusal(raw_zip({{.local_size = 0xffffffff}})), "zip64 extra field: missing or short");
  // What honest writers do: the flag for UTF-8 in one place, extra fields of any kind, sizes in ZIP64 though small.
  expect_opens(raw_zip({{.flags = 0x800, .local_flags = 0}}));
  expect_opens(raw_zip({{.local_extra = from_hex("000000")}}));
  expect_opens(raw_zip({{.local_size = 0xffffffff, .local_extra = zip64_extra({9, 9})}}));
}

TEST(ZipReader, RefusesEntriesOutsideOfTheArchive_zip_z11_g2) {
  const std::uint32_t size = 9;
  EXPECT_EQ(refusal(raw_zip({{.header_offset = 1}})), "zip local header: not there");
  for (const std::uint32_t offset : {10u, 40u, 0xfffffffeu}) {
    EXPECT_EQ(refusal(raw_zip({{.header_offset = offset}})), "zip entry: local header outside the archive") << offset;
  }
  // Into the directory by one byte, past the end, around the world.
  for (const std::uint64_t wrong : {std::uint64_t{size} + 1, std::uint64_t{1} << 31, std::uint64_t{1} << 63,
                                    ~std::uint64_t{0}, ~std::uint64_t{0} - 30, ~std::uint64_t{0} - 39}) {
    EXPECT_EQ(
        refusal(raw_zip(
            {{.flags = 8, .extra = zip64_extra({wrong, wrong}), .stored_size = 0xffffffff, .plain_size = 0xffffffff}})),
        "zip entry: contents outside the archive")
        << wrong;
    EXPECT_EQ(refusal(raw_zip({{.extra = zip64_extra({wrong}), .header_offset = 0xffffffff}})),
              "zip entry: local header outside the archive")
        << wrong;
  }
  Bytes extra_too_long = raw_zip({{}});
  extra_too_long[28] = std::byte{1};
  EXPECT_EQ(refusal(extra_too_long), "zip entry: contents outside the archive");
  EXPECT_EQ(refusal(raw_zip({{.plain_size = 8, .local_size = 9}})), "zip entry: stored, but of two sizes");
}

TEST(ZipReader, RefusesEntriesThatOverlap) {
  // The same local header twice cannot be, for names differ. Contents that hold the next entry can.
  const Bytes inner = raw_zip({{.name = "b"}});
  const std::string inner_local(as_text(slice(inner, 0, 40)));
  const auto inside = static_cast<std::uint32_t>(30 + 1);
  const RawEntry outer{.contents = inner_local};
  const RawEntry second{.name = "b", .header_offset = inside};
  EXPECT_EQ(refusal(raw_zip({outer, second})), "zip entry: overlaps another");
  expect_opens(raw_zip({{}, {.name = "b"}}), {"a", "b"});
  // In any order of the directory, and with bytes between them.
  expect_opens(raw_zip({{.descriptor = Bytes(100)}, {.name = "b"}}), {"a", "b"});
}

TEST(ZipReader, RefusesNamesTwiceEmptyOrWithAZeroByte_g6) {
  EXPECT_EQ(refusal(raw_zip({{}, {.name = "b"}, {}})), "zip entry name: comes twice");
  EXPECT_EQ(refusal(raw_zip({{.name = ""}})), "zip entry name: empty");
  EXPECT_EQ(refusal(raw_zip({{}, {.name = std::string("a\0b", 3)}})), "zip entry name: zero byte");
}

TEST(ZipReader, NamesTheMethodOfAnEntryThatIsNotStored_zip_z12) {
  for (const auto& [method, text] : std::vector<std::pair<std::uint16_t, std::string>>{{8, "8 (deflate)"},
                                                                                       {9, "9 (deflate64)"},
                                                                                       {12, "12 (bzip2)"},
                                                                                       {14, "14 (LZMA)"},
                                                                                       {93, "93 (Zstandard)"},
                                                                                       {95, "95 (xz)"},
                                                                                       {6, "a rare method"}}) {
    const Result<ZipReader> reader = open_bytes(raw_zip({{.method = method, .plain_size = 100}, {.name = "b"}}));
    ASSERT_TRUE(reader) << "other entries can be read";
    EXPECT_TRUE(reader->stored("b"));
    const Error error = reader->stored("a").error();
    EXPECT_EQ(error.code, ErrorCode::kMalformed);
    EXPECT_NE(error.where.find(text), std::string_view::npos) << error.where;
  }
  for (const std::uint16_t method : std::vector<std::uint16_t>{0, 8, 99}) {
    const Result<ZipReader> reader = open_bytes(raw_zip({{.method = method, .flags = 1, .plain_size = 5}}));
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->stored("a").error().where, "zip entry: encrypted the ZIP way");
  }
}

TEST(ZipReader, KeepsToItsLimits_zip_z11) {
  const Bytes zip = raw_zip({{}, {.name = "b"}, {.name = "c"}});
  EXPECT_EQ(refusal(zip, {.max_entries = 3, .max_directory_size = 3 * 47}), "");
  EXPECT_EQ(open_bytes(zip, {.max_entries = 2}).error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(open_bytes(zip, {.max_directory_size = 3 * 47 - 1}).error().code, ErrorCode::kLimitExceeded);
}

TEST(ZipReader, ReadsDirectoriesInPieces) {
  // Records on both sides of the piece of 64 KiB, and one that is larger than it.
  std::vector<RawEntry> entries;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < 3000; ++i) {
    entries.push_back({.name = std::string("entry ") + std::to_string(i), .comment = std::string(i % 50, 'c')});
    names.push_back(entries.back().name);
  }
  for (const std::size_t size : {65534u, 65535u}) {
    entries.push_back(
        {.name = std::string(size, 'n'), .extra = extra_field(7, Bytes(size - 4)), .comment = std::string(size, 'c')});
    names.push_back(entries.back().name);
  }
  expect_opens(raw_zip(entries), names);
}

TEST(ZipReader, ReportsWhatTheArchiveItselfReports) {
  const Bytes zip = raw_zip({{}}, {.zip64 = true});
  for (std::size_t at = 0; at < zip.size(); ++at) {
    const TestReadAt archive(zip, at);
    const Result<ZipReader> reader = ZipReader::open(archive);
    EXPECT_FALSE(reader);
    EXPECT_EQ(reader.error().code, ErrorCode::kIo);
  }
}

// Whatever a byte becomes: no crash, no read outside, no entry outside.
TEST(ZipReader, SurvivesChangesOfEveryByte_g2) {
  const Bytes plain = raw_zip({{.local_extra = zip64_extra({9, 9})},
                               {.name = "b",
                                .flags = 8,
                                .extra = zip64_extra({9, 9, 60}),
                                .descriptor = Bytes(24),
                                .stored_size = 0xffffffff,
                                .plain_size = 0xffffffff,
                                .header_offset = 0xffffffff}},
                              {.comment = "comment", .zip64 = true});
  expect_opens(plain, {"a", "b"});
  for (std::size_t at = 0; at < plain.size(); ++at) {
    Bytes zip = plain;
    const auto old = std::to_integer<unsigned>(plain[at]);
    std::vector<unsigned> values = {0, 0x7f, 0x80, 0xff, old + 1, old - 1};
    for (unsigned bit = 1; bit < 256; bit *= 2) values.push_back(old ^ bit);
    for (const unsigned value : values) {
      zip[at] = static_cast<std::byte>(value);
      const Result<ZipReader> reader = open_bytes(zip);
      if (!reader) continue;
      for (const ZipEntry& entry : reader->entries()) {
        ASSERT_LE(entry.data_offset, zip.size());
        ASSERT_LE(entry.stored_size, zip.size() - entry.data_offset);
        ASSERT_LT(entry.header_offset, entry.data_offset);
      }
    }
  }
}

}  // namespace
}  // namespace millrace::zip
