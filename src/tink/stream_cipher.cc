#include "tink/stream_cipher.h"

#include <algorithm>
#include <memory>

#include "base/check.h"
#include "base/copy.h"
#include "base/endian.h"
#include "crypto/random.h"

namespace millrace::tink {

namespace {

constexpr std::size_t kHmacKeySize = 32;  // whatever the hash

HashAlgorithm hash_algorithm(HashType hash) {
  switch (hash) {
    case HashType::kSha1:
      return HashAlgorithm::kSha1;
    case HashType::kSha256:
      return HashAlgorithm::kSha256;
    case HashType::kSha512:
      return HashAlgorithm::kSha512;
  }
  MR_CHECK(false);
  return {};
}

}  // namespace

Result<SegmentLayout> layout_of(const StreamingParams& params, std::uint32_t first_segment_offset) {
  SegmentLayout::Params layout;
  layout.header_size = header_size(params);
  layout.segment_size = params.ciphertext_segment_size;
  layout.tag_size = params.construction == Construction::kAesGcmHkdf ? kGcmTagSize : params.hmac_tag_size;
  layout.first_shorter_by = layout.header_size + first_segment_offset;
  return SegmentLayout::create(layout);
}

Status make_header(const StreamingParams& params, ByteSpan header) {
  MR_CHECK(header.size() == header_size(params));
  header[0] = static_cast<std::byte>(header.size());
  return random_bytes(header.subspan(1));
}

TinkCipher::TinkCipher(const SegmentLayout& layout, ByteView nonce_prefix) : layout_(layout) {
  copy_bytes(nonce_prefix_, nonce_prefix);
}

Result<std::unique_ptr<const TinkCipher>> TinkCipher::create(const StreamingParams& params, ByteView ikm,
                                                             std::uint32_t first_segment_offset, ByteView header,
                                                             ByteView associated_data) {
  MR_CHECK(header.size() == header_size(params));
  MR_TRY(validate(params, ikm.size()));
  MR_TRY(const SegmentLayout layout, layout_of(params, first_segment_offset));
  if (header[0] != static_cast<std::byte>(header.size())) return Error{ErrorCode::kMalformed, "tink header: size byte"};
  const ByteView salt = header.subspan(1, params.derived_key_size);
  std::unique_ptr<TinkCipher> cipher(new TinkCipher(layout, header.last(kNoncePrefixSize)));

  const bool gcm = params.construction == Construction::kAesGcmHkdf;
  const std::size_t derived_size = params.derived_key_size + (gcm ? 0 : kHmacKeySize);
  MR_TRY(const SecretBytes derived, hkdf(hash_algorithm(params.hkdf_hash), ikm, salt, associated_data, derived_size));
  const ByteView aes_key = derived.reveal().first(params.derived_key_size);
  if (gcm) {
    MR_TRY(AesGcm aead, AesGcm::create(aes_key));
    cipher->gcm_.emplace(std::move(aead));
  } else {
    MR_TRY(AesCtr ctr, AesCtr::create(aes_key));
    MR_TRY(Hmac mac, Hmac::create(hash_algorithm(params.hmac_hash), derived.reveal().last(kHmacKeySize)));
    cipher->ctr_hmac_.emplace(CtrHmac{std::move(ctr), std::move(mac)});
  }
  return std::unique_ptr<const TinkCipher>(std::move(cipher));
}

TinkCipher::Nonce TinkCipher::nonce(std::uint32_t index, Last last) const {
  Nonce nonce{};  // CTR-HMAC: the last four bytes are the counter of blocks, which starts at zero
  std::copy(nonce_prefix_.begin(), nonce_prefix_.end(), nonce.begin());
  store_be(ByteSpan(nonce).subspan(kNoncePrefixSize), index);
  nonce[kNoncePrefixSize + 4] = last == Last::kYes ? std::byte{1} : std::byte{0};
  return nonce;
}

Status TinkCipher::seal(std::uint32_t index, Last last, ByteView plaintext, ByteSpan out) const {
  MR_CHECK(out.size() == plaintext.size() + layout_.overhead());
  const Nonce nonce = this->nonce(index, last);
  if (gcm_) return gcm_->seal(ByteView(nonce).first(kGcmNonceSize), {}, plaintext, out);
  const ByteSpan ciphertext = out.first(plaintext.size());
  Status status = ctr_hmac_->cipher.apply(nonce, plaintext, ciphertext);
  if (status) status = ctr_hmac_->mac.compute(out.subspan(plaintext.size()), nonce, ciphertext);
  if (!status) secure_zero(out);
  return status;
}

// TinkPieceSealer seals the same segments as TinkCipher::seal: no front, the nonce says which one it is.
class TinkPieceSealer final : public PieceSealer {
 public:
  explicit TinkPieceSealer(const TinkCipher& cipher) : cipher_(cipher) {}
  Status start(std::uint32_t index, Last last, ByteSpan) override {
    const TinkCipher::Nonce nonce = cipher_.nonce(index, last);
    return sealer_.start(*cipher_.gcm_, ByteView(nonce).first(kGcmNonceSize), {});
  }
  Status update(ByteView in, ByteSpan out) override { return sealer_.update(in, out); }
  Status finish(ByteSpan tag) override { return sealer_.finish(tag); }

 private:
  const TinkCipher& cipher_;
  GcmSealer sealer_;
};

std::unique_ptr<PieceSealer> TinkCipher::piece_sealer() const {
  return gcm_ ? std::make_unique<TinkPieceSealer>(*this) : nullptr;
}

Status TinkCipher::open(std::uint32_t index, Last last, ByteView segment, ByteSpan out) const {
  MR_CHECK(segment.size() == out.size() + layout_.overhead());
  const Nonce nonce = this->nonce(index, last);
  Status status = Ok{};
  if (gcm_) {
    status = gcm_->open(ByteView(nonce).first(kGcmNonceSize), {}, segment, out);
  } else {
    const ByteView ciphertext = segment.first(out.size());
    std::array<std::byte, kMaxHashSize> computed;
    const ByteSpan tag = ByteSpan(computed).first(layout_.tag_size());
    status = ctr_hmac_->mac.compute(tag, nonce, ciphertext);
    if (status && !equal_constant_time(tag, segment.subspan(out.size()))) status = Error{ErrorCode::kNotAuthentic};
    if (status) status = ctr_hmac_->cipher.apply(nonce, ciphertext, out);
    if (!status) secure_zero(out);
  }
  if (!status && status.error().code == ErrorCode::kNotAuthentic) {
    if (index == 0) return Error{ErrorCode::kNotAuthentic, kFirstSegmentRefused};
    return Error{ErrorCode::kNotAuthentic, "segment", layout_.cipher_offset(index)};
  }
  return status;
}

}  // namespace millrace::tink
