// Hash: SHA-1, SHA-256, SHA-512 and MD5 over a stream of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "millrace/bytes.h"
#include "millrace/result.h"

namespace millrace {

enum class HashAlgorithm : std::uint8_t { kSha1, kSha256, kSha512, kMd5 };

// hash_size is the digest size in bytes: 20, 32, 64 or 16.
std::size_t hash_size(HashAlgorithm hash);
inline constexpr std::size_t kMaxHashSize = 64;

// Hash is the digest of the bytes since create() or reset(). One thread at a time.
class Hash {
 public:
  // kIo where the installed OpenSSL refuses the algorithm (MD5 under FIPS).
  static Result<Hash> create(HashAlgorithm hash);
  Hash(Hash&&) noexcept;
  Hash& operator=(Hash&&) noexcept;
  ~Hash();

  // update cannot report a failure of OpenSSL; finish() does.
  void update(ByteView bytes);
  // finish writes the hash_size() bytes of the digest to the front of `out` and begins anew. On failure they are
  // zeroed.
  Status finish(ByteSpan out);
  // reset forgets what was added so far.
  void reset();

 private:
  struct State;
  explicit Hash(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace millrace
