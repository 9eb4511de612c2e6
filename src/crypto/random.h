// Random bytes: public ones from the kernel, secret ones from OpenSSL's generator.
#pragma once

#include "millrace/bytes.h"
#include "millrace/result.h"
#include "millrace/secret.h"

namespace millrace {

// random_bytes fills `out` with bytes fit for nonces and salts. Errors: kIo when the generator has no entropy.
Status random_bytes(ByteSpan out);
// random_secret returns `size` bytes for keys, from OpenSSL's generator for secrets.
Result<SecretBytes> random_secret(std::size_t size);

}  // namespace millrace
