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

// wrap_key makes the key access objects of a new file: one share for all targets (kAny, no sid or one sid) or one share
// for each (kAll), each wrapped, bound to `policy` (base64) and carrying `metadata` if there is any. The objects of one
// options' targets always have the same sizes as JSON, whatever the key.
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
// while another object of its sid works. Errors: kNotAuthentic when a sid has no share; `failures` gets every reason.
Result<RecoveredKey> recover_key(const Manifest& manifest, const KeyAccess& keys, std::vector<AccessFailure>* failures);

// Metadata under a share: base64 of {"ciphertext": base64(iv | ct | tag), "iv": base64(iv)}.
Result<std::string> seal_metadata(ByteView share, std::string_view metadata);
Result<std::string> open_metadata(ByteView share, std::string_view encrypted_metadata);

}  // namespace millrace::tdf
