// zip_samples DIRECTORY: archives of every layout that we write, for readers that we did not write (peers.py). Beside
// NAME.zip stands the folder NAME with what its entries hold. Archives called sparse-SIZE-... hold SIZE zeros, which
// take no room and no time: only what stands around them is written. Each archive is opened again with our own reader.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "millrace/checksum.h"
#include "millrace/stream.h"
#include "zip/archive_builder.h"
#include "zip/zip_reader.h"
#include "zip/zip_writer.h"

using namespace millrace;
using namespace millrace::zip;

namespace {

std::filesystem::path directory;

void require(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "zip_samples: %s\n", what.c_str());
  std::exit(1);
}

template <class T>
T value_of(Result<T> result) {
  if (!result) require(false, describe(result.error()));
  return *std::move(result);
}

Fd create(const std::filesystem::path& path) {
  std::filesystem::create_directories(path.parent_path());
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  require(fd.valid(), "cannot write " + path.string());
  return fd;
}

enum class How { kAdd, kKnown, kUnknown };
struct Entry {
  std::string name;
  std::string contents;
  How how = How::kAdd;
};

void check(const std::filesystem::path& path, const std::vector<Entry>& entries) {
  const Fd fd = value_of(open_for_reading(path));
  const FileReadAt file = value_of(FileReadAt::create(fd.get()));
  const ZipReader reader = value_of(ZipReader::open(file));
  require(reader.entries().size() == entries.size(), path.string() + ": number of entries");
  for (const Entry& entry : entries) {
    const ZipEntry* found = value_of(reader.stored(entry.name));
    std::string contents(found->stored_size, '\0');
    value_of(file.read_at(found->data_offset, std::as_writable_bytes(std::span(contents))));
    require(contents == entry.contents, path.string() + ": " + entry.name);
  }
}

void write(const std::string& name, const std::vector<Entry>& entries) {
  const std::filesystem::path path = directory / (name + ".zip");
  FileSink out(create(path));
  ZipWriter zip(out);
  for (const Entry& entry : entries) {
    if (entry.how == How::kAdd) {
      value_of(zip.add(entry.name, as_bytes(entry.contents)));
    } else {
      std::optional<std::uint64_t> size;
      if (entry.how == How::kKnown) size = entry.contents.size();
      MemorySource contents(as_bytes(entry.contents));
      value_of(zip.begin(entry.name, size));
      value_of(pump(contents, zip));
      value_of(zip.end());
    }
    FileSink file(create(directory / name / entry.name));
    value_of(file.write(as_bytes(entry.contents)));
    value_of(file.finish());
  }
  value_of(zip.finish());
  value_of(out.finish());
  check(path, entries);
}

Crc32 crc_of_zeros(std::uint64_t size) {
  const std::byte zero[1] = {};
  Crc32 crc;
  Crc32 power = Crc32::of(zero);  // of `length` zeros
  for (std::uint64_t length = 1; length <= size; length *= 2) {
    if ((size & length) != 0) crc = crc.combine(power, length);
    power = power.combine(power, length);
  }
  return crc;
}

void write_sparse(std::uint64_t size, How how) {
  const Entry manifest{"0.manifest.json", "{\"size\": " + std::to_string(size) + "}\n"};
  const std::string name = "sparse-" + std::to_string(size) + (how == How::kKnown ? "-known" : "-unknown");
  const std::filesystem::path path = directory / (name + ".zip");
  const Fd fd = create(path);
  const FileWriteAt file(fd.get());
  ArchiveBuilder builder;
  std::optional<std::uint64_t> announced;
  if (how == How::kKnown) announced = size;
  value_of(file.write_at(0, value_of(builder.begin("0.payload", announced))));
  const std::uint64_t end = builder.offset() + size;
  value_of(file.write_at(end, value_of(builder.end(size, crc_of_zeros(size).value()))));
  const std::uint64_t second = builder.offset();
  value_of(file.write_at(second, value_of(builder.add(manifest.name, as_bytes(manifest.contents)))));
  value_of(file.write_at(builder.offset() - manifest.contents.size(), as_bytes(manifest.contents)));
  const std::uint64_t tail = builder.offset();
  value_of(file.write_at(tail, value_of(builder.finish())));

  const FileReadAt back = value_of(FileReadAt::create(fd.get()));
  const ZipReader reader = value_of(ZipReader::open(back));
  require(value_of(reader.stored("0.payload"))->stored_size == size, name + ": size");
  require(value_of(reader.stored("0.manifest.json"))->data_offset == tail - manifest.contents.size(),
          name + ": offset");
}

}  // namespace

int main(int argc, char** argv) {
  require(argc == 2, "usage: zip_samples DIRECTORY");
  directory = argv[1];
  const std::string text = "The quick brown fox jumps over the lazy dog\n";
  std::string noise;
  for (std::uint32_t i = 0, x = 1; i < 100'000; ++i, x = x * 1664525 + 1013904223) noise += static_cast<char>(x >> 24);
  // Bytes that look like records of the format, in contents.
  const std::string lure = "PK\1\2 PK\3\4 PK\5\6 PK\6\6 PK\6\7 PK\7\10";

  write("empty", {});
  write("added", {{"0.payload", noise}, {"0.manifest.json", text}});
  write("known", {{"0.payload", noise, How::kKnown}, {"0.manifest.json", text}});
  write("unknown", {{"0.payload", noise, How::kUnknown}, {"0.manifest.json", text}});
  write("nothing", {{"a", "", How::kKnown}, {"b", "", How::kUnknown}, {"c", ""}});
  write("lure", {{"0.payload", lure, How::kUnknown}, {"0.manifest.json", lure}});
  write("names", {{"a b/c.txt", text, How::kUnknown},
                  {"m\xc3\xbchle/\xe6\xb0\xb4\xe8\xbb\x8a.txt", text, How::kKnown},
                  {"\xf0\x9f\x8c\xbe", text}});
  std::vector<Entry> many;
  for (int i = 0; i < 300; ++i) many.push_back({std::to_string(i), text, static_cast<How>(i % 3)});
  write("many", many);
  for (const std::uint64_t size : {0x7ffffffeull, 0x7fffffffull, 0x80000000ull, 0xffffffffull, 5ull << 30}) {
    for (const How how : {How::kKnown, How::kUnknown}) write_sparse(size, how);
  }
  return 0;
}
