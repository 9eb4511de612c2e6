// aws-chunked: the body of an upload to S3 in chunks, with checksums behind it (a trailer) and, if wanted, a signature
// on every chunk. It is a coding inside the HTTP body, independent of Transfer-Encoding: chunked.
//
//   body = chunk* final [trailer*] CRLF
//   chunk = size(hex) [";chunk-signature=" 64 hex] CRLF payload CRLF
//   final = "0" [";chunk-signature=" 64 hex] CRLF
//   trailer = name ":" value CRLF; the last one is x-amz-trailer-signature when chunks are signed
//
//   MR_TRY(const aws_chunked::Format format, aws_chunked::Format::create({.checksums =
//   {DigestAlgorithm::kCrc64Nvme}})); MR_TRY(aws_chunked::EncodingSource body,
//   aws_chunked::EncodingSource::create(format, file));
//   ... send format.request_headers(*file.remaining(), ...), then what `body` yields.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/bytes.h"
#include "millrace/digest.h"
#include "millrace/result.h"
#include "millrace/secret.h"
#include "millrace/sigv4.h"
#include "millrace/stream.h"

namespace millrace::aws_chunked {

// S3 refuses a chunk below 8 KiB unless it is the last one; some servers refuse one above 16 MiB.
inline constexpr std::size_t kMinChunkSize = 8 * 1024;
inline constexpr std::size_t kDefaultChunkSize = 64 * 1024;
inline constexpr std::size_t kMaxChunkSize = 16 * 1024 * 1024;

enum class Signatures : bool { kNone, kChunks };  // kChunks: and on the trailer, if there is one

// How the request travels. A body without signatures is protected by TLS alone.
enum class Transport : std::uint8_t { kTls, kCleartext, kCleartextAccepted };

struct FormatOptions {
  std::size_t chunk_size = kDefaultChunkSize;
  Signatures signatures = Signatures::kNone;
  std::vector<DigestAlgorithm> checksums = {};  // in the trailer; S3 takes one
};

// Format is the arithmetic of a body and its headers. It decides nothing about the payload.
class Format {
 public:
  // kInvalidArgument: a chunk size out of bounds, or neither signatures nor checksums: that form does not exist.
  static Result<Format> create(const FormatOptions& options);

  std::size_t chunk_size() const { return chunk_size_; }
  Signatures signatures() const { return signatures_; }
  bool has_signatures() const { return signatures_ == Signatures::kChunks; }
  // The checksums in the order of the trailer: by name, each once.
  std::span<const DigestAlgorithm> checksums() const { return {checksums_.data(), checksum_count_}; }

  // encoded_length is exact. kLimitExceeded if it is beyond 64 bits.
  Result<std::uint64_t> encoded_length(std::uint64_t decoded_length) const;
  // content_sha256 is the word for x-amz-content-sha256, the payload hash of the request's signature.
  std::string_view content_sha256() const;
  // trailer_names is the value of x-amz-trailer; empty without checksums.
  std::string trailer_names() const;
  // request_headers are those that the coding needs, to be signed and sent, Content-Length included: content-encoding,
  // content-length, x-amz-content-sha256, x-amz-decoded-content-length, x-amz-trailer. `content_encoding` is the user's
  // own, such as "gzip". kInvalidArgument for unsigned chunks over kCleartext.
  Result<std::vector<sigv4::Header>> request_headers(std::uint64_t decoded_length, Transport transport,
                                                     std::string_view content_encoding = {}) const;

 private:
  Format() = default;
  std::size_t chunk_size_ = 0;
  Signatures signatures_ = Signatures::kNone;
  std::array<DigestAlgorithm, 10> checksums_{};
  std::size_t checksum_count_ = 0;
};

// trailer_name is "x-amz-checksum-crc32" and so on.
std::string trailer_name(DigestAlgorithm algorithm);

// ChunkSigning is what signed chunks need besides the payload. The seed is the signature of the request's headers.
struct ChunkSigning {
  SecretBytes key;  // sigv4::signing_key
  sigv4::Scope scope;
  std::string seed_signature;
};

// Pieces are the next chunk as it lies in memory: to be sent in this order. The last ones have a header (the final
// chunk and the trailers) and nothing else; after them comes an empty one.
struct Pieces {
  ByteView header;
  ByteView payload;
  ByteView end;
  bool empty() const { return header.empty(); }
};

// EncodingSource yields the encoded body of a payload. All chunks but the last are full, however the payload arrives.
//
// Unsigned chunks of a payload of known length are read straight into the consumer's buffer; otherwise a chunk must be
// complete before its header can be written, and is read into the consumer's buffer if it fits there, else into one of
// ours. What the payload lends is lent on; only a chunk that it lends in pieces, and that must be complete first, is
// gathered. Memory: nothing, or one chunk. No allocation per chunk, no copy besides that one.
class EncodingSource final : public Source {
 public:
  // `payload` must outlive this. Its length is `decoded_length`, or payload.remaining(), or unknown; a payload that
  // turns out shorter or longer is an error (kIo) before the final chunk. `signing` belongs to formats with signatures.
  // kInvalidArgument: signing missing or not wanted, or not valid.
  static Result<EncodingSource> create(const Format& format, Source& payload, const ChunkSigning* signing = nullptr,
                                       std::optional<std::uint64_t> decoded_length = std::nullopt);
  EncodingSource(EncodingSource&&) noexcept;
  EncodingSource& operator=(EncodingSource&&) noexcept;
  ~EncodingSource() override;

  Result<ByteView> pull(ByteSpan scratch) override;
  std::optional<std::uint64_t> remaining() const override;

  // gather returns the next chunk as views for a vectored write: no copy if the payload lends whole chunks or fills.
  // They are valid until the next call. After pull() it goes on at the next chunk only when pull() has delivered the
  // whole of the last one; otherwise it aborts.
  Result<Pieces> gather();

  // rewind starts over: digests, signatures and counts. `payload` is at its beginning again, and as long as before if
  // the length was known (else kInvalidArgument). `signing` replaces what create() got, for a new request date.
  Status rewind(Source& payload, const ChunkSigning* signing = nullptr);

 private:
  struct State;
  explicit EncodingSource(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Which trailers a decoder takes.
enum class Trailers : std::uint8_t {
  kAnnounced,  // exactly those of the format, which the request announced in x-amz-trailer
  kAnyOf,      // some of them, at least one
};

struct DecodeOptions {
  std::optional<std::uint64_t> decoded_length = std::nullopt;  // x-amz-decoded-content-length
  Trailers trailers = Trailers::kAnnounced;
  std::size_t min_chunk_size = kMinChunkSize;  // of all chunks but the last; 1 for clients that ignore the rule
  std::size_t max_chunk_size = kMaxChunkSize;
};
// The longest line of framing, its CRLF included.
inline constexpr std::size_t kMaxLine = 1024;

// A decoder takes nothing on trust: sizes, line ends, signatures, the names, values and number of trailers, the decoded
// length, and that nothing follows. Signed chunks are released once their signature is verified (memory: one chunk,
// unless it lies in the input in one piece). Unsigned chunks are released as they come, so that the whole is good only
// when the end was reached without an error. Errors: kMalformed (offset in the encoded body), kNotAuthentic for a
// signature or checksum, kLimitExceeded for a line or chunk that is too long.
class DecodingSource final : public Source {
 public:
  // `encoded` must outlive this. The chunk size of the format plays no part.
  static Result<DecodingSource> create(const Format& format, Source& encoded, const ChunkSigning* signing = nullptr,
                                       const DecodeOptions& options = {});
  DecodingSource(DecodingSource&&) noexcept;
  DecodingSource& operator=(DecodingSource&&) noexcept;
  ~DecodingSource() override;

  Result<ByteView> pull(ByteSpan scratch) override;
  std::optional<std::uint64_t> remaining() const override;

 private:
  struct State;
  explicit DecodingSource(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// DecodingSink takes the encoded body and writes the payload to `payload`, which it finishes when all is good.
class DecodingSink final : public Sink {
 public:
  static Result<DecodingSink> create(const Format& format, Sink& payload, const ChunkSigning* signing = nullptr,
                                     const DecodeOptions& options = {});
  DecodingSink(DecodingSink&&) noexcept;
  DecodingSink& operator=(DecodingSink&&) noexcept;
  ~DecodingSink() override;

  ByteSpan scratch() override;
  Status write(ByteView bytes) override;
  Status finish() override;

 private:
  struct State;
  explicit DecodingSink(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace millrace::aws_chunked
