// The JSON form of keysets and encrypted keysets.
#pragma once

#include <optional>

#include "tink/keyset_model.h"
#include "tink/keyset_writer.h"

namespace millrace::tink {

// is_json tells whether the first byte that is not blank is '{'.
bool is_json(ByteView input);

// read_json takes the members of a keyset; check() comes after it.
Result<KeysetModel> read_json(ByteView input);
void write_json(FormWriter& out, const KeysetModel& model);

// read_encrypted_json returns the member encryptedKeyset, decoded. It is ciphertext; the type is the decoder's.
Result<SecretBytes> read_encrypted_json(ByteView input);
void write_encrypted_json(FormWriter& out, ByteView encrypted_keyset, const KeysetModel& info);

// read_info_json returns the member keysetInfo, if there is one, as keys without material.
Result<std::optional<KeysetModel>> read_info_json(ByteView input);

}  // namespace millrace::tink
