// Metadata that travels with the file, sealed under each share: base64 of
//
//   {"ciphertext": base64(IV(12) | AES-256-GCM(share, IV, metadata) | tag(16)), "iv": base64(IV)}
//
// No associated data. A lone share is also the key of the segments, so the IV is drawn anew each time, like theirs
// (src/segment): 2^32 random IVs under one key are the limit of AES-GCM, far above what a file holds.
#include <string>

#include "crypto/aes_gcm.h"
#include "crypto/random.h"
#include "tdf/base64_bytes.h"
#include "tdf/json_members.h"
#include "tdf/key_split.h"

namespace millrace::tdf {

namespace {

constexpr Error kAltered{ErrorCode::kNotAuthentic, "tamper detected: encrypted metadata"};

}  // namespace

Result<std::string> seal_metadata(ByteView share, std::string_view metadata) {
  MR_TRY(const AesGcm gcm, AesGcm::create(share));
  std::vector<std::byte> sealed(kGcmNonceSize + metadata.size() + kGcmTagSize);
  const ByteSpan iv = ByteSpan(sealed).first(kGcmNonceSize);
  MR_TRY(random_bytes(iv));
  MR_TRY(gcm.seal(iv, {}, as_bytes(metadata), ByteSpan(sealed).subspan(kGcmNonceSize)));
  const std::string json =
      std::string(R"({"ciphertext":")") + base64_encode(sealed) + R"(","iv":")" + base64_encode(iv) + R"("})";
  return base64_encode(as_bytes(json));
}

Result<std::string> open_metadata(ByteView share, std::string_view encrypted_metadata) {
  const Result<std::vector<std::byte>> json = decode_base64(encrypted_metadata);
  if (!json) return kAltered;
  const Result<Members> members = read_members(as_text(*json));
  const std::string* text = members ? text_of(*members, "ciphertext") : nullptr;
  if (text == nullptr) return kAltered;
  // "iv" only repeats the first bytes; all readers take the IV from there.
  const Result<std::vector<std::byte>> sealed = decode_base64(*text);
  if (!sealed || sealed->size() < kGcmNonceSize + kGcmTagSize) return kAltered;
  MR_TRY(const AesGcm gcm, AesGcm::create(share));
  std::string metadata(sealed->size() - kGcmNonceSize - kGcmTagSize, '\0');
  const ByteView view(*sealed);
  const ByteSpan out(reinterpret_cast<std::byte*>(metadata.data()), metadata.size());
  if (!gcm.open(view.first(kGcmNonceSize), {}, view.subspan(kGcmNonceSize), out)) return kAltered;
  return metadata;
}

}  // namespace millrace::tdf
