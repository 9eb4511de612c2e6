// Digest: one face for every checksum and hash that S3 names, and the stages that compute them on bytes passing by.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "millrace/bytes.h"
#include "millrace/result.h"
#include "millrace/stream.h"

namespace millrace {

enum class DigestAlgorithm : std::uint8_t {
  kCrc32,
  kCrc32c,
  kCrc64Nvme,
  kSha1,
  kSha256,
  kSha512,
  kMd5,
  kXxh3,    // XXH3_64bits, seed 0
  kXxh64,   // XXH64, seed 0
  kXxh128,  // XXH3_128bits, seed 0
};

// digest_algorithms lists all of them, in the order above.
std::span<const DigestAlgorithm> digest_algorithms();

// digest_name is the suffix of S3's x-amz-checksum header: "crc32", "crc64nvme", "sha256", "xxhash3".
std::string_view digest_name(DigestAlgorithm algorithm);

// parse_digest_name knows the names above, and "xxh3", "xxh64" and "xxh128" besides, in any case of letters.
std::optional<DigestAlgorithm> parse_digest_name(std::string_view name);

// digest_size is the size in bytes: 4, 8, 16, 20, 32 or 64.
std::size_t digest_size(DigestAlgorithm algorithm);
inline constexpr std::size_t kMaxDigestSize = 64;

// digest_combines tells whether the digests of two parts give that of the whole: the CRCs.
bool digest_combines(DigestAlgorithm algorithm);

// combine_digests turns `first`, the digest of a, into the digest of a | b, where `second` is the digest of b and
// second_size the size of b in bytes. Digests are those of finish(). kInvalidArgument for an algorithm that does not
// combine or digests of another size.
Status combine_digests(DigestAlgorithm algorithm, ByteSpan first, ByteView second, std::uint64_t second_size);

// Digest is the digest of the bytes since create(), finish() or reset(). One thread at a time.
class Digest {
 public:
  // kIo where the installed OpenSSL refuses the algorithm (MD5 under FIPS).
  static Result<Digest> create(DigestAlgorithm algorithm);
  Digest(Digest&&) noexcept;
  Digest& operator=(Digest&&) noexcept;
  ~Digest();

  DigestAlgorithm algorithm() const { return algorithm_; }
  std::size_t size() const { return digest_size(algorithm_); }

  void update(ByteView bytes);
  // finish writes the digest to the front of `out`, returns that part of it, and begins anew. Integers are big-endian,
  // as S3 sends them. Requires out.size() >= size(). On failure (kIo: OpenSSL) those bytes are zero.
  Result<ByteView> finish(ByteSpan out);
  // reset forgets what was added so far.
  void reset();

 private:
  struct State;
  template <class Crc>
  struct CrcState;
  struct HashState;
  template <class Xxh>
  struct XxhState;
  Digest(DigestAlgorithm algorithm, std::unique_ptr<State> state);
  DigestAlgorithm algorithm_;
  std::unique_ptr<State> state_;
};

// DigestSource passes `inner` through unchanged and updates digests with what passes: no buffer, no copy. Both must
// outlive it; the caller finishes the digests when the stream has ended.
class DigestSource final : public Source {
 public:
  DigestSource(Source& inner, std::span<Digest> digests) : inner_(inner), digests_(digests) {}
  DigestSource(Source& inner, Digest& digest) : DigestSource(inner, {&digest, 1}) {}
  Result<ByteView> pull(ByteSpan scratch) override;
  std::optional<std::uint64_t> remaining() const override { return inner_.remaining(); }

 private:
  Source& inner_;
  std::span<Digest> digests_;
};

// DigestSink does the same in the other direction. Digests cover what was offered to `inner`, also if it failed.
class DigestSink final : public Sink {
 public:
  DigestSink(Sink& inner, std::span<Digest> digests) : inner_(inner), digests_(digests) {}
  DigestSink(Sink& inner, Digest& digest) : DigestSink(inner, {&digest, 1}) {}
  ByteSpan scratch() override { return inner_.scratch(); }
  Status write(ByteView bytes) override;
  Status finish() override { return inner_.finish(); }

 private:
  Sink& inner_;
  std::span<Digest> digests_;
};

// DigestValue is a finished digest.
struct DigestValue {
  std::array<std::byte, kMaxDigestSize> bytes{};
  std::size_t size = 0;
  ByteView view() const { return ByteView(bytes).first(size); }
};

// digest_read_at digests all of `in`, in one pass for all algorithms, and returns the values in their order. When every
// algorithm combines, `threads` threads work on ranges of at least 16 MiB; otherwise one does. Memory: 256 KiB for each
// thread, and 80 bytes for each algorithm and range, of which there are no more than 4096.
Result<std::vector<DigestValue>> digest_read_at(const ReadAt& in, std::span<const DigestAlgorithm> algorithms,
                                                unsigned threads);

}  // namespace millrace
