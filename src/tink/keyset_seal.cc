// Encrypted keysets: the binary keyset under a key-encryption key, and the description beside it.
#include "tink/keyset_binary.h"
#include "tink/keyset_json.h"
#include "tink/keyset_state.h"

namespace millrace::tink {

namespace {

// read_encrypted returns the ciphertext of either form.
Result<SecretBytes> read_encrypted(ByteView input) {
  if (is_json(input)) return read_encrypted_json(input);
  MR_TRY(const EncryptedParts parts, read_encrypted_binary(input));
  if (!parts.encrypted_keyset) return Error{ErrorCode::kMalformed, "encrypted keyset: encryptedKeyset: missing"};
  return SecretBytes::copy_of(*parts.encrypted_keyset);
}

Result<std::optional<KeysetModel>> read_info(ByteView input) {
  if (is_json(input)) return read_info_json(input);
  MR_TRY(const EncryptedParts parts, read_encrypted_binary(input));
  if (parts.keyset_info.empty()) return std::optional<KeysetModel>();
  MR_TRY(KeysetModel model, read_info_binary(parts.keyset_info));
  return std::optional<KeysetModel>(std::move(model));
}

}  // namespace

bool is_encrypted_keyset(ByteView input) {
  if (is_json(input)) return read_encrypted_json(input).has_value();
  // Both messages are a field 2 with a length. A Keyset has a field 1 besides, which EncryptedKeyset does not have,
  // except when its primary id is 0; such a one can be read as a keyset, which ciphertext cannot.
  const Result<EncryptedParts> parts = read_encrypted_binary(input);
  return parts && parts->encrypted_keyset && !parts->has_foreign_field && !Keyset::parse_binary(input);
}

Result<std::vector<std::byte>> Keyset::seal(const KeyWrapper& wrapper, ByteView associated_data, Format format) const {
  const SecretBytes cleartext = to_binary();
  MR_TRY(const std::vector<std::byte> wrapped, wrapper.wrap(cleartext.reveal(), associated_data));
  return write_public([&](FormWriter& out) {
    if (format == Format::kJson) {
      write_encrypted_json(out, wrapped, state_->model);
    } else {
      write_encrypted_binary(out, wrapped);
    }
  });
}

Result<Keyset> Keyset::unseal(ByteView input, const KeyWrapper& wrapper, ByteView associated_data) {
  MR_TRY(const SecretBytes wrapped, read_encrypted(input));
  MR_TRY(const SecretBytes cleartext, wrapper.unwrap(wrapped.reveal(), associated_data));
  return parse_binary(cleartext.reveal());
}

Result<std::optional<KeysetInfo>> read_keyset_info(ByteView encrypted) {
  MR_TRY(const std::optional<KeysetModel> model, read_info(encrypted));
  if (!model) return std::optional<KeysetInfo>();
  KeysetInfo info;
  info.primary_id = model->primary_id;
  for (const Key& key : model->keys) {
    if (const Status status = check_key_fields(key); !status) {
      Error error = status.error();
      error.detail = static_cast<int>(info.keys.size()) + 1;
      return error;
    }
    info.keys.push_back(info_of(key, model->primary_id));
  }
  return std::optional<KeysetInfo>(std::move(info));
}

}  // namespace millrace::tink
