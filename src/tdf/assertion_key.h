// What an AssertionKey holds.
#pragma once

#include <optional>

#include "crypto/public_key.h"
#include "millrace/secret.h"
#include "millrace/tdf_keys.h"

namespace millrace::tdf {

struct AssertionKey::State {
  SecretBytes secret;                     // HS256
  std::optional<PrivateKey> private_key;  // RS256 that signs
  std::optional<PublicKey> public_key;    // RS256
};

}  // namespace millrace::tdf
