#include <algorithm>
#include <array>

#include "base/copy.h"
#include "base/endian.h"
#include "crypto/aes_gcm.h"
#include "crypto/random.h"
#include "tink/keyset_state.h"

namespace millrace::tink {

namespace {

constexpr std::size_t kPrefixSize = 5;
constexpr std::size_t kOverhead = kGcmNonceSize + kGcmTagSize;

// WrappingKey is one ENABLED key of the key-encryption keyset.
struct WrappingKey {
  AesGcm cipher;
  bool has_prefix;
  std::array<std::byte, kPrefixSize> prefix_bytes{};

  ByteView prefix() const { return has_prefix ? ByteView(prefix_bytes) : ByteView(); }
};

Result<WrappingKey> make_wrapping_key(const Key& key) {
  MR_TRY(AesGcm cipher, AesGcm::create(key.ikm()));
  const auto type = static_cast<OutputPrefix>(key.prefix);
  WrappingKey wrapping{std::move(cipher), type != OutputPrefix::kRaw};
  wrapping.prefix_bytes[0] = std::byte{type == OutputPrefix::kTink};
  store_be(ByteSpan(wrapping.prefix_bytes).subspan(1), key.id);
  return wrapping;
}

Error not_authentic() { return Error{ErrorCode::kNotAuthentic, "encrypted keyset: key-encryption key"}; }

// open takes what follows the prefix.
Result<SecretBytes> open(const AesGcm& cipher, ByteView sealed, ByteView associated_data) {
  if (sealed.size() < kOverhead) return not_authentic();
  SecretBytes key(sealed.size() - kOverhead);
  MR_TRY(cipher.open(sealed.first(kGcmNonceSize), associated_data, sealed.subspan(kGcmNonceSize), key.fill()));
  return key;
}

}  // namespace

struct AesGcmKeyWrapper::State {
  std::vector<WrappingKey> keys;  // in keyset order
  std::size_t primary = 0;
};

AesGcmKeyWrapper::AesGcmKeyWrapper(std::unique_ptr<State> state) : state_(std::move(state)) {}
AesGcmKeyWrapper::AesGcmKeyWrapper(AesGcmKeyWrapper&&) noexcept = default;
AesGcmKeyWrapper& AesGcmKeyWrapper::operator=(AesGcmKeyWrapper&&) noexcept = default;
AesGcmKeyWrapper::~AesGcmKeyWrapper() = default;

Result<AesGcmKeyWrapper> AesGcmKeyWrapper::create(const Keyset& key_encryption_keyset) {
  const KeysetModel& model = key_encryption_keyset.state_->model;
  auto state = std::make_unique<State>();
  for (std::size_t i = 0; i < model.keys.size(); ++i) {
    const Key& key = model.keys[i];
    if (!key.has_status(KeyStatus::kEnabled)) continue;
    if (key.type != KeyType::kAesGcm) {
      return Error{ErrorCode::kInvalidArgument, "key-encryption keyset: not an AES-GCM key", key.data_offset,
                   static_cast<int>(i) + 1};
    }
    if (key.id == model.primary_id) state->primary = state->keys.size();
    MR_TRY(WrappingKey wrapping, make_wrapping_key(key));
    state->keys.push_back(std::move(wrapping));
  }
  return AesGcmKeyWrapper(std::move(state));
}

Result<std::vector<std::byte>> AesGcmKeyWrapper::wrap(ByteView key, ByteView associated_data) const {
  const WrappingKey& primary = state_->keys[state_->primary];
  const ByteView prefix = primary.prefix();
  std::vector<std::byte> wrapped(prefix.size() + kOverhead + key.size());
  copy_bytes(wrapped, prefix);
  const ByteSpan nonce = ByteSpan(wrapped).subspan(prefix.size(), kGcmNonceSize);
  MR_TRY(random_bytes(nonce));
  MR_TRY(primary.cipher.seal(nonce, associated_data, key, ByteSpan(wrapped).subspan(prefix.size() + kGcmNonceSize)));
  return wrapped;
}

Result<SecretBytes> AesGcmKeyWrapper::unwrap(ByteView wrapped, ByteView associated_data) const {
  // Keys whose prefix stands there come first, then those without one: a RAW nonce may look like a prefix.
  for (const bool has_prefix : {true, false}) {
    for (const WrappingKey& key : state_->keys) {
      const ByteView prefix = key.prefix();
      if (key.has_prefix != has_prefix || wrapped.size() < prefix.size() ||
          !std::equal(prefix.begin(), prefix.end(), wrapped.begin())) {
        continue;
      }
      Result<SecretBytes> opened = open(key.cipher, wrapped.subspan(prefix.size()), associated_data);
      if (opened || opened.error().code != ErrorCode::kNotAuthentic) return opened;
    }
  }
  return not_authentic();
}

}  // namespace millrace::tink
