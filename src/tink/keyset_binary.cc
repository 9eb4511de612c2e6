//   Keyset           primary_key_id 1, key 2 (repeated)
//   Key              key_data 1, status 2, key_id 3, output_prefix_type 4
//   KeyData          type_url 1, value 2, key_material_type 3
//   EncryptedKeyset  encrypted_keyset 2, keyset_info 3
//   KeysetInfo       primary_key_id 1, key_info 2 (repeated)
//   KeyInfo          type_url 1, status 2, key_id 3, output_prefix_type 4
//
// Readers take fields in any order; of a repeated scalar the last counts, a repeated message is merged, unknown fields
// are skipped.
#include "tink/keyset_binary.h"

namespace millrace::tink {

namespace {

Status read_key_data(Located message, Key& key) {
  ProtoReader reader(message, "keyset: key.keyData");
  for (;;) {
    MR_TRY(const bool more, reader.next());
    if (!more) return Ok{};
    switch (reader.field()) {
      case 1: {
        MR_TRY(const Located url, reader.bytes("keyset: key.keyData.typeUrl"));
        key.type_url = as_text(url.bytes);
        break;
      }
      case 2: {
        MR_TRY(const Located value, reader.bytes("keyset: key.keyData.value"));
        key.value = SecretBytes::copy_of(value.bytes);
        key.data_offset = value.offset;
        break;
      }
      case 3: {
        MR_TRY(key.material, reader.varint32("keyset: key.keyData.keyMaterialType"));
        if (key.material >= std::size(kMaterialNames))
          return Error{ErrorCode::kMalformed, "keyset: key.keyData.keyMaterialType", message.offset};
        break;
      }
      default:
        MR_TRY(reader.skip());
    }
  }
}

// Key and KeyInfo differ in field 1 only.
enum class Entry { kKey, kKeyInfo };

Status read_entry(Located message, Entry entry, Key& key) {
  ProtoReader reader(message, "keyset: key");
  for (;;) {
    MR_TRY(const bool more, reader.next());
    if (!more) return Ok{};
    switch (reader.field()) {
      case 1: {
        MR_TRY(const Located first, reader.bytes("keyset: key.keyData"));
        if (entry == Entry::kKeyInfo) {
          key.type_url = as_text(first.bytes);
        } else {
          key.has_key_data = true;
          MR_TRY(read_key_data(first, key));
        }
        break;
      }
      case 2: {
        MR_TRY(key.status, reader.varint32("keyset: key.status"));
        break;
      }
      case 3: {
        MR_TRY(key.id, reader.varint32("keyset: key.keyId"));
        break;
      }
      case 4: {
        MR_TRY(key.prefix, reader.varint32("keyset: key.outputPrefixType"));
        break;
      }
      default:
        MR_TRY(reader.skip());
    }
  }
}

// Keyset and KeysetInfo have the same shape.
Status read_entries(Located message, Entry entry, KeysetModel& model) {
  ProtoReader reader(message, "keyset: binary form");
  for (;;) {
    MR_TRY(const bool more, reader.next());
    if (!more) return Ok{};
    switch (reader.field()) {
      case 1: {
        MR_TRY(model.primary_id, reader.varint32("keyset: primaryKeyId"));
        break;
      }
      case 2: {
        MR_TRY(const Located key, reader.bytes("keyset: key"));
        if (model.keys.size() == kMaxKeys)
          return Error{ErrorCode::kLimitExceeded, "keyset: number of keys", key.offset};
        if (const Status status = read_entry(key, entry, model.keys.emplace_back()); !status) {
          Error error = status.error();
          error.detail = static_cast<int>(model.keys.size());
          return error;
        }
        break;
      }
      default:
        MR_TRY(reader.skip());
    }
  }
}

Status check_size(ByteView input) {
  if (input.size() > kMaxKeysetSize) return Error{ErrorCode::kLimitExceeded, "keyset: size of the input"};
  return Ok{};
}

}  // namespace

Result<KeysetModel> read_binary(ByteView input) {
  MR_TRY(check_size(input));
  KeysetModel model;
  MR_TRY(read_entries({input, 0}, Entry::kKey, model));
  return model;
}

void write_binary(FormWriter& out, const KeysetModel& model) {
  out.number_field(1, model.primary_id);
  for (const Key& key : model.keys) {
    out.message_field(2, [&](FormWriter& fields) {
      if (key.has_key_data) {
        fields.message_field(1, [&](FormWriter& data) {
          data.bytes_field(1, as_bytes(key.type_url));
          data.bytes_field(2, key.value.reveal());
          data.number_field(3, key.material);
        });
      }
      fields.number_field(2, key.status);
      fields.number_field(3, key.id);
      fields.number_field(4, key.prefix);
    });
  }
}

Result<EncryptedParts> read_encrypted_binary(ByteView input) {
  MR_TRY(check_size(input));
  EncryptedParts parts;
  ProtoReader reader({input, 0}, "encrypted keyset: binary form");
  for (;;) {
    MR_TRY(const bool more, reader.next());
    if (!more) return parts;
    switch (reader.field()) {
      case 2: {
        MR_TRY(const Located encrypted, reader.bytes("encrypted keyset: encryptedKeyset"));
        parts.encrypted_keyset = encrypted.bytes;
        break;
      }
      case 3: {
        MR_TRY(const Located info, reader.bytes("encrypted keyset: keysetInfo"));
        parts.keyset_info.push_back(info);
        break;
      }
      default:
        parts.has_foreign_field = true;
        MR_TRY(reader.skip());
    }
  }
}

void write_encrypted_binary(FormWriter& out, ByteView encrypted_keyset) { out.bytes_field(2, encrypted_keyset); }

Result<KeysetModel> read_info_binary(const std::vector<Located>& pieces) {
  KeysetModel model;
  for (const Located& piece : pieces) MR_TRY(read_entries(piece, Entry::kKeyInfo, model));
  return model;
}

}  // namespace millrace::tink
