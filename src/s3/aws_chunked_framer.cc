#include "s3/aws_chunked_framer.h"

#include <algorithm>

#include "base/check.h"
#include "millrace/base64.h"
#include "s3/aws_chunked_text.h"

namespace millrace::aws_chunked {

namespace {

// Writer appends framing. It is no copying of payload, and copies are not counted.
class Writer {
 public:
  explicit Writer(ByteSpan out) : out_(out) {}
  void put(std::string_view text) { std::copy_n(text.data(), text.size(), room(text.size()).data()); }
  void put_hex(std::size_t value) {
    const std::span<char> digits = room(hex_digits(value));
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, value /= 16)
      *digit = "0123456789abcdef"[value % 16];
  }
  void put_base64(ByteView bytes) { base64_encode(bytes, room(base64_encoded_size(bytes.size()))); }
  // room leaves n characters to be written by the caller.
  std::span<char> room(std::size_t n) {
    MR_CHECK(n <= out_.size() - size_);
    char* const at = reinterpret_cast<char*>(out_.data()) + size_;
    size_ += n;
    return {at, n};
  }
  std::size_t size() const { return size_; }

 private:
  ByteSpan out_;
  std::size_t size_ = 0;
};

}  // namespace

Result<ChunkFramer> ChunkFramer::create(const Format& format, const ChunkSigning* signing,
                                        std::optional<std::uint64_t> decoded_length) {
  if (format.has_signatures() != (signing != nullptr))
    return Error{ErrorCode::kInvalidArgument, "aws-chunked: signing does not fit the format"};
  if (decoded_length) MR_TRY(format.encoded_length(*decoded_length));
  ChunkFramer framer(format);
  framer.decoded_length_ = decoded_length;
  framer.digests_.reserve(format.checksums().size());
  for (const DigestAlgorithm algorithm : format.checksums()) {
    MR_TRY(Digest digest, Digest::create(algorithm));
    framer.digests_.push_back(std::move(digest));
  }
  if (signing != nullptr) {
    MR_TRY(framer.signer_, ChunkSigner::create(*signing));
  }
  framer.write_header(format.chunk_size(), framer.full_);
  MR_TRY(const std::uint64_t tail_size, format.encoded_length(0));
  framer.tail_.resize(static_cast<std::size_t>(tail_size));
  return framer;
}

std::size_t ChunkFramer::next_chunk() const {
  if (!decoded_length_) return format_.chunk_size();
  return static_cast<std::size_t>(std::min<std::uint64_t>(format_.chunk_size(), *decoded_length_ - decoded_));
}

std::size_t ChunkFramer::header_size(std::size_t payload) const {
  return hex_digits(payload) + (signer_ ? kChunkSignature.size() + kSignatureSize : 0) + kCrlf.size();
}

std::size_t ChunkFramer::write_header(std::size_t payload, ByteSpan room) const {
  Writer line(room);
  line.put_hex(payload);
  if (signer_) {
    line.put(kChunkSignature);
    line.room(kSignatureSize);
  }
  line.put(kCrlf);
  return line.size();
}

void ChunkFramer::update(ByteView payload) {
  for (Digest& digest : digests_) digest.update(payload);
  if (signer_) signer_->update(payload);
  decoded_ += payload.size();
}

Result<ByteView> ChunkFramer::header(std::size_t payload) {
  HeaderRoom& line = payload == format_.chunk_size() ? full_ : other_;
  if (&line == &other_) write_header(payload, line);
  if (signer_) {
    const ByteSpan place = ByteSpan(line).subspan(hex_digits(payload) + kChunkSignature.size(), kSignatureSize);
    MR_TRY(signer_->finish_chunk({reinterpret_cast<char*>(place.data()), place.size()}));
  }
  return ByteView(line).first(header_size(payload));
}

Result<ByteView> ChunkFramer::tail() {
  Writer tail(tail_);
  tail.put("0");
  if (signer_) {
    tail.put(kChunkSignature);
    MR_TRY(signer_->finish_chunk(tail.room(kSignatureSize)));
  }
  tail.put(kCrlf);
  for (Digest& digest : digests_) {
    std::array<std::byte, kMaxDigestSize> value;
    MR_TRY(const ByteView bytes, digest.finish(value));
    const std::size_t start = tail.size();
    tail.put(kChecksumPrefix);
    tail.put(digest_name(digest.algorithm()));
    tail.put(":");
    tail.put_base64(bytes);
    if (signer_) {  // what is signed ends its lines with LF alone
      signer_->update(ByteView(tail_).subspan(start, tail.size() - start));
      signer_->update(as_bytes("\n"));
    }
    tail.put(kCrlf);
  }
  if (signer_ && !digests_.empty()) {
    tail.put(kTrailerSignature);
    tail.put(":");
    MR_TRY(signer_->finish_trailer(tail.room(kSignatureSize)));
    tail.put(kCrlf);
  }
  tail.put(kCrlf);
  MR_CHECK(tail.size() == tail_.size());
  return ByteView(tail_);
}

void ChunkFramer::restart() {
  for (Digest& digest : digests_) digest.reset();
  if (signer_) signer_->restart();
  decoded_ = 0;
}

Status ChunkFramer::restart_with(const ChunkSigning& signing) {
  if (!signer_) return Error{ErrorCode::kInvalidArgument, "aws-chunked: signing does not fit the format"};
  MR_TRY(signer_, ChunkSigner::create(signing));
  restart();
  return Ok{};
}

}  // namespace millrace::aws_chunked
