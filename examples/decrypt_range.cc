// decrypt_range KEYSET IN FIRST COUNT: any byte range of the plaintext, without reading what lies before it.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "millrace/tink.h"

using namespace millrace;

static Result<tink::Keyset> read_keyset(const char* path) {
  MR_TRY(const Fd fd, open_for_reading(path));
  MR_TRY(const FileReadAt file, FileReadAt::create(fd.get()));
  if (file.size() > tink::kMaxKeysetSize) return Error{ErrorCode::kLimitExceeded, "keyset file"};
  SecretBytes bytes(static_cast<std::size_t>(file.size()));
  MR_TRY(file.read_at(0, bytes.fill()));
  return tink::Keyset::parse(bytes.reveal());
}

static Status run(char** argv) {
  MR_TRY(const tink::Keyset keyset, read_keyset(argv[1]));
  MR_TRY(const tink::StreamingAead aead, tink::StreamingAead::create(keyset));
  MR_TRY(const Fd in, open_for_reading(argv[2]));
  MR_TRY(const FileReadAt ciphertext, FileReadAt::create(in.get()));
  // The last segment is opened here, so that the size is proved before it is believed.
  MR_TRY(const std::unique_ptr<ReadAt> plaintext, aead.decrypt_read_at(ciphertext, as_bytes("example")));

  const std::uint64_t first = std::strtoull(argv[3], nullptr, 10);
  const std::uint64_t count = std::strtoull(argv[4], nullptr, 10);
  if (first > plaintext->size() || count > plaintext->size() - first) {
    return Error{ErrorCode::kInvalidArgument, "range", plaintext->size()};
  }
  ReadAtSource slice(*plaintext, first, first + count);
  FileSink output(Fd(1));
  MR_TRY(pump(slice, output));
  return output.finish();
}

int main(int argc, char** argv) {
  if (argc != 5) return std::fprintf(stderr, "usage: decrypt_range KEYSET IN FIRST COUNT\n"), 2;
  if (const Status status = run(argv); !status) {
    std::fprintf(stderr, "decrypt_range: %s\n", describe(status.error()).c_str());
    return 1;
  }
  return 0;
}
