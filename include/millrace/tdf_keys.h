// Keys of TDF files: whom a file is for, who opens it, and what signs its assertions (docs/formats/tdf.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/bytes.h"
#include "millrace/result.h"
#include "millrace/secret.h"
#include "millrace/tdf_manifest.h"

namespace millrace::tdf {

// KasPublicKey is a key access server's public key, or a lone user's. A value; safe to share between threads.
class KasPublicKey {
 public:
  // parse reads SPKI or an X.509 certificate, PEM or DER. RSA of 2048..8192 bits and P-256, P-384, P-521 are taken.
  // Errors: kMalformed; kInvalidArgument for a key of another kind or a weaker one.
  static Result<KasPublicKey> parse(ByteView pem_or_der);
  // "rsa:2048", "rsa:4096", "ec:secp256r1", "ec:secp384r1", "ec:secp521r1".
  const std::string& algorithm() const { return algorithm_; }
  bool is_ec() const { return algorithm_.starts_with("ec:"); }
  const std::string& pem() const { return pem_; }  // SPKI, whatever it was read from

 private:
  std::string algorithm_;
  std::string pem_;
};

// KasTarget is one key that a new file can be opened with.
struct KasTarget {
  std::string url;
  std::string kid;
  KasPublicKey key;
};

// generate_key_pair makes "rsa:2048", "rsa:4096", "ec:secp256r1", "ec:secp384r1" or "ec:secp521r1", as PEM: SPKI and
// PKCS#8 (not encrypted). Errors: kInvalidArgument for another name.
struct KeyPair {
  std::string public_key;
  SecretBytes private_key;
};
Result<KeyPair> generate_key_pair(std::string_view algorithm);

// KeyAccess recovers the shares of a file's key: from a private key at hand, or from a key access server. What it
// returns is believed only after the policy binding was checked under it. Safe from many threads if it says so.
class KeyAccess {
 public:
  struct Share {
    std::optional<SecretBytes> bytes;  // 32
    Error error;                       // why there are none
    std::string explanation;           // for people: "no private key for kid r1"; never anything secret
  };
  virtual ~KeyAccess() = default;
  static constexpr std::string_view kNotNeeded = "not needed";
  // unwrap tries all objects and answers in their order. It may leave out (kInvalidArgument, kNotNeeded) an object
  // when another one with the same sid has given a share whose policy binding holds. `policy` is the manifest's base64
  // text.
  virtual std::vector<Share> unwrap(std::string_view policy, std::span<const KeyAccessObject> objects) const = 0;
};

// LocalKeyAccess opens shares with private keys at hand, offline. const calls are safe from many threads.
class LocalKeyAccess final : public KeyAccess {
 public:
  LocalKeyAccess();
  LocalKeyAccess(LocalKeyAccess&&) noexcept;
  LocalKeyAccess& operator=(LocalKeyAccess&&) noexcept;
  ~LocalKeyAccess() override;

  // add takes an RSA or EC private key, PEM or DER (PKCS#8, PKCS#1 or SEC 1), not encrypted. A key with a kid is tried
  // first on objects with that kid; every key is tried on every object of its kind in the end, as kids are hints.
  // Errors: kMalformed; kInvalidArgument for another kind of key or one that needs a passphrase.
  Status add(ByteView private_key, std::string kid = {});
  std::vector<Share> unwrap(std::string_view policy, std::span<const KeyAccessObject> objects) const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// AssertionKey signs or verifies assertions: HS256 with any secret, RS256 with a PEM key. Move-only.
class AssertionKey {
 public:
  static Result<AssertionKey> hs256(ByteView secret);              // at least 1 byte; Java wants 32
  static Result<AssertionKey> rs256_private(ByteView pem_or_der);  // signs and verifies
  static Result<AssertionKey> rs256_public(ByteView pem_or_der);   // verifies only; SPKI or certificate
  AssertionKey(AssertionKey&&) noexcept;
  AssertionKey& operator=(AssertionKey&&) noexcept;
  ~AssertionKey();

  std::string_view algorithm() const;  // "HS256" or "RS256"

  struct State;
  const State& state() const { return *state_; }

 private:
  explicit AssertionKey(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// NewAssertion is one to add to a file, with its own key or (none) the file's.
struct NewAssertion {
  Assertion assertion;
  std::optional<AssertionKey> key;
};
// parse_new_assertions reads what `--with-assertions` takes: a JSON array of assertions without binding, each
// optionally with "signingKey": {"alg": "HS256"|"RS256", "key": TEXT}. An HS256 key is the ASCII bytes of its text, not
// what they may decode to; an RS256 key is PEM. A statement's value that is an object becomes its canonical text.
// Members that are not known are refused. A key's text passes through the JSON parser's buffers, which are not
// cleansed. Errors: kMalformed, kLimitExceeded, kInvalidArgument (a doubled or empty id, a key of another kind),
// detail: the 1-based assertion.
Result<std::vector<NewAssertion>> parse_new_assertions(ByteView json);
// system_metadata_assertion is the SDKs' built-in one ("system-metadata"), signed with the file's key.
// `creation_date` is RFC 3339.
NewAssertion system_metadata_assertion(std::string_view creation_date);

// AssertionKeys says which key verifies which assertion: by id, else the fallback, else the file's key (HS256). Keys
// that a token carries in its header are never used.
struct AssertionKeys {
  std::map<std::string, AssertionKey, std::less<>> by_id;
  std::optional<AssertionKey> fallback;
};
// parse_assertion_keys reads {"keys": {"<id>": {"alg": "RS256", "key": "PEM"}}}; "Keys" too. RS256 keys are public ones
// or certificates. Errors as parse_new_assertions.
Result<AssertionKeys> parse_assertion_keys(ByteView json);

}  // namespace millrace::tdf
