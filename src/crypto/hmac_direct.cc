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

// The outer hash over the digest that `state` ends with; the room is used again and cleansed.
template <class Hash>
void finish_with(typename Hash::State& state, const std::byte* outer, ByteSpan out) {
  std::byte digest[Hash::kDigest];
  Hash::finish(state, digest);
  std::memcpy(&state, outer, sizeof state);
  Hash::update(state, digest);
  Hash::finish(state, digest);
  std::copy_n(digest, out.size(), out.data());
  secure_zero(digest);
  secure_zero(std::as_writable_bytes(std::span(&state, 1)));
}

template <class Hash>
void update_with(typename Hash::State& state, ByteView bytes) {
  if (!bytes.empty()) Hash::update(state, bytes);
}

// for_hash calls `call` with a value of the class above that `hash` stands for.
template <class Call>
void for_hash(HashAlgorithm hash, Call call) {
  switch (hash) {
    case HashAlgorithm::kSha1:
      return call(Sha1{});
    case HashAlgorithm::kSha256:
      return call(Sha256{});
    case HashAlgorithm::kSha512:
      return call(Sha512{});
    case HashAlgorithm::kMd5:
      MR_CHECK(false);
  }
}

// The state that start() put into its room.
template <class Hash>
typename Hash::State& state_in(std::byte* room) {
  return *std::launder(reinterpret_cast<typename Hash::State*>(room));
}

}  // namespace

DirectHmac::DirectHmac(HashAlgorithm hash, ByteView key) : hash_(hash) {
  static_assert(std::max({sizeof(SHA_CTX), sizeof(SHA256_CTX), sizeof(SHA512_CTX)}) <= kStateSize);
  for_hash(hash, [&]<class Hash>(Hash) { set_key<Hash>(inner(), outer(), key); });
}

DirectHmac::~DirectHmac() { secure_zero(states_); }

void DirectHmac::compute(ByteSpan out, ByteView a, ByteView b, ByteView c) const {
  for_hash(hash_, [&]<class Hash>(Hash) {
    typename Hash::State state;
    std::memcpy(&state, inner(), sizeof state);
    for (const ByteView part : {a, b, c}) update_with<Hash>(state, part);
    finish_with<Hash>(state, outer(), out);
  });
}

void DirectHmac::Message::start() {
  for_hash(key_.hash_, [&]<class Hash>(Hash) {
    typename Hash::State& state = new_state<Hash>(state_);
    std::memcpy(&state, key_.inner(), sizeof state);
  });
}

void DirectHmac::Message::update(ByteView bytes) {
  for_hash(key_.hash_, [&]<class Hash>(Hash) { update_with<Hash>(state_in<Hash>(state_), bytes); });
}

bool DirectHmac::Message::finish(ByteSpan out) {
  for_hash(key_.hash_, [&]<class Hash>(Hash) { finish_with<Hash>(state_in<Hash>(state_), key_.outer(), out); });
  return true;
}

}  // namespace millrace
