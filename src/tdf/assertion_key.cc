#include "tdf/assertion_key.h"

#include <utility>

namespace millrace::tdf {

AssertionKey::AssertionKey(std::unique_ptr<State> state) : state_(std::move(state)) {}
AssertionKey::AssertionKey(AssertionKey&&) noexcept = default;
AssertionKey& AssertionKey::operator=(AssertionKey&&) noexcept = default;
AssertionKey::~AssertionKey() = default;

Result<AssertionKey> AssertionKey::hs256(ByteView secret) {
  if (secret.empty()) return Error{ErrorCode::kInvalidArgument, "assertion key: empty"};
  auto state = std::make_unique<State>();
  state->secret = SecretBytes::copy_of(secret);
  return AssertionKey(std::move(state));
}

Result<AssertionKey> AssertionKey::rs256_private(ByteView pem_or_der) {
  MR_TRY(PrivateKey key, PrivateKey::parse(pem_or_der));
  if (key.algorithm() != KeyAlgorithm::kRsa) return Error{ErrorCode::kInvalidArgument, "assertion key: not RSA"};
  auto state = std::make_unique<State>();
  state->public_key = key.public_key();
  state->private_key = std::move(key);
  return AssertionKey(std::move(state));
}

Result<AssertionKey> AssertionKey::rs256_public(ByteView pem_or_der) {
  MR_TRY(PublicKey key, PublicKey::parse(pem_or_der));
  if (key.algorithm() != KeyAlgorithm::kRsa) return Error{ErrorCode::kInvalidArgument, "assertion key: not RSA"};
  auto state = std::make_unique<State>();
  state->public_key = std::move(key);
  return AssertionKey(std::move(state));
}

std::string_view AssertionKey::algorithm() const { return state_->public_key ? "RS256" : "HS256"; }

}  // namespace millrace::tdf
