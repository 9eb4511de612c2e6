#pragma once

#include <string_view>

namespace millrace {

// openssl_version names the OpenSSL that this process has loaded: "OpenSSL 3.0.17 1 Jul 2025".
std::string_view openssl_version();

}  // namespace millrace
