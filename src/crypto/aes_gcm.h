// AES-GCM with a 96-bit nonce and a 128-bit tag (NIST SP 800-38D), for 128- and 256-bit keys.
#pragma once

#include <memory>

#include "millrace/bytes.h"
#include "millrace/result.h"

namespace millrace {

inline constexpr std::size_t kGcmNonceSize = 12;
inline constexpr std::size_t kGcmTagSize = 16;

// AesGcm holds one key. After create() it is const and safe to use from many threads at once.
class AesGcm {
 public:
  // The key is 16 or 32 bytes; anything else is kInvalidArgument (AES-192 is not used by any format here).
  static Result<AesGcm> create(ByteView key);
  AesGcm(AesGcm&&) noexcept;
  AesGcm& operator=(AesGcm&&) noexcept;
  ~AesGcm();

  // seal writes ciphertext and tag. The nonce has 12 bytes and must never repeat under one key; out.size() ==
  // plaintext.size() + 16; out starts at plaintext.data() or does not overlap it. On failure out is zeroed.
  Status seal(ByteView nonce, ByteView associated_data, ByteView plaintext, ByteSpan out) const;
  // open checks the tag at the end of `sealed` and writes the plaintext; out.size() == sealed.size() - 16; out starts
  // at sealed.data() or does not overlap it. On failure (kNotAuthentic) out is zeroed.
  Status open(ByteView nonce, ByteView associated_data, ByteView sealed, ByteSpan out) const;

 private:
  struct State;
  explicit AesGcm(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace millrace
