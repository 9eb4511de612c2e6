#include "crypto/openssl_version.h"

#include <openssl/crypto.h>

namespace millrace {

std::string_view openssl_version() { return OpenSSL_version(OPENSSL_VERSION); }

}  // namespace millrace
