#include <algorithm>

#include "base/check.h"
#include "base/endian.h"
#include "crypto/random.h"
#include "tink/keyset_binary.h"
#include "tink/keyset_json.h"
#include "tink/keyset_state.h"

namespace millrace::tink {

namespace {

Error refuse(std::string_view where) { return Error{ErrorCode::kInvalidArgument, where}; }

Key* find_key(KeysetModel& model, std::uint32_t id) {
  const auto found = std::find_if(model.keys.begin(), model.keys.end(), [&](const Key& key) { return key.id == id; });
  return found == model.keys.end() ? nullptr : &*found;
}

// fresh_id draws ids until one is free. Zero is avoided, as upstream does: readers take it for "absent".
Result<std::uint32_t> fresh_id(KeysetModel& model) {
  for (;;) {
    std::byte bytes[4];
    MR_TRY(random_bytes(bytes));
    const auto id = load_be<std::uint32_t>(bytes);
    if (id != 0 && find_key(model, id) == nullptr) return id;
  }
}

Result<std::uint32_t> append(KeysetModel& model, Result<Key> key) {
  if (!key) return key.error();
  if (model.keys.size() >= kMaxKeys) return Error{ErrorCode::kLimitExceeded, "keyset: add: number of keys"};
  for (const Key& other : model.keys) {
    const bool same_kind = is_streaming(key->type) ? is_streaming(other.type) : other.type == key->type;
    if (!other.has_status(KeyStatus::kDestroyed) && !same_kind)
      return refuse("keyset: add: the keyset holds keys for another purpose");
  }
  MR_TRY(key->id, fresh_id(model));
  const std::uint32_t id = key->id;
  model.keys.push_back(*std::move(key));
  return id;
}

Status read_and_check(Result<KeysetModel> read, KeysetModel& model) {
  MR_TRY(model, std::move(read));
  return check(model);
}

}  // namespace

Keyset::Keyset(std::unique_ptr<State> state) : state_(std::move(state)) {}
Keyset::Keyset(Keyset&&) noexcept = default;
Keyset& Keyset::operator=(Keyset&&) noexcept = default;
Keyset::~Keyset() = default;

Result<Keyset> Keyset::generate(const Template& key_template) {
  Keyset keyset(std::make_unique<State>());
  MR_TRY(keyset.state_->model.primary_id, keyset.add(key_template));
  return keyset;
}

Result<Keyset> Keyset::generate_key_encryption() {
  Keyset keyset(std::make_unique<State>());
  MR_TRY(keyset.state_->model.primary_id, keyset.add_key_encryption());
  return keyset;
}

Result<Keyset> Keyset::parse(ByteView input) { return is_json(input) ? parse_json(input) : parse_binary(input); }

Result<Keyset> Keyset::parse_json(ByteView input) {
  Keyset keyset(std::make_unique<State>());
  MR_TRY(read_and_check(read_json(input), keyset.state_->model));
  return keyset;
}

Result<Keyset> Keyset::parse_binary(ByteView input) {
  Keyset keyset(std::make_unique<State>());
  MR_TRY(read_and_check(read_binary(input), keyset.state_->model));
  return keyset;
}

SecretBytes Keyset::to_json() const {
  return write_secret([&](FormWriter& out) { write_json(out, state_->model); });
}

SecretBytes Keyset::to_binary() const {
  return write_secret([&](FormWriter& out) { write_binary(out, state_->model); });
}

KeyInfo info_of(const Key& key, std::uint32_t primary_id) {
  KeyInfo info;
  info.id = key.id;
  info.status = static_cast<KeyStatus>(key.status);
  info.prefix = static_cast<OutputPrefix>(key.prefix);
  info.is_primary = key.id == primary_id;
  info.type_url = key.type_url;
  if (is_streaming(key.type)) info.params = key.params;
  info.template_name = fits_template(key);
  return info;
}

std::vector<KeyInfo> Keyset::info() const {
  std::vector<KeyInfo> infos;
  infos.reserve(state_->model.keys.size());
  for (const Key& key : state_->model.keys) infos.push_back(info_of(key, state_->model.primary_id));
  return infos;
}

std::uint32_t Keyset::primary_id() const { return state_->model.primary_id; }

Result<StreamingKeys> Keyset::streaming_keys() const {
  StreamingKeys keys;
  for (std::size_t i = 0; i < state_->model.keys.size(); ++i) {
    const Key& key = state_->model.keys[i];
    if (!key.has_status(KeyStatus::kEnabled)) continue;
    if (!is_streaming(key.type)) {
      return Error{ErrorCode::kInvalidArgument, "keyset: not a streaming key", key.data_offset,
                   static_cast<int>(i) + 1};
    }
    if (key.id == state_->model.primary_id) keys.primary = keys.enabled.size();
    keys.enabled.push_back({key.id, key.params, key.ikm()});
  }
  return keys;
}

Result<std::uint32_t> Keyset::add(const Template& key_template) {
  return append(state_->model, new_streaming_key(key_template.params));
}

Result<std::uint32_t> Keyset::add_key_encryption() { return append(state_->model, new_key_encryption_key()); }

Status Keyset::promote(std::uint32_t id) {
  const Key* key = find_key(state_->model, id);
  if (key == nullptr) return refuse("keyset: promote: no key with this id");
  if (!key->has_status(KeyStatus::kEnabled)) return refuse("keyset: promote: the key is not ENABLED");
  state_->model.primary_id = id;
  return Ok{};
}

Status Keyset::enable(std::uint32_t id) {
  Key* key = find_key(state_->model, id);
  if (key == nullptr) return refuse("keyset: enable: no key with this id");
  if (key->has_status(KeyStatus::kDestroyed)) return refuse("keyset: enable: the key is DESTROYED");
  key->status = static_cast<std::uint32_t>(KeyStatus::kEnabled);
  return Ok{};
}

Status Keyset::disable(std::uint32_t id) {
  Key* key = find_key(state_->model, id);
  if (key == nullptr) return refuse("keyset: disable: no key with this id");
  if (id == state_->model.primary_id) return refuse("keyset: disable: the key is the primary; promote another first");
  if (key->has_status(KeyStatus::kDestroyed)) return refuse("keyset: disable: the key is DESTROYED");
  key->status = static_cast<std::uint32_t>(KeyStatus::kDisabled);
  return Ok{};
}

Status Keyset::remove(std::uint32_t id) {
  const Key* key = find_key(state_->model, id);
  if (key == nullptr) return refuse("keyset: delete: no key with this id");
  if (id == state_->model.primary_id) return refuse("keyset: delete: the key is the primary; promote another first");
  state_->model.keys.erase(state_->model.keys.begin() + (key - state_->model.keys.data()));
  return Ok{};
}

}  // namespace millrace::tink
