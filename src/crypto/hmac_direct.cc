#define OPENSSL_SUPPRESS_DEPRECATED  // see hmac_direct.h
#include "crypto/hmac_direct.h"

#include <openssl/sha.h>

#include <algorithm>
#include <cstring>
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

template <class T>
void cleanse(T& object) {
  secure_zero(std::as_writable_bytes(std::span(&object, 1)));
}

// The state behind one block: the key, padded with zeros, every byte xored with `pad`.
template <class Hash>
void keyed_state(std::byte* room, std::span<const std::byte, Hash::kBlock> padded, std::byte pad) {
  static_assert(std::is_trivially_copyable_v<typename Hash::State>);
  std::byte block[Hash::kBlock];
  std::transform(padded.begin(), padded.end(), block, [&](std::byte b) { return b ^ pad; });
  typename Hash::State state;
  Hash::init(state);
  Hash::update(state, block);
  std::memcpy(room, &state, sizeof state);
  cleanse(state);
  secure_zero(block);
}

template <class Hash>
void set_key(std::byte* inner, std::byte* outer, ByteView key) {
  std::byte padded[Hash::kBlock] = {};
  if (key.size() <= Hash::kBlock) {
    std::copy(key.begin(), key.end(), padded);
  } else {
    typename Hash::State state;
    Hash::init(state);
    Hash::update(state, key);
    Hash::finish(state, padded);
    cleanse(state);
  }
  keyed_state<Hash>(inner, padded, std::byte{0x36});
  keyed_state<Hash>(outer, padded, std::byte{0x5c});
  secure_zero(padded);
}

template <class Hash>
void compute_with(const std::byte* inner, const std::byte* outer, ByteSpan out, ByteView a, ByteView b, ByteView c) {
  typename Hash::State state;
  std::byte digest[Hash::kDigest];
  std::memcpy(&state, inner, sizeof state);
  for (const ByteView part : {a, b, c}) {
    if (!part.empty()) Hash::update(state, part);
  }
  Hash::finish(state, digest);
  std::memcpy(&state, outer, sizeof state);
  Hash::update(state, digest);
  Hash::finish(state, digest);
  std::copy_n(digest, out.size(), out.data());
  secure_zero(digest);
  cleanse(state);
}

}  // namespace

DirectHmac::DirectHmac(HashAlgorithm hash, ByteView key) : hash_(hash) {
  static_assert(std::max({sizeof(SHA_CTX), sizeof(SHA256_CTX), sizeof(SHA512_CTX)}) <= kStateSize);
  switch (hash) {
    case HashAlgorithm::kSha1:
      set_key<Sha1>(inner_, outer_, key);
      break;
    case HashAlgorithm::kSha256:
      set_key<Sha256>(inner_, outer_, key);
      break;
    case HashAlgorithm::kSha512:
      set_key<Sha512>(inner_, outer_, key);
      break;
    case HashAlgorithm::kMd5:
      MR_CHECK(false);
  }
}

DirectHmac::~DirectHmac() {
  secure_zero(inner_);
  secure_zero(outer_);
}

void DirectHmac::compute(ByteSpan out, ByteView a, ByteView b, ByteView c) const {
  switch (hash_) {
    case HashAlgorithm::kSha1:
      return compute_with<Sha1>(inner_, outer_, out, a, b, c);
    case HashAlgorithm::kSha256:
      return compute_with<Sha256>(inner_, outer_, out, a, b, c);
    case HashAlgorithm::kSha512:
      return compute_with<Sha512>(inner_, outer_, out, a, b, c);
    case HashAlgorithm::kMd5:
      MR_CHECK(false);
  }
}

}  // namespace millrace
