#include "tdf/assertion.h"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "crypto/hash.h"
#include "encoding/hex.h"
#include "encoding/utf8.h"
#include "millrace/base64.h"
#include "millrace/secret.h"
#include "tdf/assertion_json.h"
#include "tdf/json_members.h"
#include "tdf/jws.h"

namespace millrace::tdf {

namespace {

// Claims are what a token says: which assertion, and (with the aggregate of the segment hashes) of which payload.
struct Claims {
  std::string hash;       // "assertionHash": hexadecimal SHA-256 of the canonical text
  std::string signature;  // "assertionSig": base64 of aggregate | hash; the hash raw in 4.3.0, hexadecimal before
};

Result<Claims> claims_of(std::string_view canonical, ByteView aggregate, SpecVersion version) {
  MR_TRY(Hash sha256, Hash::create(HashAlgorithm::kSha256));
  std::array<std::byte, 32> digest;
  sha256.update(as_bytes(canonical));
  MR_TRY(sha256.finish(digest));
  Claims claims;
  claims.hash = hex_encode(digest);
  const ByteView hash = version == SpecVersion::k430 ? ByteView(digest) : as_bytes(claims.hash);
  std::vector<std::byte> signed_bytes(aggregate.begin(), aggregate.end());
  signed_bytes.insert(signed_bytes.end(), hash.begin(), hash.end());
  claims.signature = base64_encode(signed_bytes);
  return claims;
}

const AssertionKey& key_for(const Assertion& assertion, const AssertionKeys* keys, const AssertionKey& file_key) {
  if (keys == nullptr) return file_key;
  const auto own = keys->by_id.find(assertion.id);
  if (own != keys->by_id.end()) return own->second;
  return keys->fallback ? *keys->fallback : file_key;
}

bool equal_ignoring_case(std::string_view a, std::string_view lower) {
  return std::equal(a.begin(), a.end(), lower.begin(), lower.end(),
                    [](char x, char y) { return (x >= 'A' && x <= 'Z' ? x - 'A' + 'a' : x) == y; });
}

Status verify_assertion(const Assertion& assertion, const AssertionKey& key, ByteView aggregate, SpecVersion version) {
  const auto refuse = [](std::string_view where) { return Error{ErrorCode::kNotAuthentic, where}; };
  if (assertion.binding_signature.empty()) return refuse("tamper detected: assertion: no binding");
  if (!equal_ignoring_case(assertion.binding_method, "jws"))
    return refuse("tamper detected: assertion: binding method");
  MR_TRY(const std::string token, open_jws(key, assertion.binding_signature));
  const Result<Members> found = read_members(token);
  const std::string* hash = found ? text_of(*found, "assertionHash") : nullptr;
  const std::string* signature = found ? text_of(*found, "assertionSig") : nullptr;
  if (hash == nullptr || signature == nullptr) return refuse("tamper detected: assertion: claims");
  MR_TRY(const Claims expected, claims_of(assertion.canonical, aggregate, version));
  if (!equal_constant_time(as_bytes(*hash), as_bytes(expected.hash)))
    return refuse("tamper detected: assertion: it is not the one that was signed");
  if (!equal_constant_time(as_bytes(*signature), as_bytes(expected.signature)))
    return refuse("tamper detected: assertion: it was signed for another payload");
  return Ok{};
}

}  // namespace

Status check_new_assertion(const Assertion& assertion) {
  const auto refuse = [](std::string_view where) { return Error{ErrorCode::kInvalidArgument, where}; };
  if (assertion.id.empty()) return refuse("assertion: id");
  if (assertion.type != "handling" && assertion.type != "other") return refuse("assertion: type");
  if (assertion.scope != "tdo" && assertion.scope != "payload") return refuse("assertion: scope");
  const std::string_view state = assertion.applies_to_state;
  if (!state.empty() && state != "encrypted" && state != "unencrypted") return refuse("assertion: appliesToState");
  if (!utf8_is_valid(assertion.id)) return refuse("assertion: id");
  const Statement& statement = assertion.statement;
  for (const std::string_view text :
       {std::string_view(statement.format), std::string_view(statement.schema), std::string_view(statement.value)})
    if (!utf8_is_valid(text)) return refuse("assertion: statement");
  return Ok{};
}

Status check_new_assertions(std::span<const NewAssertion> assertions) {
  if (assertions.size() > ManifestLimits{}.max_assertions) return Error{ErrorCode::kLimitExceeded, "assertions"};
  std::set<std::string_view> ids;
  for (std::size_t i = 0; i < assertions.size(); ++i) {
    Status status = check_new_assertion(assertions[i].assertion);
    if (status && !ids.insert(assertions[i].assertion.id).second)
      status = Error{ErrorCode::kInvalidArgument, "assertion: id twice"};
    if (!status) {
      Error error = status.error();
      error.detail = static_cast<int>(i + 1);
      return error;
    }
  }
  return Ok{};
}

Status sign_assertion(Assertion& assertion, const AssertionKey* key, ByteView file_key, ByteView aggregate,
                      SpecVersion version) {
  MR_TRY(check_new_assertion(assertion));
  MR_TRY(assertion.canonical, canonical_assertion(assertion));
  MR_TRY(const Claims claims, claims_of(assertion.canonical, aggregate, version));
  // Both texts need no escapes.
  const std::string json =
      std::string(R"({"assertionHash":")") + claims.hash + R"(","assertionSig":")" + claims.signature + R"("})";
  std::optional<AssertionKey> from_file;
  if (key == nullptr) {
    MR_TRY(from_file, AssertionKey::hs256(file_key));
    key = &*from_file;
  }
  MR_TRY(assertion.binding_signature, sign_jws(*key, json));
  assertion.binding_method = "jws";
  return Ok{};
}

Status verify_assertions(const Manifest& manifest, const AssertionKeys* keys, ByteView file_key, ByteView aggregate) {
  MR_TRY(const AssertionKey key_of_file, AssertionKey::hs256(file_key));
  std::set<std::string_view> ids;
  for (std::size_t i = 0; i < manifest.assertions.size(); ++i) {
    const Assertion& assertion = manifest.assertions[i];
    Status status = verify_assertion(assertion, key_for(assertion, keys, key_of_file), aggregate, manifest.version);
    if (status && !assertion.id.empty() && !ids.insert(assertion.id).second)
      status = Error{ErrorCode::kNotAuthentic, "tamper detected: assertion: id twice"};
    if (!status) {
      Error error = status.error();
      error.detail = static_cast<int>(i + 1);
      return error;
    }
  }
  return Ok{};
}

}  // namespace millrace::tdf
