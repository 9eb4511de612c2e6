// Private keys from DER to OpenSSL (internal).
//
// OpenSSL's own decoders leave the DER of a private key in freed memory: 3.0.22 three times for SEC 1 and more for
// PKCS#8, seen by looking for the scalar in every block that it frees. So we take the structures apart ourselves, which
// is a dozen elements, and hand OpenSSL the numbers, which it keeps in memory that it cleanses.
#pragma once

#include "crypto/key_encoding.h"
#include "crypto/openssl_key.h"
#include "millrace/result.h"

namespace millrace {

// private_key_from_der takes kPkcs8 (RFC 5958), kPkcs1 (RFC 8017, two primes) and kSec1 (RFC 5915; a missing public
// point is computed). The numbers are bounded, so that no operation takes hours, but not checked any further. Errors:
// kMalformed; kInvalidArgument for another algorithm or curve, more than two primes, or numbers out of bounds.
Result<Pkey> private_key_from_der(KeyForm form, ByteView der);

}  // namespace millrace
