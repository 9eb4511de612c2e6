// read_tdf PRIVATE_KEY IN FIRST COUNT: lists the policy of a TDF on stderr, and writes a byte range of its plaintext.
#include <cstdio>
#include <cstdlib>

#include "millrace/tdf.h"

using namespace millrace;

static Status add_key(tdf::LocalKeyAccess& keys, const char* path) {
  MR_TRY(const Fd fd, open_for_reading(path));
  MR_TRY(const FileReadAt file, FileReadAt::create(fd.get()));
  if (file.size() > 65536) return Error{ErrorCode::kLimitExceeded, "key file"};
  SecretBytes bytes(static_cast<std::size_t>(file.size()));
  MR_TRY(file.read_at(0, bytes.fill()));
  return keys.add(bytes.reveal());
}

static Status run(char** argv) {
  tdf::LocalKeyAccess keys;
  MR_TRY(add_key(keys, argv[1]));
  MR_TRY(const Fd in, open_for_reading(argv[2]));
  MR_TRY(const FileReadAt file, FileReadAt::create(in.get()));
  // Everything but the payload is authenticated here; its segments are as they are read.
  MR_TRY(const tdf::Reader reader, tdf::Reader::open(file, keys));
  MR_TRY(const tdf::Policy policy, tdf::policy_of(reader.manifest()));
  for (const tdf::Policy::Attribute& attribute : policy.attributes) std::fprintf(stderr, "%s\n", attribute.fqn.c_str());

  MR_TRY(const std::unique_ptr<ReadAt> plaintext, reader.read_at());
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
  if (argc != 5) return std::fprintf(stderr, "usage: read_tdf PRIVATE_KEY IN FIRST COUNT\n"), 2;
  if (const Status status = run(argv); !status) {
    std::fprintf(stderr, "read_tdf: %s\n", describe(status.error()).c_str());
    return 1;
  }
  return 0;
}
