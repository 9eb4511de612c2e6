// The binary (protobuf) form of keysets and encrypted keysets.
#pragma once

#include <optional>

#include "tink/keyset_model.h"
#include "tink/keyset_proto.h"
#include "tink/keyset_writer.h"

namespace millrace::tink {

// read_binary takes the fields of a Keyset message; check() comes after it.
Result<KeysetModel> read_binary(ByteView input);
void write_binary(FormWriter& out, const KeysetModel& model);

// EncryptedParts views the two fields of an EncryptedKeyset message.
struct EncryptedParts {
  std::optional<ByteView> encrypted_keyset;
  std::vector<Located> keyset_info;  // the pieces of the message, to be merged
  bool has_foreign_field = false;
};
Result<EncryptedParts> read_encrypted_binary(ByteView input);
void write_encrypted_binary(FormWriter& out, ByteView encrypted_keyset);

// read_info_binary merges the pieces of a KeysetInfo message into a model whose keys have no material.
Result<KeysetModel> read_info_binary(const std::vector<Located>& pieces);

}  // namespace millrace::tink
