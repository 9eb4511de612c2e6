#include "crypto/hmac_evp.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <algorithm>
#include <mutex>
#include <vector>

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
  static constexpr const char* kNames[] = {"SHA1", "SHA256", "SHA512"};
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
  std::vector<MacContext> free_[3];
};

}  // namespace

EvpHmac::Message::Message(const EvpHmac& key)
    : key_(key), hash_(key.hash_), ctx_(ContextStock::instance().take(hash_).release()) {}

EvpHmac::Message::~Message() { ContextStock::instance().give(hash_, MacContext(ctx_)); }

void EvpHmac::Message::start() {
  // An empty HMAC key is a key of one zero byte (both are padded with zeros to the block), which OpenSSL takes as one.
  static constexpr std::byte kEmptyKey[1] = {};
  const ByteView key = key_.key_.size() == 0 ? ByteView(kEmptyKey) : key_.key_.reveal();
  good_ = ctx_ != nullptr && EVP_MAC_init(ctx_, openssl_bytes(key), key.size(), nullptr) == 1;
}

void EvpHmac::Message::update(ByteView bytes) {
  if (bytes.empty()) return;
  good_ = good_ && EVP_MAC_update(ctx_, openssl_bytes(bytes), bytes.size()) == 1;
}

bool EvpHmac::Message::finish(ByteSpan out) {
  std::byte full[kMaxHashSize];
  std::size_t size = 0;
  good_ = good_ && EVP_MAC_final(ctx_, openssl_bytes(full), &size, sizeof full) == 1 && size >= out.size();
  if (good_) {
    std::copy_n(full, out.size(), out.data());
  } else {
    secure_zero(out);
  }
  secure_zero(full);
  return good_;
}

bool EvpHmac::compute(ByteSpan out, ByteView a, ByteView b, ByteView c) const {
  Message message(*this);
  message.start();
  for (const ByteView part : {a, b, c}) message.update(part);
  return message.finish(out);
}

}  // namespace millrace
