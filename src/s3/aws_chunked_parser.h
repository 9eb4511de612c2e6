// ChunkParser: the core of the decoder (internal). It is shown the encoded bytes as they come, in any pieces, and says
// which of them are payload. Time is linear in the input: a line is searched once, and what was looked at is not looked
// at again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/aws_chunked.h"
#include "s3/aws_chunked_signer.h"

namespace millrace::aws_chunked {

class ChunkParser {
 public:
  static Result<ChunkParser> create(const Format& format, const ChunkSigning* signing, const DecodeOptions& options);

  // take consumes bytes from the front of `in` until there is payload to release or nothing is left, and returns the
  // payload: a part of what was consumed, or of a buffer of this, valid until the next call. Errors are permanent.
  Result<ByteView> take(ByteView& in);
  // finish says whether the body may end here.
  Status finish();
  // decoded is how much payload has been released.
  std::uint64_t decoded() const { return decoded_; }
  std::optional<std::uint64_t> decoded_length() const { return options_.decoded_length; }

 private:
  enum class Stage { kSizeLine, kPayload, kPayloadEnd, kTrailerLine, kDone };
  // A checksum that is computed and, once its trailer came, was compared.
  struct Checksum {
    Digest digest;
    std::string name;
    bool seen = false;
  };

  ChunkParser(const Format& format, const DecodeOptions& options) : format_(format), options_(options) {}
  Result<ByteView> step(ByteView& in);
  Result<bool> read_line(ByteView& in);
  Status size_line(std::string_view line);
  Status trailer_line(std::string_view line);
  Status checksum(std::string_view name, std::string_view value);
  Status end_of_trailers();
  Result<ByteView> payload(ByteView& in);
  Status verify_chunk();
  Error malformed(std::string_view where) const { return {ErrorCode::kMalformed, where, position_}; }
  Error not_authentic(std::string_view where) const { return {ErrorCode::kNotAuthentic, where, position_}; }

  Format format_;
  DecodeOptions options_;
  Stage stage_ = Stage::kSizeLine;
  std::optional<Error> failed_;
  std::uint64_t position_ = 0;  // encoded bytes consumed
  std::uint64_t decoded_ = 0;

  std::array<char, kMaxLine> line_;
  std::size_t line_size_ = 0;

  std::size_t chunk_size_ = 0;
  std::size_t chunk_left_ = 0;
  std::array<char, 64> chunk_signature_{};
  std::optional<ChunkSigner> signer_;
  std::vector<std::byte> held_;  // of a signed chunk that is not yet verified
  std::size_t held_size_ = 0;

  std::vector<Checksum> checksums_;
  bool any_trailer_ = false;
  bool trailer_signed_ = false;
  std::vector<std::string> trailer_lines_;  // as they are signed
};

}  // namespace millrace::aws_chunked
