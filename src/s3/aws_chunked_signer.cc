#include "s3/aws_chunked_signer.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "encoding/hex.h"
#include "s3/aws_chunked_text.h"

namespace millrace::aws_chunked {

namespace {

bool is_signature(std::string_view text) {
  return text.size() == kSignatureSize && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

Result<ChunkSigner> ChunkSigner::create(const ChunkSigning& signing) {
  MR_TRY(signing.scope.check());
  if (signing.key.size() != hash_size(HashAlgorithm::kSha256))
    return Error{ErrorCode::kInvalidArgument, "aws-chunked: signing key"};
  if (!is_signature(signing.seed_signature)) return Error{ErrorCode::kInvalidArgument, "aws-chunked: seed signature"};
  MR_TRY(Hmac hmac, Hmac::create(HashAlgorithm::kSha256, signing.key.reveal()));
  MR_TRY(Hash hash, Hash::create(HashAlgorithm::kSha256));
  ChunkSigner signer(std::move(hmac), std::move(hash));
  signer.seed_ = signing.seed_signature;
  const std::string context = '\n' + signing.scope.date_time + '\n' + signing.scope.text() + '\n';
  const std::string place(kSignatureSize, '0');
  signer.chunk_text_ = "AWS4-HMAC-SHA256-PAYLOAD" + context;
  signer.trailer_text_ = "AWS4-HMAC-SHA256-TRAILER" + context;
  signer.previous_ = signer.chunk_text_.size();
  ((signer.chunk_text_ += place) += '\n') += sigv4::kEmptyPayload;
  (signer.chunk_text_ += '\n') += place;
  ((signer.trailer_text_ += place) += '\n') += place;
  signer.restart();
  return signer;
}

void ChunkSigner::restart() {
  hash_.reset();
  std::copy(seed_.begin(), seed_.end(), chunk_text_.begin() + static_cast<std::ptrdiff_t>(previous_));
  std::copy(seed_.begin(), seed_.end(), trailer_text_.begin() + static_cast<std::ptrdiff_t>(previous_));
}

Status ChunkSigner::sign(std::string& text, std::span<char> out) {
  MR_CHECK(out.size() >= kSignatureSize);
  std::array<std::byte, 32> digest;
  MR_TRY(hash_.finish(digest));
  hex_encode(digest, std::span(text).last(kSignatureSize));
  MR_TRY(hmac_.compute(digest, as_bytes(text)));
  hex_encode(digest, out);
  std::copy_n(out.data(), kSignatureSize, chunk_text_.data() + previous_);
  std::copy_n(out.data(), kSignatureSize, trailer_text_.data() + previous_);
  return Ok{};
}

}  // namespace millrace::aws_chunked
