// write_tdf PUBLIC_KEY KAS_URL KID ATTRIBUTE IN OUT: a TDF of a file, for the holder of one key, under one attribute.
#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <vector>

#include "millrace/tdf.h"

using namespace millrace;

static Result<std::vector<std::byte>> read_file(const char* path) {
  MR_TRY(const Fd fd, open_for_reading(path));
  MR_TRY(const FileReadAt file, FileReadAt::create(fd.get()));
  if (file.size() > 65536) return Error{ErrorCode::kLimitExceeded, "key file"};
  std::vector<std::byte> bytes(static_cast<std::size_t>(file.size()));
  MR_TRY(file.read_at(0, bytes));
  return bytes;
}

static Status run(char** argv) {
  MR_TRY(const std::vector<std::byte> pem, read_file(argv[1]));
  MR_TRY(tdf::KasPublicKey key, tdf::KasPublicKey::parse(pem));
  tdf::WriterOptions options;
  options.targets.push_back({argv[2], argv[3], std::move(key)});
  options.policy.attributes.emplace_back().fqn = argv[4];
  MR_TRY(const tdf::Writer writer, tdf::Writer::create(std::move(options)));

  MR_TRY(const Fd in, open_for_reading(argv[5]));
  MR_TRY(const FileReadAt plaintext, FileReadAt::create(in.get()));
  const Fd out(::open(argv[6], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!out.valid()) return Error{ErrorCode::kIo, "output", 0, errno};
  // From file to file on two threads, each segment sealed where it will lie.
  MR_TRY(const tdf::Info info, writer.write_at(plaintext, FileWriteAt(out.get()), 2));
  std::printf("%llu bytes in %llu segments, a file of %llu\n", static_cast<unsigned long long>(info.plain_size),
              static_cast<unsigned long long>(info.segments), static_cast<unsigned long long>(info.file_size));
  return Ok{};
}

int main(int argc, char** argv) {
  if (argc != 7) return std::fprintf(stderr, "usage: write_tdf PUBLIC_KEY KAS_URL KID ATTRIBUTE IN OUT\n"), 2;
  if (const Status status = run(argv); !status) {
    std::fprintf(stderr, "write_tdf: %s\n", describe(status.error()).c_str());
    return 1;
  }
  return 0;
}
