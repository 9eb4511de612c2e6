// KeysetModel: a keyset as the readers fill it in and the writers take it, and the rules that make it one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/result.h"
#include "millrace/secret.h"
#include "millrace/tink_keyset.h"

namespace millrace::tink {

enum class KeyType : std::uint8_t { kOther, kAesGcmHkdfStreaming, kAesCtrHmacStreaming, kAesGcm };

inline constexpr std::string_view kAesGcmHkdfStreamingUrl =
    "type.googleapis.com/google.crypto.tink.AesGcmHkdfStreamingKey";
inline constexpr std::string_view kAesCtrHmacStreamingUrl =
    "type.googleapis.com/google.crypto.tink.AesCtrHmacStreamingKey";
inline constexpr std::string_view kAesGcmUrl = "type.googleapis.com/google.crypto.tink.AesGcmKey";

// The names of protobuf enum values; the index is the number.
inline constexpr std::string_view kStatusNames[] = {"UNKNOWN_STATUS", "ENABLED", "DISABLED", "DESTROYED"};
inline constexpr std::string_view kPrefixNames[] = {"UNKNOWN_PREFIX",     "TINK", "LEGACY", "RAW", "CRUNCHY",
                                                    "WITH_ID_REQUIREMENT"};
inline constexpr std::string_view kMaterialNames[] = {"UNKNOWN_KEYMATERIAL", "SYMMETRIC", "ASYMMETRIC_PRIVATE",
                                                      "ASYMMETRIC_PUBLIC", "REMOTE"};
inline constexpr std::uint32_t kMaterialSymmetric = 1;

// Key holds numbers as they were read; zero is protobuf's "unknown" and "absent".
struct Key {
  std::uint32_t id = 0;
  std::uint32_t status = 0;
  std::uint32_t prefix = 0;
  bool has_key_data = false;
  std::string type_url;
  std::uint32_t material = 0;
  SecretBytes value;              // the serialized key message, kept as it was read
  std::uint64_t data_offset = 0;  // of `value` in the input, for messages

  // Set by read_key_value.
  KeyType type = KeyType::kOther;
  StreamingParams params;  // of a streaming key
  std::size_t ikm_offset = 0, ikm_size = 0;

  bool has_status(KeyStatus s) const { return status == static_cast<std::uint32_t>(s); }
  ByteView ikm() const { return value.reveal().subspan(ikm_offset, ikm_size); }
};

struct KeysetModel {
  std::uint32_t primary_id = 0;
  std::vector<Key> keys;
};

bool is_streaming(KeyType type);

// read_key_value reads key.value into type, params and ikm, and checks them. A key of another type is left as it is.
Status read_key_value(Key& key);

// Fresh ENABLED keys; the id is for the caller to choose. Errors: as validate, kIo from the random generator.
Result<Key> new_streaming_key(const StreamingParams& params);
Result<Key> new_key_encryption_key();

// fits_template returns the name of the template that makes such keys, empty if there is none.
std::string_view fits_template(const Key& key);

// check_key_fields checks what stands beside the key material: status, prefix, type URL.
Status check_key_fields(const Key& key);
// check reads every key and applies the rules of a keyset. Errors: kMalformed, detail is the number of the key.
Status check(KeysetModel& model);

}  // namespace millrace::tink
