// The key messages inside KeyData.value: reading, checking, generating.
//
//   AesGcmHkdfStreamingKey  version 1, params 2 {segment size 1, derived size 2, HKDF hash 3}, key_value 3
//   AesCtrHmacStreamingKey  the same, and in params: hmac_params 4 {hash 1, tag size 2}
//   AesGcmKey               version 1, key_value 3
#include "crypto/random.h"
#include "tink/keyset_model.h"
#include "tink/keyset_proto.h"
#include "tink/keyset_writer.h"

namespace millrace::tink {

namespace {

// The union of the three messages, numbers as read. A field that a message does not have is skipped when it appears.
struct KeyMessage {
  std::uint32_t version = 0;
  std::uint32_t segment_size = 0, derived_key_size = 0, hkdf_hash = 0;
  std::uint32_t hmac_hash = 0, hmac_tag_size = 0;
  Located key_value;
};

Error malformed(std::string_view where, std::uint64_t offset) { return Error{ErrorCode::kMalformed, where, offset}; }

// The readers add to what is there: a message that is written in several pieces is merged, as protobuf demands.

Status read_hmac_params(Located message, KeyMessage& into) {
  ProtoReader reader(message, "streaming key: hmacParams");
  for (;;) {
    MR_TRY(const bool more, reader.next());
    if (!more) return Ok{};
    switch (reader.field()) {
      case 1: {
        MR_TRY(into.hmac_hash, reader.varint32("streaming key: hmacParams.hash"));
        break;
      }
      case 2: {
        MR_TRY(into.hmac_tag_size, reader.varint32("streaming key: hmacParams.tagSize"));
        break;
      }
      default:
        MR_TRY(reader.skip());
    }
  }
}

Status read_params(Located message, KeyType type, KeyMessage& into) {
  ProtoReader reader(message, "streaming key: params");
  for (;;) {
    MR_TRY(const bool more, reader.next());
    if (!more) return Ok{};
    const std::uint32_t field = reader.field();
    if (field == 1) {
      MR_TRY(into.segment_size, reader.varint32("streaming key: ciphertextSegmentSize"));
    } else if (field == 2) {
      MR_TRY(into.derived_key_size, reader.varint32("streaming key: derivedKeySize"));
    } else if (field == 3) {
      MR_TRY(into.hkdf_hash, reader.varint32("streaming key: hkdfHashType"));
    } else if (field == 4 && type == KeyType::kAesCtrHmacStreaming) {
      MR_TRY(const Located hmac_params, reader.bytes("streaming key: hmacParams"));
      MR_TRY(read_hmac_params(hmac_params, into));
    } else {
      MR_TRY(reader.skip());
    }
  }
}

Result<KeyMessage> read_message(Located message, KeyType type) {
  KeyMessage key;
  ProtoReader reader(message, "keyset: key.keyData.value");
  for (;;) {
    MR_TRY(const bool more, reader.next());
    if (!more) return key;
    const std::uint32_t field = reader.field();
    if (field == 1) {
      MR_TRY(key.version, reader.varint32("keyset: key.keyData.value: version"));
    } else if (field == 2 && is_streaming(type)) {
      MR_TRY(const Located params, reader.bytes("streaming key: params"));
      MR_TRY(read_params(params, type, key));
    } else if (field == 3) {
      MR_TRY(key.key_value, reader.bytes("keyset: key.keyData.value: keyValue"));
    } else {
      MR_TRY(reader.skip());
    }
  }
}

KeyType type_of(std::string_view type_url) {
  if (type_url == kAesGcmHkdfStreamingUrl) return KeyType::kAesGcmHkdfStreaming;
  if (type_url == kAesCtrHmacStreamingUrl) return KeyType::kAesCtrHmacStreaming;
  if (type_url == kAesGcmUrl) return KeyType::kAesGcm;
  return KeyType::kOther;
}

// hash_type answers the numbers that streaming keys may use; SHA224 and SHA384 exist but are refused, as upstream does.
Result<HashType> hash_type(std::uint32_t number, std::string_view where, std::uint64_t offset) {
  for (const HashType hash : {HashType::kSha1, HashType::kSha256, HashType::kSha512})
    if (number == static_cast<std::uint32_t>(hash)) return hash;
  return malformed(where, offset);
}

Status take_params(const KeyMessage& message, Key& key) {
  StreamingParams& params = key.params;
  params.derived_key_size = message.derived_key_size;
  params.ciphertext_segment_size = message.segment_size;
  MR_TRY(params.hkdf_hash, hash_type(message.hkdf_hash, "streaming key: hkdfHashType", key.data_offset));
  if (key.type == KeyType::kAesCtrHmacStreaming) {
    params.construction = Construction::kAesCtrHmac;
    params.hmac_tag_size = message.hmac_tag_size;
    MR_TRY(params.hmac_hash, hash_type(message.hmac_hash, "streaming key: hmacParams.hash", key.data_offset));
  }
  if (const Status status = validate(params, key.ikm_size); !status)
    return malformed(status.error().where, key.data_offset);
  return Ok{};
}

Result<Key> fresh_key(std::string_view type_url, OutputPrefix prefix, SecretBytes value) {
  Key key;
  key.status = static_cast<std::uint32_t>(KeyStatus::kEnabled);
  key.prefix = static_cast<std::uint32_t>(prefix);
  key.has_key_data = true;
  key.type_url = type_url;
  key.material = kMaterialSymmetric;
  key.value = std::move(value);
  MR_TRY(read_key_value(key));
  return key;
}

}  // namespace

Status read_key_value(Key& key) {
  key.type = type_of(key.type_url);
  if (key.type == KeyType::kOther) return Ok{};
  MR_TRY(const KeyMessage message, read_message({key.value.reveal(), key.data_offset}, key.type));
  if (message.version != 0) return malformed("keyset: key.keyData.value: version", key.data_offset);
  const ByteView ikm = message.key_value.bytes;
  key.ikm_size = ikm.size();
  key.ikm_offset = ikm.empty() ? 0 : static_cast<std::size_t>(ikm.data() - key.value.reveal().data());
  if (is_streaming(key.type)) return take_params(message, key);
  if (ikm.size() != 16 && ikm.size() != 32) return malformed("keyset: AES-GCM key: keyValue", key.data_offset);
  return Ok{};
}

Result<Key> new_streaming_key(const StreamingParams& params) {
  MR_TRY(validate(params, params.derived_key_size));
  MR_TRY(const SecretBytes ikm, random_secret(params.derived_key_size));
  const bool ctr = params.construction == Construction::kAesCtrHmac;
  SecretBytes value = write_secret([&](FormWriter& out) {
    out.message_field(2, [&](FormWriter& fields) {
      fields.number_field(1, params.ciphertext_segment_size);
      fields.number_field(2, params.derived_key_size);
      fields.number_field(3, static_cast<std::uint32_t>(params.hkdf_hash));
      if (!ctr) return;
      fields.message_field(4, [&](FormWriter& hmac) {
        hmac.number_field(1, static_cast<std::uint32_t>(params.hmac_hash));
        hmac.number_field(2, params.hmac_tag_size);
      });
    });
    out.bytes_field(3, ikm.reveal());
  });
  return fresh_key(ctr ? kAesCtrHmacStreamingUrl : kAesGcmHkdfStreamingUrl, OutputPrefix::kRaw, std::move(value));
}

Result<Key> new_key_encryption_key() {
  MR_TRY(const SecretBytes key_value, random_secret(32));
  return fresh_key(kAesGcmUrl, OutputPrefix::kTink,
                   write_secret([&](FormWriter& out) { out.bytes_field(3, key_value.reveal()); }));
}

std::string_view fits_template(const Key& key) {
  if (key.type == KeyType::kAesGcm) return key.ikm_size == 32 ? kKeyEncryptionTemplate : std::string_view();
  if (!is_streaming(key.type)) return {};
  for (const Template& t : templates())
    if (t.params == key.params && key.ikm_size == t.params.derived_key_size) return t.name;
  return {};
}

}  // namespace millrace::tink
