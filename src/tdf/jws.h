// Tokens in the compact form of RFC 7515, signed with HS256 or RS256, with exactly the key that the caller chose.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "millrace/result.h"
#include "millrace/tdf_keys.h"

namespace millrace::tdf {

// sign_jws signs `claims` under the header {"alg":"HS256"} or {"alg":"RS256"}. Errors: kInvalidArgument for a key that
// only verifies.
Result<std::string> sign_jws(const AssertionKey& key, std::string_view claims);

// open_jws returns the claims of a token that `key` signed. The header must name the key's own algorithm, which rules
// out "none" and a public key used as an HMAC secret. Keys in the header (jwk, jku, x5c, kid, ...) are not looked at;
// "crit" is refused (RFC 7515, 4.1.11), as no extension is understood. base64url is strict, so that a token has one
// spelling. Errors: kNotAuthentic whatever is wrong; `where` says what.
Result<std::string> open_jws(const AssertionKey& key, std::string_view token);

}  // namespace millrace::tdf
