// encrypt_file KEYSET IN OUT: a whole file, on all cores, without a copy.
#include <fcntl.h>
#include <sys/stat.h>

#include <cstdio>
#include <thread>
#include <vector>

#include "millrace/tink.h"

using namespace millrace;

// Reads a small file; keysets are secret, so the bytes are cleansed with their owner.
static Result<SecretBytes> read_secret(const char* path) {
  MR_TRY(const Fd fd, open_for_reading(path));
  MR_TRY(const FileReadAt file, FileReadAt::create(fd.get()));
  if (file.size() > tink::kMaxKeysetSize) return Error{ErrorCode::kLimitExceeded, "keyset file"};
  SecretBytes bytes(static_cast<std::size_t>(file.size()));
  MR_TRY(file.read_at(0, bytes.fill()));
  return bytes;
}

static Status run(const char* keyset_path, const char* in_path, const char* out_path) {
  MR_TRY(const SecretBytes json, read_secret(keyset_path));
  MR_TRY(const tink::Keyset keyset, tink::Keyset::parse(json.reveal()));
  MR_TRY(const tink::StreamingAead aead, tink::StreamingAead::create(keyset));

  MR_TRY(const Fd in, open_for_reading(in_path));
  MR_TRY(const FileReadAt plaintext, FileReadAt::create(in.get()));
  const Fd out(::open(out_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!out.valid()) return Error{ErrorCode::kIo, "create output", 0, errno};

  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  MR_TRY(const tink::StreamInfo info, aead.encrypt_at(plaintext, FileWriteAt(out.get()), as_bytes("example"), threads));
  std::printf("%llu bytes in %llu segments\n", static_cast<unsigned long long>(info.plain_size),
              static_cast<unsigned long long>(info.segments));
  return Ok{};
}

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "usage: encrypt_file KEYSET IN OUT\n"), 2;
  if (const Status status = run(argv[1], argv[2], argv[3]); !status) {
    std::fprintf(stderr, "encrypt_file: %s\n", describe(status.error()).c_str());
    return 1;
  }
  return 0;
}
