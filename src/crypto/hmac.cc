#include "crypto/hmac.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/check.h"
#include "base/copy.h"
#include "crypto/openssl_cipher.h"

namespace millrace {

namespace {

struct FreeMac {
  void operator()(EVP_MAC_CTX* ctx) const { EVP_MAC_CTX_free(ctx); }
};
using MacContext = std::unique_ptr<EVP_MAC_CTX, FreeMac>;

MacContext make_context(HashAlgorithm hash) {
  static EVP_MAC* const hmac = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
  if (hmac == nullptr) return nullptr;
  static constexpr const char* kNames[] = {"SHA1", "SHA256", "SHA512", "MD5"};
  char name[8];
  std::copy_n(kNames[static_cast<int>(hash)], std::char_traits<char>::length(kNames[static_cast<int>(hash)]) + 1, name);
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0),
                               OSSL_PARAM_construct_end()};
  MacContext ctx(EVP_MAC_CTX_new(hmac));
  if (!ctx || EVP_MAC_CTX_set_params(ctx.get(), params) != 1) return nullptr;
  return ctx;
}

// Contexts that know their hash but hold no one's key any more, ready for the next Hmac. Finding a hash by its name
// costs more than an HMAC over 300 bytes; giving a context a new key costs a quarter of that.
class ContextStock {
 public:
  MacContext take(HashAlgorithm hash) {
    {
      const std::lock_guard lock(mutex_);
      auto& free = free_[static_cast<int>(hash)];
      if (!free.empty()) {
        MacContext ctx = std::move(free.back());
        free.pop_back();
        return ctx;
      }
    }
    return make_context(hash);
  }

  void give(HashAlgorithm hash, MacContext ctx) {
    // A new, empty key takes the place of the old one.
    static constexpr unsigned char kNoKey[1] = {0};
    if (!ctx || EVP_MAC_init(ctx.get(), kNoKey, sizeof kNoKey, nullptr) != 1) return;
    const std::lock_guard lock(mutex_);
    auto& free = free_[static_cast<int>(hash)];
    if (free.size() < kKept) free.push_back(std::move(ctx));
  }

  static ContextStock& instance() {
    static ContextStock* const stock = new ContextStock;  // never destroyed: used by static objects at exit
    return *stock;
  }

 private:
  static constexpr std::size_t kKept = 16;
  std::mutex mutex_;
  std::vector<MacContext> free_[4];
};

bool update(EVP_MAC_CTX* ctx, ByteView bytes) {
  return bytes.empty() || EVP_MAC_update(ctx, openssl_bytes(bytes), bytes.size()) == 1;
}

// mac computes HMAC over a | b | c under the key that ctx has, or under `key` when one is given.
bool mac(EVP_MAC_CTX* ctx, const ByteView* key, ByteSpan out, ByteView a, ByteView b, ByteView c) {
  std::byte full[kMaxHashSize];
  // An empty HMAC key is a key of one zero byte (both are padded with zeros to the block), which OpenSSL takes as one.
  static constexpr std::byte kEmptyKey[1] = {};
  ByteView used = key == nullptr ? ByteView{} : *key;
  if (key != nullptr && used.empty()) used = kEmptyKey;
  std::size_t size = 0;
  const bool done = ctx != nullptr &&
                    EVP_MAC_init(ctx, used.empty() ? nullptr : openssl_bytes(used), used.size(), nullptr) == 1 &&
                    update(ctx, a) && update(ctx, b) && update(ctx, c) &&
                    EVP_MAC_final(ctx, openssl_bytes(full), &size, sizeof full) == 1 && size >= out.size();
  if (done) {
    std::copy_n(full, out.size(), out.data());
  } else {
    secure_zero(out);
  }
  secure_zero(full);
  return done;
}

}  // namespace

// Each computation borrows a context and keys it, so one Hmac serves many threads.
struct Hmac::State {
  HashAlgorithm hash;
  SecretBytes key;
};

Hmac::Hmac(std::unique_ptr<State> state) : state_(std::move(state)) {}
Hmac::Hmac(Hmac&&) noexcept = default;
Hmac& Hmac::operator=(Hmac&&) noexcept = default;
Hmac::~Hmac() = default;

Result<Hmac> Hmac::create(HashAlgorithm hash, ByteView key) {
  return Hmac(std::unique_ptr<State>(new State{hash, SecretBytes::copy_of(key)}));
}

Status Hmac::compute(ByteSpan out, ByteView a, ByteView b, ByteView c) const {
  MR_CHECK(out.size() <= hash_size(state_->hash));
  MacContext ctx = ContextStock::instance().take(state_->hash);
  const ByteView key = state_->key.reveal();
  const bool done = mac(ctx.get(), &key, out, a, b, c);
  ContextStock::instance().give(state_->hash, std::move(ctx));
  if (!done) return Error{ErrorCode::kIo, "HMAC"};
  return Ok{};
}

Result<SecretBytes> hkdf(HashAlgorithm hash, ByteView ikm, ByteView salt, ByteView info, std::size_t size) {
  const std::size_t digest = hash_size(hash);
  if (size > 255 * digest) return Error{ErrorCode::kInvalidArgument, "HKDF output size"};
  MacContext ctx = ContextStock::instance().take(hash);
  SecretBytes prk(digest);
  bool done = mac(ctx.get(), &salt, prk.fill(), ikm, {}, {});
  SecretBytes out(size);
  std::size_t made = 0;
  for (std::uint8_t block = 1; done && made < size; ++block) {
    const std::byte counter[1] = {static_cast<std::byte>(block)};
    const ByteView previous = made == 0 ? ByteView{} : out.reveal().subspan(made - digest, digest);
    const std::size_t n = std::min(digest, size - made);
    const ByteView key = prk.reveal();
    // The key is set once, with the first block.
    done = mac(ctx.get(), block == 1 ? &key : nullptr, out.fill().subspan(made, n), previous, info, counter);
    made += n;
  }
  ContextStock::instance().give(hash, std::move(ctx));
  if (!done) return Error{ErrorCode::kIo, "HKDF"};
  return out;
}

}  // namespace millrace
