// The key of a TDF file: split into shares, wrapped for targets, bound to the policy, and recovered.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/bytes.h"
#include "millrace/result.h"
#include "millrace/secret.h"
#include "millrace/tdf.h"

namespace millrace::tdf {

inline constexpr std::size_t kKeySize = 32;  // of the file's key, and of each share

// The `where` of a share that did not open. A key access server does not tell the two apart either.
inline constexpr std::string_view kWrongOrAlteredKey =
    "tamper detected: wrapped key, or it is for another key (see kid)";

// wrap_key makes the key access objects of a new file: one share for all targets (kAny, no sid) or one share for each
// (kAll, sids "1", "2", ...; no sid for a lone one), each wrapped, bound to `policy` (base64) and carrying `metadata`
// if there is any. The objects of one options' targets always have the same sizes as JSON, whatever the key.
//
// Errors: kInvalidArgument for no target, for a URL that is not plain http or https with a host and perhaps a path, for
// control characters in a kid, for a target without a key, and for alternatives with one URL (the web SDK refuses
// those); kLimitExceeded for more targets than readers take. `key` has 32 bytes.
Result<std::vector<KeyAccessObject>> wrap_key(ByteView key, const std::vector<KasTarget>& targets, Split split,
                                              std::string_view policy, std::string_view metadata);

// policy_binding is base64 of the lower-case hexadecimal HMAC-SHA-256 of the policy's base64 text under the share.
Result<std::string> policy_binding(ByteView share, std::string_view policy);
// check_policy_binding takes the hexadecimal form and the raw one. kNotAuthentic ("tamper detected: policy binding").
Status check_policy_binding(const KeyAccessObject& object, ByteView share, std::string_view policy);

struct RecoveredKey {
  SecretBytes key;
  std::optional<std::string> metadata;
};
// recover_key gets one share for each sid, checks its binding, and combines them. A share that fails does not matter
// while another object of its sid works; of several good ones the first counts. Objects without sid are one group.
// Metadata must be the same under all shares that are used, but it can be removed unseen.
//
// Errors: kNotAuthentic when a sid has no share, kIo when that is because the environment failed; `failures` gets every
// reason, also those that did not matter.
Result<RecoveredKey> recover_key(const Manifest& manifest, const KeyAccess& keys, std::vector<AccessFailure>* failures);

// Metadata under a share: base64 of {"ciphertext": base64(iv | ct | tag), "iv": base64(iv)}.
Result<std::string> seal_metadata(ByteView share, std::string_view metadata);
Result<std::string> open_metadata(ByteView share, std::string_view encrypted_metadata);

}  // namespace millrace::tdf
