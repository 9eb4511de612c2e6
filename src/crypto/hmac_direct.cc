#define OPENSSL_SUPPRESS_DEPRECATED  // see hmac_direct.h
#include "crypto/hmac_direct.h"

#include <openssl/sha.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>

#include "base/check.h"
#include "crypto/openssl_cipher.h"
#include "millrace/secret.h"

namespace millrace {

namespace {

struct Sha1 {
  using State = SHA_CTX;
  static constexpr std::size_t kBlock = SHA_CBLOCK;
  static constexpr std::size_t kDigest = SHA_DIGEST_LENGTH;
  static void init(State& s) { SHA1_Init(&s); }
  static void update(State& s, ByteView bytes) { SHA1_Update(&s, bytes.data(), bytes.size()); }
  static void finish(State& s, std::byte* out) { SHA1_Final(openssl_bytes(out), &s); }
};

struct Sha256 {
  using State = SHA256_CTX;
  static constexpr std::size_t kBlock = SHA256_CBLOCK;
  static constexpr std::size_t kDigest = SHA256_DIGEST_LENGTH;
  static void init(State& s) { SHA256_Init(&s); }
  static void update(State& s, ByteView bytes) { SHA256_Update(&s, bytes.data(), bytes.size()); }
  static void finish(State& s, std::byte* out) { SHA256_Final(openssl_bytes(out), &s); }
};

struct Sha512 {
  using State = SHA512_CTX;
  static constexpr std::size_t kBlock = SHA512_CBLOCK;
  static constexpr std::size_t kDigest = SHA512_DIGEST_LENGTH;
  static void init(State& s) { SHA512_Init(&s); }
  static void update(State& s, ByteView bytes) { SHA512_Update(&s, bytes.data(), bytes.size()); }
  static void finish(State& s, std::byte* out) { SHA512_Final(openssl_bytes(out), &s); }
};

// In the room for states that a DirectHmac has.
template <class Hash>
typename Hash::State& new_state(std::byte* room) {
  static_assert(std::is_trivial_v<typename Hash::State> && alignof(typename Hash::State) <= 8);
  return *new (room) typename Hash::State;
}

// The states behind the block of the key, padded with zeros, every byte of it xored with 0x36 and with 0x5c.
template <class Hash>
void set_key(std::byte* inner, std::byte* outer, ByteView key) {
  typename Hash::State& inner_state = new_state<Hash>(inner);
  typename Hash::State& outer_state = new_state<Hash>(outer);
  std::byte block[Hash::kBlock] = {};
  if (key.size() <= Hash::kBlock) {
    std::copy(key.begin(), key.end(), block);
  } else {
    Hash::init(inner_state);
    Hash::update(inner_state, key);
    Hash::finish(inner_state, block);
  }
  for (std::byte& b : block) b ^= std::byte{0x36};
  Hash::init(inner_state);
  Hash::update(inner_state, block);
  for (std::byte& b : block) b ^= std::byte{0x36 ^ 0x5c};
  Hash::init(outer_state);
  Hash::update(outer_state, block);
  secure_zero(block);
}

template <class Hash>
void compute_with(const std::byte* inner, const std::byte* outer, ByteSpan out, ByteView a, ByteView b, ByteView c) {
  struct {
    typename Hash::State state;
    std::byte digest[Hash::kDigest];
  } work;
  std::memcpy(&work.state, inner, sizeof work.state);
  for (const ByteView part : {a, b, c}) {
    if (!part.empty()) Hash::update(work.state, part);
  }
  Hash::finish(work.state, work.digest);
  std::memcpy(&work.state, outer, sizeof work.state);
  Hash::update(work.state, work.digest);
  Hash::finish(work.state, work.digest);
  std::copy_n(work.digest, out.size(), out.data());
  secure_zero(std::as_writable_bytes(std::span(&work, 1)));
}

}  // namespace

DirectHmac::DirectHmac(HashAlgorithm hash, ByteView key) : hash_(hash) {
  static_assert(std::max({sizeof(SHA_CTX), sizeof(SHA256_CTX), sizeof(SHA512_CTX)}) <= kStateSize);
  switch (hash) {
    case HashAlgorithm::kSha1:
      set_key<Sha1>(inner(), outer(), key);
      break;
    case HashAlgorithm::kSha256:
      set_key<Sha256>(inner(), outer(), key);
      break;
    case HashAlgorithm::kSha512:
      set_key<Sha512>(inner(), outer(), key);
      break;
    case HashAlgorithm::kMd5:
      MR_CHECK(false);
  }
}

DirectHmac::~DirectHmac() { secure_zero(states_); }

void DirectHmac::compute(ByteSpan out, ByteView a, ByteView b, ByteView c) const {
  switch (hash_) {
    case HashAlgorithm::kSha1:
      return compute_with<Sha1>(inner(), outer(), out, a, b, c);
    case HashAlgorithm::kSha256:
      return compute_with<Sha256>(inner(), outer(), out, a, b, c);
    case HashAlgorithm::kSha512:
      return compute_with<Sha512>(inner(), outer(), out, a, b, c);
    case HashAlgorithm::kMd5:
      MR_CHECK(false);
  }
}

}  // namespace millrace
