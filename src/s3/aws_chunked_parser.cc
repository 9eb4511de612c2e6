#include "s3/aws_chunked_parser.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/copy.h"
#include "millrace/base64.h"
#include "s3/aws_chunked_text.h"

namespace millrace::aws_chunked {

namespace {

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

// take_size takes the digits off the front of `line`: no leading zeros, at most 16.
std::optional<std::uint64_t> take_size(std::string_view& line) {
  std::uint64_t size = 0;
  std::size_t digits = 0;
  for (; digits < line.size() && hex_digit(line[digits]); ++digits) {
    if (digits == 16) return std::nullopt;
    size = size * 16 + *hex_digit(line[digits]);
  }
  if (digits == 0 || (line[0] == '0' && digits > 1)) return std::nullopt;
  line.remove_prefix(digits);
  return size;
}

}  // namespace

Result<ChunkParser> ChunkParser::create(const Format& format, const ChunkSigning* signing,
                                        const DecodeOptions& options) {
  if (format.has_signatures() != (signing != nullptr))
    return Error{ErrorCode::kInvalidArgument, "aws-chunked: signing does not fit the format"};
  if (options.max_chunk_size == 0 || options.min_chunk_size > options.max_chunk_size)
    return Error{ErrorCode::kInvalidArgument, "aws-chunked: chunk size"};
  ChunkParser parser(format, options);
  for (const DigestAlgorithm algorithm : format.checksums()) {
    MR_TRY(Digest digest, Digest::create(algorithm));
    parser.checksums_.push_back({std::move(digest), trailer_name(algorithm)});
  }
  if (signing != nullptr) {
    MR_TRY(parser.signer_, ChunkSigner::create(*signing));
  }
  return parser;
}

Result<ByteView> ChunkParser::take(ByteView& in) {
  ByteView released;
  while (!failed_ && released.empty() && !in.empty()) {
    const Result<ByteView> result = step(in);
    if (!result) {
      failed_ = result.error();
    } else {
      released = *result;
    }
  }
  if (failed_) return *failed_;
  decoded_ += released.size();
  return released;
}

Status ChunkParser::finish() {
  if (!failed_ && stage_ != Stage::kDone) failed_ = malformed("aws-chunked: body ends early");
  if (failed_) return *failed_;
  return Ok{};
}

Result<ByteView> ChunkParser::step(ByteView& in) {
  if (stage_ == Stage::kDone) return malformed("aws-chunked: bytes after the end");
  if (stage_ == Stage::kPayload) return payload(in);
  MR_TRY(const bool complete, read_line(in));
  if (!complete) return ByteView{};
  const std::string_view line(line_.data(), line_size_);
  line_size_ = 0;
  if (stage_ == Stage::kSizeLine) {
    MR_TRY(size_line(line));
  } else if (stage_ == Stage::kTrailerLine) {
    MR_TRY(trailer_line(line));
  } else {
    if (!line.empty()) return malformed("aws-chunked: chunk longer than its size");
    stage_ = Stage::kSizeLine;
  }
  return ByteView{};
}

// read_line moves bytes to line_ until a line feed, and then takes CRLF off its end.
Result<bool> ChunkParser::read_line(ByteView& in) {
  // The line feed behind a payload must be the second byte: no need to look further.
  const std::size_t limit = (stage_ == Stage::kPayloadEnd ? kCrlf.size() : line_.size()) - line_size_;
  const ByteView near = in.first(std::min(in.size(), limit));
  const void* const found = std::memchr(near.data(), '\n', near.size());
  const std::size_t n =
      found == nullptr ? near.size() : static_cast<std::size_t>(static_cast<const std::byte*>(found) - near.data()) + 1;
  std::copy_n(as_text(near).data(), n, line_.data() + line_size_);
  in = in.subspan(n);
  line_size_ += n;
  position_ += n;
  if (found == nullptr) {
    if (n < limit) return false;
    if (stage_ == Stage::kPayloadEnd) return malformed("aws-chunked: chunk longer than its size");
    return Error{ErrorCode::kLimitExceeded, "aws-chunked: line too long", position_};
  }
  if (line_size_ < 2 || line_[line_size_ - 2] != '\r') return malformed("aws-chunked: line end");
  line_size_ -= kCrlf.size();
  return true;
}

Status ChunkParser::size_line(std::string_view line) {
  const std::optional<std::uint64_t> size = take_size(line);
  if (!size) return malformed("aws-chunked: chunk size");
  if (signer_) {
    if (line.size() != kChunkSignature.size() + kSignatureSize || !line.starts_with(kChunkSignature))
      return malformed("aws-chunked: chunk signature");
    std::copy_n(line.data() + kChunkSignature.size(), kSignatureSize, chunk_signature_.data());
  } else if (!line.empty()) {
    return malformed("aws-chunked: chunk extension");
  }
  if (*size > options_.max_chunk_size) return Error{ErrorCode::kLimitExceeded, "aws-chunked: chunk size", position_};
  if (*size != 0 && chunk_size_ != 0 && chunk_size_ < options_.min_chunk_size)
    return malformed("aws-chunked: small chunk before the last");
  if (options_.decoded_length) {
    const std::uint64_t left = *options_.decoded_length - decoded_;
    if (*size > left || (*size == 0 && left != 0)) return malformed("aws-chunked: decoded length");
  }
  chunk_size_ = chunk_left_ = static_cast<std::size_t>(*size);
  stage_ = Stage::kPayload;
  if (chunk_size_ != 0) return Ok{};
  stage_ = Stage::kTrailerLine;
  return signer_ ? verify_chunk() : Status(Ok{});
}

Result<ByteView> ChunkParser::payload(ByteView& in) {
  const ByteView bytes = in.first(std::min(in.size(), chunk_left_));
  in = in.subspan(bytes.size());
  position_ += bytes.size();
  chunk_left_ -= bytes.size();
  if (chunk_left_ == 0) stage_ = Stage::kPayloadEnd;
  for (Checksum& checksum : checksums_) checksum.digest.update(bytes);
  if (!signer_) return bytes;

  signer_->update(bytes);
  if (bytes.size() == chunk_size_) {
    MR_TRY(verify_chunk());
    return bytes;
  }
  // Room grows as bytes come: a size alone, which anyone can claim, allocates nothing.
  const std::size_t needed = held_size_ + bytes.size();
  if (held_.size() < needed) held_.resize(std::min(chunk_size_, std::max(needed, 2 * held_.size())));
  copy_bytes(ByteSpan(held_).subspan(held_size_), bytes);
  held_size_ = needed;
  if (chunk_left_ != 0) return ByteView{};
  held_size_ = 0;
  MR_TRY(verify_chunk());
  return ByteView(held_).first(chunk_size_);
}

Status ChunkParser::verify_chunk() {
  std::array<char, kSignatureSize> expected;
  MR_TRY(signer_->finish_chunk(expected));
  if (!equal_constant_time(as_bytes({expected.data(), expected.size()}),
                           as_bytes({chunk_signature_.data(), chunk_signature_.size()})))
    return not_authentic("aws-chunked: chunk signature");
  return Ok{};
}

Status ChunkParser::trailer_line(std::string_view line) {
  if (line.empty()) return end_of_trailers();
  if (trailer_signed_) return malformed("aws-chunked: trailer after the signature");
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return malformed("aws-chunked: trailer");
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = line.substr(colon + 1);
  if (name != kTrailerSignature) {
    MR_TRY(checksum(name, value));
    if (signer_) (trailer_lines_.emplace_back(line)) += '\n';
    return Ok{};
  }
  if (!signer_ || !any_trailer_) return malformed("aws-chunked: trailer signature");
  std::sort(trailer_lines_.begin(), trailer_lines_.end());
  for (const std::string& signed_line : trailer_lines_) signer_->update(as_bytes(signed_line));
  std::array<char, kSignatureSize> expected;
  MR_TRY(signer_->finish_trailer(expected));
  if (!equal_constant_time(as_bytes({expected.data(), expected.size()}), as_bytes(value)))
    return not_authentic("aws-chunked: trailer signature");
  trailer_signed_ = true;
  return Ok{};
}

Status ChunkParser::checksum(std::string_view name, std::string_view value) {
  const auto found = std::find_if(checksums_.begin(), checksums_.end(),
                                  [&](const Checksum& checksum) { return checksum.name == name; });
  if (found == checksums_.end()) return malformed("aws-chunked: trailer that was not announced");
  if (found->seen) return malformed("aws-chunked: trailer repeated");
  found->seen = any_trailer_ = true;
  std::array<std::byte, kMaxDigestSize> digest;
  MR_TRY(const ByteView bytes, found->digest.finish(digest));
  std::array<char, 4 * (kMaxDigestSize + 2) / 3> text;
  if (value != std::string_view(text.data(), base64_encode(bytes, text))) return not_authentic("aws-chunked: checksum");
  return Ok{};
}

Status ChunkParser::end_of_trailers() {
  const bool all = std::all_of(checksums_.begin(), checksums_.end(), [](const Checksum& c) { return c.seen; });
  if (options_.trailers == Trailers::kAnnounced ? !all : !any_trailer_ && !checksums_.empty())
    return malformed("aws-chunked: trailer missing");
  if (signer_ && any_trailer_ && !trailer_signed_) return malformed("aws-chunked: trailer signature missing");
  stage_ = Stage::kDone;
  return Ok{};
}

}  // namespace millrace::aws_chunked
