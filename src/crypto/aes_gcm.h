// AES-GCM with a 96-bit nonce and a 128-bit tag (NIST SP 800-38D), for 128- and 256-bit keys.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "millrace/bytes.h"
#include "millrace/result.h"

namespace millrace {

inline constexpr std::size_t kGcmNonceSize = 12;
inline constexpr std::size_t kGcmTagSize = 16;
// A longer message would use a counter block twice (SP 800-38D, 5.2.1.1); it is kLimitExceeded.
inline constexpr std::uint64_t kGcmMaxMessageSize = (std::uint64_t{1} << 36) - 32;

// AesGcm holds one key. After create() it is const and safe to use from many threads at once.
class AesGcm {
 public:
  // The key is 16 or 32 bytes; anything else is kInvalidArgument (AES-192 is not used by any format here).
  static Result<AesGcm> create(ByteView key);
  // create_with uses the named kernel, for tests and benchmarks. kInvalidArgument if this machine cannot run it.
  static Result<AesGcm> create_with(std::string_view kernel, ByteView key);
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
  friend class GcmSealer;
  struct State;
  explicit AesGcm(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// GcmSealer seals one message piece by piece, so that a segment needs no buffer of its size: start, update any number
// of times, finish. There is no opener of this kind: plaintext may not leave before its tag is verified. One thread at
// a time; the AesGcm must outlive the message. A sealer can be used again and again.
class GcmSealer {
 public:
  GcmSealer();
  GcmSealer(GcmSealer&&) noexcept;
  GcmSealer& operator=(GcmSealer&&) noexcept;
  ~GcmSealer();

  // start begins a message and gives up the one before, if it was not finished. The nonce has 12 bytes and must never
  // repeat under one key.
  Status start(const AesGcm& key, ByteView nonce, ByteView associated_data);
  // update seals the next bytes of any number; out.size() == in.size(); out starts at in.data() or does not overlap
  // it. On failure out is zeroed and the message is given up. Requires a started message.
  Status update(ByteView in, ByteSpan out);
  // finish writes the tag of 16 bytes; on failure it is zeroed. Requires a started message, and ends it.
  Status finish(ByteSpan tag);

 private:
  struct Progress;
  std::unique_ptr<Progress> progress_;
};

// aes_gcm_kernel_name is what create() uses here: "x86-vaes512", "x86-vaes256" or "openssl". The environment variables
// MILLRACE_KERNELS (base/kernel_choice.h) and MILLRACE_CRYPTO=openssl have a say.
std::string_view aes_gcm_kernel_name();
// aes_gcm_kernel_names lists those that this machine can run, best first; "openssl" is always the last.
std::vector<std::string_view> aes_gcm_kernel_names();

}  // namespace millrace
