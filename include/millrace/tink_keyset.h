// Tink keysets: which keys there are, which one encrypts, and how they are stored (docs/formats/tink-keysets.md).
//
// A keyset is read and written as JSON or as a binary protobuf message, in the clear or sealed under a key-encryption
// key. Cleartext functions are the only ones that yield key bytes: parse*, to_json, to_binary, streaming_keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/bytes.h"
#include "millrace/result.h"
#include "millrace/secret.h"

namespace millrace::tink {

enum class Construction : std::uint8_t { kAesGcmHkdf, kAesCtrHmac };
// The numbers are those of Tink's protobuf enums; what is missing here is refused.
enum class HashType : std::uint8_t { kSha1 = 1, kSha256 = 3, kSha512 = 4 };
enum class KeyStatus : std::uint8_t { kEnabled = 1, kDisabled = 2, kDestroyed = 3 };
enum class OutputPrefix : std::uint8_t { kTink = 1, kLegacy = 2, kRaw = 3, kCrunchy = 4 };
enum class Format : std::uint8_t { kJson, kBinary };

// The names that the JSON form and tinkey use: "ENABLED", "RAW", "SHA256".
std::string_view to_text(KeyStatus status);
std::string_view to_text(OutputPrefix prefix);
std::string_view to_text(HashType hash);

// Limits on input; beyond them a parser answers kLimitExceeded.
inline constexpr std::size_t kMaxKeysetSize = std::size_t{4} << 20;  // bytes of either form, clear or encrypted
inline constexpr std::size_t kMaxKeys = 4096;                        // per keyset
inline constexpr std::size_t kMaxJsonDepth = 100;                    // as tink-java

// StreamingParams says how a streaming key is used. `hmac_hash` and `hmac_tag_size` belong to AES-CTR-HMAC; with
// AES-GCM-HKDF they mean nothing and comparison ignores them.
struct StreamingParams {
  Construction construction = Construction::kAesGcmHkdf;
  std::uint32_t derived_key_size = 0;         // bytes of the AES key and of the salt: 16 or 32
  std::uint32_t ciphertext_segment_size = 0;  // bytes, tag included
  HashType hkdf_hash = HashType::kSha256;
  HashType hmac_hash = HashType::kSha256;
  std::uint32_t hmac_tag_size = 0;  // bytes: 10 up to the digest size

  friend bool operator==(const StreamingParams& a, const StreamingParams& b);
};

// validate accepts what all Tink libraries agree on: derived size 16 or 32, key material at least that long, a segment
// that holds one plaintext byte behind the header and at most 2^31-1 bytes, a tag of 10 bytes up to the digest size.
// Errors: kInvalidArgument, `where` names the field.
Status validate(const StreamingParams& params, std::size_t ikm_size);

// Template is a predefined set of parameters under the name that tinkey and the Java and Python libraries use. Its key
// material has derived_key_size bytes and its output prefix is RAW.
struct Template {
  std::string_view name;
  StreamingParams params;
};
std::span<const Template> templates();
// find_template takes the exact name; nullptr when there is none.
const Template* find_template(std::string_view name);

// The template of key-encryption keys. It is not in templates(): such keys encrypt keysets, not streams.
inline constexpr std::string_view kKeyEncryptionTemplate = "AES256_GCM";

// KeyInfo is what may be shown of a key.
struct KeyInfo {
  std::uint32_t id = 0;
  KeyStatus status = KeyStatus::kEnabled;
  OutputPrefix prefix = OutputPrefix::kRaw;
  bool is_primary = false;
  std::string type_url;
  std::optional<StreamingParams> params;  // of a streaming key whose material is there
  std::string_view template_name;         // of templates() or kKeyEncryptionTemplate; empty if none fits
};

// StreamingKey is a key ready for use. `ikm` lies in the keyset it came from.
struct StreamingKey {
  std::uint32_t id = 0;
  StreamingParams params;
  ByteView ikm;
};
struct StreamingKeys {
  std::vector<StreamingKey> enabled;  // in keyset order, at least one
  std::size_t primary = 0;            // index of the key that encrypts

  const StreamingKey& primary_key() const { return enabled[primary]; }
};

class KeyWrapper;

// Keyset holds keys and the choice of the primary one. At any time it has at least one key, its ids are unique, and
// the primary is ENABLED. A moved-from keyset may only be assigned or destroyed.
class Keyset {
 public:
  // generate makes a keyset of one fresh key with a random id.
  static Result<Keyset> generate(const Template& key_template);
  // generate_key_encryption makes a keyset of one AES256_GCM key (output prefix TINK) for AesGcmKeyWrapper.
  static Result<Keyset> generate_key_encryption();

  // parse reads a cleartext keyset: JSON when the first byte that is not blank is '{', else binary. Parameters of
  // streaming keys are checked here, whatever the status of the key; keys of types unknown to us are kept.
  // Errors: kMalformed or kLimitExceeded; `detail` is the number of the key (from 1) and `offset` a byte of the input.
  static Result<Keyset> parse(ByteView input);
  static Result<Keyset> parse_json(ByteView input);
  static Result<Keyset> parse_binary(ByteView input);

  // unseal opens an encrypted keyset of either form. Errors: kNotAuthentic for another key, other associated data or
  // altered bytes; kMalformed when the input, or what was inside it, is not a keyset. Offsets of the latter count from
  // the beginning of the decrypted keyset.
  static Result<Keyset> unseal(ByteView input, const KeyWrapper& wrapper, ByteView associated_data = {});
  // seal encrypts the keyset. tinkey can only read what was sealed with empty associated data. The JSON form tells
  // ids, types and statuses in the clear (keysetInfo); the binary form, as upstream writes it, does not.
  Result<std::vector<std::byte>> seal(const KeyWrapper& wrapper, ByteView associated_data, Format format) const;

  Keyset(Keyset&&) noexcept;
  Keyset& operator=(Keyset&&) noexcept;
  ~Keyset();

  // The cleartext forms, byte for byte as tink-java writes them; JSON ends with a newline. Serialized keys, key
  // material types and output prefixes are written as they were read.
  SecretBytes to_json() const;
  SecretBytes to_binary() const;

  std::vector<KeyInfo> info() const;
  std::uint32_t primary_id() const;

  // streaming_keys is what a streaming primitive is built from: the ENABLED keys. It borrows from this keyset, which
  // must outlive it unchanged. Errors: kInvalidArgument when an ENABLED key is of another kind.
  Result<StreamingKeys> streaming_keys() const;

  // add generates a key, ENABLED and not primary, and returns its id. Errors: kInvalidArgument when the keyset holds
  // keys of the other kind (a stream key cannot encrypt keysets), kLimitExceeded at kMaxKeys.
  Result<std::uint32_t> add(const Template& key_template);
  Result<std::uint32_t> add_key_encryption();

  // Management of the key with this id; a refused call changes nothing (kInvalidArgument).
  Status promote(std::uint32_t id);  // ENABLED keys only
  Status enable(std::uint32_t id);   // ENABLED or DISABLED keys only
  Status disable(std::uint32_t id);  // likewise; not the primary
  Status remove(std::uint32_t id);   // not the primary

 private:
  friend class AesGcmKeyWrapper;
  struct State;
  explicit Keyset(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// KeyWrapper encrypts keysets; it is the seam for a key management service. Implementations are safe to call from many
// threads.
class KeyWrapper {
 public:
  virtual ~KeyWrapper() = default;
  virtual Result<std::vector<std::byte>> wrap(ByteView key, ByteView associated_data) const = 0;
  // Errors: kNotAuthentic for a wrong key, wrong associated data and altered bytes alike.
  virtual Result<SecretBytes> unwrap(ByteView wrapped, ByteView associated_data) const = 0;
};

// AesGcmKeyWrapper wraps with the primary key of a Tink AES-GCM keyset and unwraps with any of its ENABLED keys.
//
//   wrapped = prefix (0 or 5) | nonce (12) | ciphertext | tag (16)
//   prefix: TINK 1 and the key id, LEGACY and CRUNCHY 0 and the key id (4 bytes, big-endian), RAW nothing
class AesGcmKeyWrapper final : public KeyWrapper {
 public:
  // create copies what it needs. Errors: kInvalidArgument when an ENABLED key is not an AES-GCM key of 16 or 32 bytes.
  static Result<AesGcmKeyWrapper> create(const Keyset& key_encryption_keyset);
  AesGcmKeyWrapper(AesGcmKeyWrapper&&) noexcept;
  AesGcmKeyWrapper& operator=(AesGcmKeyWrapper&&) noexcept;
  ~AesGcmKeyWrapper() override;

  Result<std::vector<std::byte>> wrap(ByteView key, ByteView associated_data) const override;
  Result<SecretBytes> unwrap(ByteView wrapped, ByteView associated_data) const override;

 private:
  struct State;
  explicit AesGcmKeyWrapper(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// is_encrypted_keyset tells whether the input has the shape of an encrypted keyset, of either form.
bool is_encrypted_keyset(ByteView input);

// KeysetInfo is the unencrypted description beside an encrypted keyset. Nobody vouches for it: show it, never act on
// it.
struct KeysetInfo {
  std::uint32_t primary_id = 0;
  std::vector<KeyInfo> keys;  // without params
};
// read_keyset_info returns nothing when the encrypted keyset carries no description.
Result<std::optional<KeysetInfo>> read_keyset_info(ByteView encrypted);

}  // namespace millrace::tink
