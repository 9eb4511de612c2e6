// AES-CTR with a 128-bit big-endian counter block (NIST SP 800-38A), for 128- and 256-bit keys.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "millrace/bytes.h"
#include "millrace/result.h"

namespace millrace {

inline constexpr std::size_t kAesBlockSize = 16;

// AesCtr holds one key. After create() it is const and safe to use from many threads at once.
class AesCtr {
 public:
  // The key is 16 or 32 bytes; anything else is kInvalidArgument.
  static Result<AesCtr> create(ByteView key);
  // create_with uses the named kernel, for tests and benchmarks. kInvalidArgument if this machine cannot run it.
  static Result<AesCtr> create_with(std::string_view kernel, ByteView key);
  AesCtr(AesCtr&&) noexcept;
  AesCtr& operator=(AesCtr&&) noexcept;
  ~AesCtr();

  // apply xors `in` with the key stream that starts at the 16-byte counter block; out has the same size and starts at
  // in.data() or does not overlap it. Encryption and decryption are the same. On failure out is zeroed.
  Status apply(ByteView counter_block, ByteView in, ByteSpan out) const;

 private:
  struct State;
  explicit AesCtr(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// As aes_gcm_kernel_name and aes_gcm_kernel_names (aes_gcm.h).
std::string_view aes_ctr_kernel_name();
std::vector<std::string_view> aes_ctr_kernel_names();

}  // namespace millrace
