#include <algorithm>

#include "base/check.h"
#include "millrace/aws_chunked.h"
#include "millrace/base64.h"
#include "s3/aws_chunked_text.h"

namespace millrace::aws_chunked {

std::string trailer_name(DigestAlgorithm algorithm) {
  return std::string(kChecksumPrefix) + std::string(digest_name(algorithm));
}

Result<Format> Format::create(const FormatOptions& options) {
  if (options.chunk_size < kMinChunkSize || options.chunk_size > kMaxChunkSize)
    return Error{ErrorCode::kInvalidArgument, "aws-chunked: chunk size"};
  if (options.checksums.empty() && options.signatures == Signatures::kNone)
    return Error{ErrorCode::kInvalidArgument, "aws-chunked: neither signatures nor a checksum"};
  Format format;
  format.chunk_size_ = options.chunk_size;
  format.signatures_ = options.signatures;
  // The signature of the trailer covers the names in sorted order; so they are sent in it.
  for (const DigestAlgorithm algorithm : options.checksums) {
    const auto known = format.checksums();
    if (std::find(known.begin(), known.end(), algorithm) != known.end()) continue;
    MR_CHECK(format.checksum_count_ < format.checksums_.size());
    format.checksums_[format.checksum_count_++] = algorithm;
  }
  std::sort(format.checksums_.begin(), format.checksums_.begin() + static_cast<std::ptrdiff_t>(format.checksum_count_),
            [](DigestAlgorithm a, DigestAlgorithm b) { return digest_name(a) < digest_name(b); });
  return format;
}

Result<std::uint64_t> Format::encoded_length(std::uint64_t decoded_length) const {
  const std::size_t signature = has_signatures() ? kChunkSignature.size() + kSignatureSize : 0;
  const auto framing = [&](std::size_t payload) { return hex_digits(payload) + signature + 2 * kCrlf.size(); };
  // Framing of 8 KiB and more is below one part in 64, so this holds for all that fits in 64 bits.
  if (decoded_length > UINT64_MAX - UINT64_MAX / 64 - 64 * 1024)
    return Error{ErrorCode::kLimitExceeded, "aws-chunked: length"};
  const std::uint64_t full = decoded_length / chunk_size_;
  const auto rest = static_cast<std::size_t>(decoded_length % chunk_size_);
  std::uint64_t length = decoded_length + full * framing(chunk_size_);
  if (rest != 0) length += framing(rest);
  length += 1 + signature + kCrlf.size();
  for (const DigestAlgorithm algorithm : checksums()) {
    length += kChecksumPrefix.size() + digest_name(algorithm).size() + 1;
    length += base64_encoded_size(digest_size(algorithm)) + kCrlf.size();
  }
  if (has_signatures() && checksum_count_ != 0) length += kTrailerSignature.size() + 1 + kSignatureSize + kCrlf.size();
  return length + kCrlf.size();
}

std::string_view Format::content_sha256() const {
  if (!has_signatures()) return sigv4::kStreamingUnsignedTrailer;
  return checksum_count_ == 0 ? sigv4::kStreamingSigned : sigv4::kStreamingSignedTrailer;
}

std::string Format::trailer_names() const {
  std::string names;
  for (const DigestAlgorithm algorithm : checksums()) {
    if (!names.empty()) names += ',';
    names += trailer_name(algorithm);
  }
  return names;
}

Result<std::vector<sigv4::Header>> Format::request_headers(std::uint64_t decoded_length, Transport transport,
                                                           std::string_view content_encoding) const {
  if (!has_signatures() && transport == Transport::kCleartext)
    return Error{ErrorCode::kInvalidArgument, "aws-chunked: unsigned chunks without TLS"};
  MR_TRY(const std::uint64_t length, encoded_length(decoded_length));
  // In the order in which codings were applied: the user's, then ours.
  std::string codings(content_encoding);
  if (!codings.empty()) codings += ',';
  std::vector<sigv4::Header> headers = {{"content-encoding", codings + "aws-chunked"},
                                        {"content-length", std::to_string(length)},
                                        {"x-amz-content-sha256", std::string(content_sha256())},
                                        {"x-amz-decoded-content-length", std::to_string(decoded_length)}};
  if (checksum_count_ != 0) headers.push_back({"x-amz-trailer", trailer_names()});
  return headers;
}

}  // namespace millrace::aws_chunked
