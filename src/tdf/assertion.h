// Signing and verifying assertions (docs/formats/tdf.md, "Assertions").
#pragma once

#include <span>

#include "millrace/bytes.h"
#include "millrace/result.h"
#include "millrace/tdf_keys.h"
#include "millrace/tdf_manifest.h"

namespace millrace::tdf {

// `aggregate` below is the input of the root signature: all segment hashes, decoded, in order (root_signature.h).

// check_new_assertion refuses what no reader takes: an empty id, a type, scope or state that is not one of the known,
// texts that are not UTF-8. check_new_assertions also refuses doubled ids and more assertions than readers take;
// detail: the 1-based assertion. Errors: kInvalidArgument, kLimitExceeded.
Status check_new_assertion(const Assertion& assertion);
Status check_new_assertions(std::span<const NewAssertion> assertions);

// sign_assertion fills in `canonical` and the binding: a compact JWS over the hash of the canonical assertion and the
// aggregate. `key` null: HS256 under the file's key. The size of the signature depends on the key, the version and
// aggregate.size() only. Errors: kInvalidArgument for an assertion that is refused by check_new_assertion, and for a
// key that only verifies.
Status sign_assertion(Assertion& assertion, const AssertionKey* key, ByteView file_key, ByteView aggregate,
                      SpecVersion version);

// verify_assertions checks every assertion of the manifest: exactly the algorithm of the key that is chosen for its id
// (by id, else the fallback, else the file's key with HS256), header keys ignored. One without a binding fails, and so
// does the second of one id. That an assertion was taken out of the file is not seen: each stands for itself. Errors:
// kNotAuthentic (`where` begins with "tamper detected: assertion"), detail: the 1-based assertion.
Status verify_assertions(const Manifest& manifest, const AssertionKeys* keys, ByteView file_key, ByteView aggregate);

}  // namespace millrace::tdf
