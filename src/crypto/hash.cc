#define OPENSSL_SUPPRESS_DEPRECATED  // see hmac_direct.h
#include "crypto/hash.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>

#include "base/check.h"
#include "crypto/kernel_policy.h"
#include "crypto/openssl_cipher.h"

namespace millrace {

namespace {

// Finding an algorithm by its name is dear, so each is looked up once.
const EVP_MD* openssl_hash(HashAlgorithm hash) {
  static EVP_MD* const sha1 = EVP_MD_fetch(nullptr, "SHA1", nullptr);
  static EVP_MD* const sha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  static EVP_MD* const sha512 = EVP_MD_fetch(nullptr, "SHA512", nullptr);
  static EVP_MD* const md5 = EVP_MD_fetch(nullptr, "MD5", nullptr);
  switch (hash) {
    case HashAlgorithm::kSha1:
      return sha1;
    case HashAlgorithm::kSha256:
      return sha256;
    case HashAlgorithm::kSha512:
      return sha512;
    case HashAlgorithm::kMd5:
      return md5;
  }
  return nullptr;
}

struct FreeHash {
  void operator()(EVP_MD_CTX* ctx) const { EVP_MD_CTX_free(ctx); }
};

}  // namespace

std::size_t hash_size(HashAlgorithm hash) {
  switch (hash) {
    case HashAlgorithm::kSha1:
      return 20;
    case HashAlgorithm::kSha256:
      return 32;
    case HashAlgorithm::kSha512:
      return 64;
    case HashAlgorithm::kMd5:
      return 16;
  }
  return 0;
}

// SHA-256 goes past the providers, as HMAC does (hmac_direct.h): protocols compute it over many small pieces, and
// beginning anew through EVP allocates every time.
struct Hash::State {
  HashAlgorithm hash = HashAlgorithm::kSha256;
  bool is_direct = false;
  SHA256_CTX direct;
  std::unique_ptr<EVP_MD_CTX, FreeHash> ctx;
  bool good = false;  // every call since reset() succeeded

  bool update(ByteView bytes) {
    return (is_direct ? SHA256_Update(&direct, bytes.data(), bytes.size())
                      : EVP_DigestUpdate(ctx.get(), bytes.data(), bytes.size())) == 1;
  }
  bool finish(std::byte* out) {
    return (is_direct ? SHA256_Final(openssl_bytes(out), &direct)
                      : EVP_DigestFinal_ex(ctx.get(), openssl_bytes(out), nullptr)) == 1;
  }
  bool reset() {
    if (is_direct) return SHA256_Init(&direct) == 1;
    const EVP_MD* const md = openssl_hash(hash);
    return ctx && md != nullptr && EVP_DigestInit_ex2(ctx.get(), md, nullptr) == 1;
  }
};

Hash::Hash(std::unique_ptr<State> state) : state_(std::move(state)) {}
Hash::Hash(Hash&&) noexcept = default;
Hash& Hash::operator=(Hash&&) noexcept = default;
Hash::~Hash() = default;

Result<Hash> Hash::create(HashAlgorithm hash) {
  auto state = std::make_unique<State>();
  state->hash = hash;
  state->is_direct = hash == HashAlgorithm::kSha256 && !openssl_only();
  if (!state->is_direct) state->ctx.reset(EVP_MD_CTX_new());
  Hash made(std::move(state));
  made.reset();
  if (!made.state_->good) return Error{ErrorCode::kIo, "OpenSSL hash set-up"};
  return made;
}

void Hash::update(ByteView bytes) {
  if (bytes.empty()) return;
  state_->good = state_->good && state_->update(bytes);
}

Status Hash::finish(ByteSpan out) {
  MR_CHECK(out.size() >= hash_size(state_->hash));
  const ByteSpan digest = out.first(hash_size(state_->hash));
  const bool done = state_->good && state_->finish(digest.data());
  reset();
  if (done) return Ok{};
  std::fill(digest.begin(), digest.end(), std::byte{0});
  return Error{ErrorCode::kIo, "hash"};
}

void Hash::reset() { state_->good = state_->reset(); }

}  // namespace millrace
