// End to end: a file in the page cache, through the same calls that the verbs make, beside what bounds them. On each
// core a byte is read, worked on and perhaps written, one after the other, so the bound of an operation is its parts
// put together: 1 / (1 / read + 1 / work). The parts are measured alone, on the same number of threads, in the same
// rounds, and a bound takes the best round of each: what disturbed a part is no excuse for the whole.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <thread>

#include "bench.h"
#include "crypto/aes_gcm.h"
#include "crypto/random.h"
#include "failure.h"
#include "millrace/digest.h"
#include "millrace/tink.h"
#include "options.h"
#include "stream/slab.h"

namespace millrace::cli::bench {

namespace {

// A file without a name: whatever ends the process, nothing stays behind.
Fd unnamed_file(const std::string& directory) {
  Fd fd(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (fd.valid()) return fd;
  std::string name = directory + "/millrace-bench.XXXXXX";
  fd = Fd(::mkostemp(name.data(), O_CLOEXEC));
  if (!fd.valid()) fail_with(directory, Error{ErrorCode::kIo, "create a temporary file", 0, errno});
  ::unlink(name.c_str());
  return fd;
}

// NewFile is what an operation writes: fresh each time, its room reserved as the verbs do it.
class NewFile {
 public:
  NewFile(const std::string& directory, std::uint64_t size) : fd_(unnamed_file(directory)), write_(fd_.get()) {
    if (::fallocate(fd_.get(), 0, 0, static_cast<off_t>(size)) != 0 && errno != EOPNOTSUPP)
      fail_with(directory, Error{ErrorCode::kIo, "reserve space", 0, errno});
  }
  const FileWriteAt& write() const { return write_; }
  int descriptor() const { return fd_.get(); }

 private:
  Fd fd_;
  FileWriteAt write_;
};

// in_pieces calls work(offset, buffer) for each 256 KiB of `size`, on several threads, as the verbs cut a file.
template <class Work>
void in_pieces(std::uint64_t size, unsigned threads, const Work& work) {
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> failed{false};
  const auto run = [&] {
    const Slab slab = Slab::acquire(kStreamBuffer);
    for (std::uint64_t at; (at = next.fetch_add(kStreamBuffer)) < size && !failed;) {
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kStreamBuffer, size - at));
      if (!work(at, slab.bytes().first(n))) failed = true;
    }
  };
  std::vector<std::thread> helpers;
  for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(run);
  run();
  for (std::thread& helper : helpers) helper.join();
  if (failed) fail(kExitEnvironment, "a part of the measurement failed");
}

tink::StreamingAead new_aead() {
  const tink::Template* const found = tink::find_template("AES256_GCM_HKDF_1MB");
  const tink::Keyset keyset = value_or_fail(tink::Keyset::generate(*found), "keyset");
  return value_or_fail(tink::StreamingAead::create(keyset), "keyset");
}

}  // namespace

std::string file_directory() {
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

std::vector<FileRow> measure_files(const Pace& pace, const std::string& directory) {
  TransferOptions cores;
  const unsigned threads = cores.thread_count();
  const std::uint64_t size = pace.file_size;

  const tink::StreamingAead aead = new_aead();
  const std::uint64_t sealed_size = value_or_fail(aead.encrypted_size(size), directory);
  const NewFile plain_file(directory, size);
  const NewFile sealed_file(directory, sealed_size);
  pace.tell_progress(fmt::format("files: {} in {}", size_label(size), directory));
  in_pieces(size, threads, [&](std::uint64_t at, ByteSpan piece) {
    return random_bytes(piece).has_value() && plain_file.write().write_at(at, piece).has_value();
  });
  const FileReadAt plain = value_or_fail(FileReadAt::create(plain_file.descriptor()), directory);
  value_or_fail(aead.encrypt_at(plain, sealed_file.write(), {}, threads), directory);
  const FileReadAt sealed = value_or_fail(FileReadAt::create(sealed_file.descriptor()), directory);

  constexpr std::byte kKey[32] = {};
  const AesGcm gcm = value_or_fail(AesGcm::create(kKey), "aes-256-gcm");
  const auto digest = [&](DigestAlgorithm algorithm) {
    value_or_fail(digest_read_at(plain, {&algorithm, 1}, threads), directory);
  };
  const auto digest_pieces = [&](DigestAlgorithm algorithm, unsigned on) {
    in_pieces(size, on, [&](std::uint64_t, ByteSpan piece) {
      Result<Digest> made = Digest::create(algorithm);
      if (!made) return false;
      made->update(piece);
      std::byte value[kMaxDigestSize];
      return made->finish(value).has_value();
    });
  };
  const auto read_pieces = [&](unsigned on) {
    in_pieces(size, on, [&](std::uint64_t at, ByteSpan piece) { return plain.read_at(at, piece).has_value(); });
  };

  enum Part : std::size_t { kRead, kReadAlone, kCopy, kSeal, kCrc, kSha, kParts };
  const std::vector<Timed> list = {
      {"read", size, [&] { read_pieces(threads); }},
      {"read on one core", size, [&] { read_pieces(1); }},
      {"read + write", size,
       [&] {
         const NewFile to(directory, size);
         in_pieces(size, threads, [&](std::uint64_t at, ByteSpan piece) {
           return plain.read_at(at, piece).has_value() && to.write().write_at(at, piece).has_value();
         });
       }},
      {"seal", size,
       [&] {
         in_pieces(size, threads, [&](std::uint64_t, ByteSpan piece) {
           const ByteSpan text = piece.first(piece.size() - std::min(piece.size(), kGcmTagSize));
           return gcm.seal(ByteView(kKey).first(kGcmNonceSize), {}, text, piece.first(text.size() + kGcmTagSize))
               .has_value();
         });
       }},
      {"crc64nvme", size, [&] { digest_pieces(DigestAlgorithm::kCrc64Nvme, threads); }},
      {"sha256", size, [&] { digest_pieces(DigestAlgorithm::kSha256, 1); }},
      {"encrypt", size,
       [&] {
         const NewFile to(directory, sealed_size);
         value_or_fail(aead.encrypt_at(plain, to.write(), {}, threads), directory);
       }},
      {"decrypt", size,
       [&] {
         const NewFile to(directory, size);
         value_or_fail(aead.decrypt_at(sealed, to.write(), {}, threads), directory);
       }},
      {"verify", size, [&] { value_or_fail(aead.verify_at(sealed, {}, threads), directory); }},
      {"sum -a crc64nvme", size, [&] { digest(DigestAlgorithm::kCrc64Nvme); }},
      {"sum -a sha256", size, [&] { digest(DigestAlgorithm::kSha256); }},
  };
  const std::vector<Spread> rates = measure_rounds(list, pace);

  const auto together = [&](Part first, Part second) {
    return 1 / (1 / rates[first].highest + 1 / rates[second].highest);
  };
  return {
      {"read", threads, rates[kRead], "", 0},
      {"read + write", threads, rates[kCopy], "", 0},
      {"encrypt", threads, rates[kParts], "read + write, seal", together(kCopy, kSeal)},
      {"decrypt", threads, rates[kParts + 1], "read + write, seal", together(kCopy, kSeal)},
      {"verify", threads, rates[kParts + 2], "read, seal", together(kRead, kSeal)},
      {"sum -a crc64nvme", threads, rates[kParts + 3], "read, crc64nvme", together(kRead, kCrc)},
      {"sum -a sha256", 1, rates[kParts + 4], "read, sha256", together(kReadAlone, kSha)},
  };
}

}  // namespace millrace::cli::bench
