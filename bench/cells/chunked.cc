// Cell: an upload body of `size` bytes as aws-chunked with a CRC-32 trailer, read by a consumer into one reused buffer
// of `read` bytes. The payload is memory that is lent, or a file in the page cache. way=crc is the checksum alone, over
// the same memory: the ceiling.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "cell.h"
#include "crypto/hash.h"
#include "millrace/aws_chunked.h"
#include "millrace/checksum.h"

using namespace millrace;

namespace {

enum Way { kPull, kFull, kGather, kCrc };

// PartSource reads a file of memory by position, so that one descriptor serves every repetition.
class PartSource final : public Source {
 public:
  PartSource(int fd, std::uint64_t size) : fd_(fd), left_(size) {}
  Result<ByteView> pull(ByteSpan scratch) override {
    const ssize_t n = ::pread(fd_, scratch.data(), scratch.size(), static_cast<off_t>(at_));
    if (n < 0) return Error{ErrorCode::kIo, "read", at_, errno};
    at_ += static_cast<std::uint64_t>(n);
    left_ -= static_cast<std::uint64_t>(n);
    return ByteView(scratch.first(static_cast<std::size_t>(n)));
  }
  std::optional<std::uint64_t> remaining() const override { return left_; }

 private:
  int fd_;
  std::uint64_t at_ = 0;
  std::uint64_t left_;
};

}  // namespace

int main(int argc, char** argv) {
  bench::Options options(argc, argv);
  const bool from_file = options.choice("source", {"memory", "file"}) == 1;
  const auto way = static_cast<Way>(options.choice("way", {"pull", "full", "gather", "crc"}));
  const bool hashing = options.choice("sink", {"discard", "sha256"}) == 1;
  const std::size_t size = options.number("size");
  const std::size_t chunk = options.number("chunk");
  const std::size_t read = options.number("read");
  const double seconds = options.seconds("seconds");
  options.refuse_others();

  const bench::Block payload(from_file ? 1 : size);
  bench::fill_random(payload.bytes());
  const Fd file(::memfd_create("payload", MFD_CLOEXEC));
  if (!file.valid()) bench::fail("memfd_create");
  if (from_file) {
    const bench::Block piece(1 << 20);
    bench::fill_random(piece.bytes());
    for (std::size_t done = 0; done < size;) {
      const ssize_t n = ::write(file.get(), piece.bytes().data(), std::min(size - done, piece.bytes().size()));
      if (n <= 0) bench::fail("write");
      done += static_cast<std::size_t>(n);
    }
  }
  aws_chunked::FormatOptions form;
  form.chunk_size = chunk;
  form.checksums = {DigestAlgorithm::kCrc32};
  const aws_chunked::Format format = bench::must(aws_chunked::Format::create(form));
  const std::uint64_t expected = bench::must(format.encoded_length(size));
  const bench::Block buffer(read);
  Hash sha256 = bench::must(Hash::create(HashAlgorithm::kSha256));

  const auto send = [&](Source& source) {
    std::uint64_t sent = 0;
    const auto take = [&](ByteView bytes) {
      sent += bytes.size();
      if (hashing) sha256.update(bytes);
    };
    aws_chunked::EncodingSource body = bench::must(aws_chunked::EncodingSource::create(format, source));
    if (way == kGather) {
      for (auto pieces = bench::must(body.gather()); !pieces.empty(); pieces = bench::must(body.gather())) {
        for (const ByteView piece : {pieces.header, pieces.payload, pieces.end}) take(piece);
      }
    } else if (way == kFull) {
      std::size_t n = read;
      while (n == read) take(buffer.bytes().first(n = bench::must(read_full(body, buffer.bytes()))));
    } else {
      for (auto bytes = bench::must(body.pull(buffer.bytes())); !bytes.empty();
           bytes = bench::must(body.pull(buffer.bytes())))
        take(bytes);
    }
    if (sent != expected) bench::fail("wrong size of the body");
  };
  Crc32 crc;
  bench::print(bench::measure(seconds, [&] {
    if (way == kCrc) {
      crc.extend(payload.bytes());
    } else if (from_file) {
      PartSource source(file.get(), size);
      send(source);
    } else {
      MemorySource source(payload.bytes());
      send(source);
    }
  }));
  return crc.value() == 1 ? 1 : 0;
}
