// ChunkFramer: the core of the encoder (internal): where the payload is cut, what stands around each piece, and what
// is computed from it. It does no I/O and does not know where payload lies.
//
// The caller asks for the size of the next chunk, shows its payload to update(), and takes header() and at the end
// tail(). Without signatures header() may come before update(); with them it must come after it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "millrace/aws_chunked.h"
#include "s3/aws_chunked_signer.h"

namespace millrace::aws_chunked {

class ChunkFramer {
 public:
  static Result<ChunkFramer> create(const Format& format, const ChunkSigning* signing,
                                    std::optional<std::uint64_t> decoded_length);

  const Format& format() const { return format_; }
  std::optional<std::uint64_t> decoded_length() const { return decoded_length_; }
  // decoded is how much payload has been shown.
  std::uint64_t decoded() const { return decoded_; }

  // next_chunk is the size of the chunk that begins with the next byte: exact when the length is known (then 0 says
  // that only the tail is left), else the most that it can be: it is smaller only if the payload ends.
  std::size_t next_chunk() const;
  // header_first tells whether the header can be written before the payload has been seen.
  bool header_first() const { return decoded_length_ && !signer_; }
  std::size_t header_size(std::size_t payload) const;

  void update(ByteView payload);
  // header returns the line in front of a chunk of `payload` bytes, valid until the next call of header().
  Result<ByteView> header(std::size_t payload);
  // tail returns all that follows the last chunk. Called once.
  Result<ByteView> tail();

  void restart();
  // restart_with does it with another seed.
  Status restart_with(const ChunkSigning& signing);

 private:
  using HeaderRoom = std::array<std::byte, 96>;  // a size of at most 7 digits, and a signature
  explicit ChunkFramer(const Format& format) : format_(format) {}
  std::size_t write_header(std::size_t payload, ByteSpan room) const;

  Format format_;
  std::optional<std::uint64_t> decoded_length_;
  std::uint64_t decoded_ = 0;
  std::vector<Digest> digests_;
  std::optional<ChunkSigner> signer_;
  HeaderRoom full_{};   // of a full chunk: made once, but for its signature
  HeaderRoom other_{};  // of any other
  std::vector<std::byte> tail_;
};

}  // namespace millrace::aws_chunked
