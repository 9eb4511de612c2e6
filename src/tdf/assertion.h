// Signing and verifying assertions (docs/formats/tdf.md, "Assertions").
#pragma once

#include <string>
#include <string_view>

#include "millrace/bytes.h"
#include "millrace/result.h"
#include "millrace/tdf_keys.h"
#include "millrace/tdf_manifest.h"

namespace millrace::tdf {

// `aggregate` below is the input of the root signature: all segment hashes, decoded, in order (root_signature.h).

// sign_assertion fills in the binding: a compact JWS over the hash of the canonical assertion and the aggregate. `key`
// null: HS256 under the file's key. The size of the signature depends on the key and on aggregate.size() only.
Status sign_assertion(Assertion& assertion, const AssertionKey* key, ByteView file_key, ByteView aggregate,
                      SpecVersion version);

// verify_assertions checks every assertion of the manifest: exactly the algorithm of the key that is chosen for its id
// (by id, else the fallback, else the file's key with HS256), header keys ignored. Errors: kNotAuthentic ("tamper
// detected: assertion"), detail: the 1-based assertion.
Status verify_assertions(const Manifest& manifest, const AssertionKeys* keys, ByteView file_key, ByteView aggregate);

}  // namespace millrace::tdf
