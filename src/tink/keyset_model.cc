#include "tink/keyset_model.h"

#include <algorithm>

namespace millrace::tink {

std::string_view to_text(KeyStatus status) { return kStatusNames[static_cast<std::size_t>(status)]; }
std::string_view to_text(OutputPrefix prefix) { return kPrefixNames[static_cast<std::size_t>(prefix)]; }

bool is_streaming(KeyType type) {
  return type == KeyType::kAesGcmHkdfStreaming || type == KeyType::kAesCtrHmacStreaming;
}

namespace {

Error malformed(std::string_view where, std::uint64_t offset = 0) {
  return Error{ErrorCode::kMalformed, where, offset};
}

// A type URL is printed on terminals and written into JSON: visible ASCII, nothing that would need an escape.
bool is_printable(std::string_view type_url) {
  return std::all_of(type_url.begin(), type_url.end(),
                     [](char c) { return c > ' ' && c <= '~' && c != '"' && c != '\\'; });
}

Status check_key(Key& key) {
  MR_TRY(check_key_fields(key));
  // The material of a DESTROYED key is gone, or it is as good as gone: nothing looks at it.
  if (key.has_status(KeyStatus::kDestroyed)) return Ok{};
  if (!key.has_key_data) return malformed("keyset: key.keyData: missing");
  if (key.type_url.empty()) return malformed("keyset: key.keyData.typeUrl: missing");
  return read_key_value(key);
}

// find_duplicate returns the number (from 1) of a key whose id an earlier key has, or 0.
int find_duplicate(const std::vector<Key>& keys) {
  std::vector<std::pair<std::uint32_t, int>> ids;
  ids.reserve(keys.size());
  for (const Key& key : keys) ids.emplace_back(key.id, static_cast<int>(ids.size()) + 1);
  std::sort(ids.begin(), ids.end());
  const auto twin =
      std::adjacent_find(ids.begin(), ids.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
  return twin == ids.end() ? 0 : std::next(twin)->second;
}

}  // namespace

Status check_key_fields(const Key& key) {
  if (key.status < 1 || key.status > 3) return malformed("keyset: key.status: unknown");
  if (key.prefix < 1 || key.prefix > 4) return malformed("keyset: key.outputPrefixType: unknown");
  if (!is_printable(key.type_url)) return malformed("keyset: key.keyData.typeUrl: unprintable");
  return Ok{};
}

Status check(KeysetModel& model) {
  if (model.keys.empty()) return malformed("keyset: no keys");
  for (std::size_t i = 0; i < model.keys.size(); ++i) {
    if (const Status status = check_key(model.keys[i]); !status) {
      Error error = status.error();
      error.detail = static_cast<int>(i) + 1;
      return error;
    }
  }
  if (const int number = find_duplicate(model.keys); number != 0)
    return Error{ErrorCode::kMalformed, "keyset: key.keyId: used twice", 0, number};
  const auto primary =
      std::find_if(model.keys.begin(), model.keys.end(), [&](const Key& key) { return key.id == model.primary_id; });
  if (primary == model.keys.end()) return malformed("keyset: primaryKeyId: no such key");
  if (!primary->has_status(KeyStatus::kEnabled)) {
    return Error{ErrorCode::kMalformed, "keyset: primaryKeyId: key is not ENABLED", 0,
                 static_cast<int>(primary - model.keys.begin()) + 1};
  }
  return Ok{};
}

}  // namespace millrace::tink
