// Any bytes as a public and as a private key; what is accepted must be written and read back as itself.
#include <algorithm>
#include <cstdlib>

#include "crypto/public_key.h"

using namespace millrace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView bytes{reinterpret_cast<const std::byte*>(data), size};
  if (const Result<PublicKey> key = PublicKey::parse(bytes)) {
    const Result<PublicKey> again = PublicKey::parse(as_bytes(key->pem()));
    if (!again || again->pem() != key->pem()) std::abort();
  }
  if (const Result<PrivateKey> key = PrivateKey::parse(bytes)) {
    const Result<SecretBytes> pem = key->pem();
    if (!pem) std::abort();
    const Result<PrivateKey> again = PrivateKey::parse(pem->reveal());
    if (!again || again->public_key().pem() != key->public_key().pem()) std::abort();
    if (key->algorithm() != KeyAlgorithm::kRsa && !key->ecdh(key->public_key())) std::abort();
  }
  return 0;
}
