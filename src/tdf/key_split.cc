#include "tdf/key_split.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "crypto/random.h"
#include "tdf/key_wrap.h"

namespace millrace::tdf {

namespace {

void xor_into(ByteSpan to, ByteView from) {
  MR_CHECK(to.size() == from.size());
  for (std::size_t i = 0; i < to.size(); ++i) to[i] ^= from[i];
}

bool has_controls(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

// is_authority takes a host, perhaps in brackets, and perhaps a port from 1 to 65535.
bool is_authority(std::string_view text) {
  const std::size_t host = text.starts_with('[') ? text.find(']') + 1 : std::min(text.find(':'), text.size());
  const std::string_view rest = text.substr(host);
  if (host == 0) return false;
  if (rest.empty()) return true;
  std::uint32_t port = 0;
  for (const char c : rest.substr(1)) {
    if (c < '0' || c > '9' || port > 65535) return false;
    port = port * 10 + static_cast<std::uint32_t>(c - '0');
  }
  return rest[0] == ':' && port > 0 && port <= 65535;
}

// is_kas_url takes http or https, a host, and perhaps a port and a path. Readers send their tokens there, so nothing
// that two of them could read differently is let through: user names, queries, fragments, backslashes, blanks.
bool is_kas_url(std::string_view url) {
  const std::string_view scheme = url.substr(0, url.starts_with("https://") ? 8 : 7);
  if (scheme != "https://" && scheme != "http://") return false;
  const std::string_view rest = url.substr(scheme.size());
  const bool plain = std::all_of(rest.begin(), rest.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  return plain && rest.find_first_of("@?#\\\"<>^`{|}") == std::string_view::npos &&
         is_authority(rest.substr(0, rest.find('/')));
}

Status check_targets(const std::vector<KasTarget>& targets) {
  const auto refuse = [](std::string_view where, std::size_t i) {
    return Error{ErrorCode::kInvalidArgument, where, 0, static_cast<int>(i + 1)};
  };
  if (targets.empty()) return Error{ErrorCode::kInvalidArgument, "key access: no target"};
  if (targets.size() > ManifestLimits{}.max_key_access) return Error{ErrorCode::kLimitExceeded, "key access: targets"};
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (!is_kas_url(targets[i].url)) return refuse("key access: KAS URL", i);
    if (has_controls(targets[i].kid)) return refuse("key access: kid", i);
  }
  return Ok{};
}

// split_key makes the shares: all but the last are random, the last is what the XOR still lacks.
Result<std::vector<SecretBytes>> split_key(ByteView key, std::size_t n) {
  std::vector<SecretBytes> shares;
  shares.reserve(n);
  SecretBytes last = SecretBytes::copy_of(key);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    MR_TRY(SecretBytes share, random_secret(kKeySize));
    xor_into(last.fill(), share.reveal());
    shares.push_back(std::move(share));
  }
  shares.push_back(std::move(last));
  return shares;
}

// printable is text of a manifest in a message: cut, and ASCII without what could command a terminal.
std::string printable(std::string_view text) {
  constexpr std::size_t kMost = 200;
  std::string out(text.substr(0, kMost));
  for (char& c : out)
    if (!(c >= 0x20 && c < 0x7f)) c = '?';
  return text.size() > kMost ? out + "..." : out;
}

std::string explain(std::size_t i, const KeyAccessObject& object, std::string_view reason) {
  std::string text = "key access " + std::to_string(i + 1) + " (" + printable(object.type);
  if (!object.kid.empty()) text += ", kid " + printable(object.kid);
  text += ", " + printable(object.url) + "): ";
  text += reason;
  return text;
}

// no_share is the error for a sid, from that of one of its objects. Text that is damaged so that it cannot be read is
// altered text; and a caller's missing key is a wrong key. What the environment did is passed on.
Error no_share(const AccessFailure& failure) {
  Error error = failure.error;
  switch (error.code) {
    case ErrorCode::kMalformed:
      error = {ErrorCode::kNotAuthentic, kWrongOrAlteredKey};
      break;
    case ErrorCode::kInvalidArgument:
      error = {ErrorCode::kNotAuthentic, "key access: no key at hand that could open the file"};
      break;
    default:
      break;
  }
  if (error.code != ErrorCode::kIo) error.detail = static_cast<int>(failure.object + 1);
  return error;
}

// The failure that says most about a sid: of the environment, then of what was tried, then of what could not be tried.
int weight(const AccessFailure& failure) {
  switch (failure.error.code) {
    case ErrorCode::kIo:
      return 3;
    case ErrorCode::kNotAuthentic:
      return 2;
    case ErrorCode::kMalformed:
      return 1;
    default:
      return 0;
  }
}

// combine_metadata opens what stands with the shares in use. All of them must say the same: readers differ in which one
// they take. Objects without metadata do not matter, as anybody can remove it.
Result<std::optional<std::string>> combine_metadata(const Manifest& manifest,
                                                    const std::vector<KeyAccess::Share>& shares,
                                                    const std::vector<std::size_t>& used) {
  std::optional<std::string> metadata;
  for (const std::size_t i : used) {
    const std::string& encrypted = manifest.key_access[i].encrypted_metadata;
    if (encrypted.empty()) continue;
    MR_TRY(std::string text, open_metadata(shares[i].bytes->reveal(), encrypted));
    if (metadata && *metadata != text) return Error{ErrorCode::kNotAuthentic, "tamper detected: encrypted metadata"};
    metadata = std::move(text);
  }
  if (metadata && metadata->empty()) metadata.reset();  // the web SDK's way to say that there is none
  return metadata;
}

}  // namespace

Result<std::vector<KeyAccessObject>> wrap_key(ByteView key, const std::vector<KasTarget>& targets, Split split,
                                              std::string_view policy, std::string_view metadata) {
  MR_CHECK(key.size() == kKeySize);
  MR_TRY(check_targets(targets));
  const std::size_t share_count = split == Split::kAll ? targets.size() : 1;
  MR_TRY(const std::vector<SecretBytes> shares, split_key(key, share_count));
  std::vector<KeyAccessObject> objects;
  objects.reserve(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const ByteView share = shares[split == Split::kAll ? i : 0].reveal();
    KeyAccessObject& object = objects.emplace_back();
    MR_TRY(const PublicKey public_key, PublicKey::parse(as_bytes(targets[i].key.pem())));
    MR_TRY(wrap_share(public_key, share, object));
    object.url = targets[i].url;
    object.protocol = "kas";
    object.kid = targets[i].kid;
    if (share_count > 1) object.sid = std::to_string(i + 1);
    object.binding_algorithm = "HS256";
    MR_TRY(object.binding_hash, policy_binding(share, policy));
    if (!metadata.empty()) {
      MR_TRY(object.encrypted_metadata, seal_metadata(share, metadata));
    }
    object.schema_version = "1.0";
  }
  return objects;
}

Result<RecoveredKey> recover_key(const Manifest& manifest, const KeyAccess& keys,
                                 std::vector<AccessFailure>* failures) {
  const std::vector<KeyAccessObject>& objects = manifest.key_access;
  if (objects.empty()) return Error{ErrorCode::kMalformed, "key access: none"};
  const std::vector<KeyAccess::Share> shares = keys.unwrap(manifest.policy, objects);
  if (shares.size() != objects.size()) return Error{ErrorCode::kInvalidArgument, "key access: number of answers"};

  struct Group {
    std::optional<std::size_t> used;  // the first object whose share is good
    std::optional<AccessFailure> failure;
  };
  std::map<std::string_view, Group> groups;  // by sid
  const auto note = [&](std::size_t i, Group& group, const Error& error, std::string_view reason) {
    const AccessFailure failure{i, error, explain(i, objects[i], reason)};
    if (failures != nullptr) failures->push_back(failure);
    if (!group.failure || weight(failure) > weight(*group.failure)) group.failure = failure;
  };
  for (std::size_t i = 0; i < objects.size(); ++i) {
    Group& group = groups[objects[i].sid];
    const KeyAccess::Share& share = shares[i];
    if (!share.bytes) {
      if (share.error.where != KeyAccess::kNotNeeded) note(i, group, share.error, share.explanation);
    } else if (share.bytes->size() != kKeySize) {
      note(i, group, {ErrorCode::kNotAuthentic, kWrongOrAlteredKey}, "its share of the key has not 32 bytes");
    } else if (!group.used) {
      const Status bound = check_policy_binding(objects[i], share.bytes->reveal(), manifest.policy);
      if (bound) {
        group.used = i;
      } else {
        note(i, group, bound.error(), "the policy binding is not right: the policy or the binding was altered");
      }
    }
  }

  RecoveredKey recovered{SecretBytes(kKeySize), std::nullopt};
  std::vector<std::size_t> used;
  const auto share_of = [&](std::size_t i) { return shares[i].bytes->reveal(); };
  for (const auto& [sid, group] : groups) {
    if (!group.used) {
      if (group.failure) return no_share(*group.failure);
      return Error{ErrorCode::kInvalidArgument, "key access: a needed object was left out"};
    }
    const ByteView share = share_of(*group.used);
    // Shares are random. Alternatives that were given different sids would cancel out to a key that everybody knows.
    for (const std::size_t other : used)
      if (equal_constant_time(share, share_of(other)))
        return Error{ErrorCode::kNotAuthentic, "tamper detected: key access: one share under two sids"};
    xor_into(recovered.key.fill(), share);
    used.push_back(*group.used);
  }
  MR_TRY(recovered.metadata, combine_metadata(manifest, shares, used));
  return recovered;
}

}  // namespace millrace::tdf
