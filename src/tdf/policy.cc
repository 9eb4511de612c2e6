#include <array>

#include "crypto/random.h"
#include "encoding/hex.h"
#include "encoding/json_reader.h"
#include "encoding/json_text.h"
#include "millrace/base64.h"
#include "millrace/tdf_manifest.h"

namespace millrace::tdf {

namespace {

constexpr std::string_view kAttributes = "tdf policy: dataAttributes";
constexpr std::string_view kDissem = "tdf policy: dissem";
// An entry costs far more memory than its shortest text; no policy needs more.
constexpr std::size_t kMaxEntries = 16384;

Status read_attribute(JsonReader& in, Policy::Attribute& attribute) {
  bool has_url = false;
  return in.object(kAttributes, [&](std::string_view name) -> Status {
    if (name == "attribute") return in.text("tdf policy: attribute", attribute.fqn);
    if (name == "displayName") return in.text("tdf policy: displayName", attribute.display_name);
    if (name == "pubKey") return in.text("tdf policy: pubKey", attribute.public_key);
    if (name == "kasURL" || name == "kasUrl") {
      if (has_url) return in.fail("tdf policy: kasURL");  // in both spellings: which one?
      has_url = true;
      return in.text("tdf policy: kasURL", attribute.kas_url);
    }
    if (name != "isDefault") return in.skip();
    MR_TRY(const bool absent, in.take_null());
    if (absent) return Ok{};
    MR_TRY(attribute.is_default, in.boolean("tdf policy: isDefault"));
    return Ok{};
  });
}

// read_list reads an array, for which null may stand.
template <class F>
Status read_list(JsonReader& in, std::string_view where, F&& element) {
  MR_TRY(const bool absent, in.take_null());
  if (absent) return Ok{};
  return in.array(where, [&](std::size_t index) -> Status {
    if (index == kMaxEntries) return in.fail(where, ErrorCode::kLimitExceeded);
    return element();
  });
}

Status read_body(JsonReader& in, Policy& policy) {
  return in.object("tdf policy: body", [&](std::string_view name) -> Status {
    if (name == "dataAttributes") {
      return read_list(in, kAttributes, [&]() -> Status {
        Policy::Attribute& attribute = policy.attributes.emplace_back();
        MR_TRY(read_attribute(in, attribute));
        if (attribute.fqn.empty()) return Error{ErrorCode::kMalformed, "tdf policy: attribute"};
        return Ok{};
      });
    }
    if (name != "dissem") return in.skip();
    return read_list(in, kDissem, [&]() -> Status {
      MR_TRY(const std::string_view entity, in.string(kDissem));
      policy.dissem.emplace_back(entity);
      return Ok{};
    });
  });
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = text[i];
    const bool is_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (is_dash ? c != '-' : !is_digit) return false;
  }
  return true;
}

}  // namespace

Status validate_attribute_fqn(std::string_view fqn) {
  const Error refused{ErrorCode::kInvalidArgument, "attribute FQN"};
  constexpr std::string_view kAttr = "/attr/";
  constexpr std::string_view kValue = "/value/";
  const std::size_t scheme = fqn.starts_with("https://") ? 8 : fqn.starts_with("http://") ? 7 : 0;
  if (scheme == 0) return refused;
  // Of several "/attr/" the first leaves most to the rest of the pattern; the authority has at least one character.
  const std::size_t attr = fqn.find(kAttr, scheme + 1);
  if (attr == std::string_view::npos) return refused;
  for (const char c : fqn.substr(scheme, attr - scheme)) {
    const bool is_word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!is_word && c != '.' && c != '/' && c != '-') return refused;
  }
  const std::string_view rest = fqn.substr(attr + kAttr.size());
  if (rest.find(kValue) == std::string_view::npos) return refused;
  if (rest.find_first_of("\t\n\f\r ") != std::string_view::npos) return refused;
  return Ok{};
}

Result<Policy> parse_policy(ByteView json) {
  constexpr std::string_view kJson = "tdf policy: JSON";
  JsonReader in(as_text(json), kJson);
  Policy policy;
  MR_TRY(in.object(kJson, [&](std::string_view name) -> Status {
    if (name == "uuid") return in.text("tdf policy: uuid", policy.uuid);
    if (name == "body") return read_body(in, policy);
    return in.skip();
  }));
  MR_TRY(in.finish());
  return policy;
}

Result<Policy> policy_of(const Manifest& manifest) {
  std::vector<std::byte> json(base64_decoded_capacity(manifest.policy.size()));
  const Result<std::size_t> size = base64_decode(manifest.policy, json);
  if (!size) return Error{ErrorCode::kMalformed, "tdf policy: base64", size.error().offset};
  return parse_policy(ByteView(json).first(*size));
}

Result<std::string> to_json(const Policy& policy) {
  if (!is_uuid(policy.uuid)) return Error{ErrorCode::kInvalidArgument, "tdf policy: uuid"};
  std::string json;
  bool good = true;
  const auto add = [&](std::string_view before, std::string_view text) {
    json += before;
    good = append_json_ascii(json, text) && good;
  };
  add(R"({"uuid":)", policy.uuid);
  json += R"(,"body":{"dataAttributes":[)";
  for (const Policy::Attribute& attribute : policy.attributes) {
    MR_TRY(validate_attribute_fqn(attribute.fqn));
    add(&attribute == &policy.attributes.front() ? R"({"attribute":)" : R"(,{"attribute":)", attribute.fqn);
    add(R"(,"displayName":)", attribute.display_name);
    json += attribute.is_default ? R"(,"isDefault":true)" : R"(,"isDefault":false)";
    add(R"(,"pubKey":)", attribute.public_key);
    add(R"(,"kasURL":)", attribute.kas_url);
    json += '}';
  }
  json += R"(],"dissem":[)";
  for (const std::string& entity : policy.dissem) add(&entity == &policy.dissem.front() ? "" : ",", entity);
  json += "]}}";
  if (!good) return Error{ErrorCode::kInvalidArgument, "tdf policy: text that is not UTF-8"};
  return json;
}

Result<std::string> random_uuid() {
  std::array<std::byte, 16> bytes;
  MR_TRY(random_bytes(bytes));
  bytes[6] = (bytes[6] & std::byte{0x0F}) | std::byte{0x40};  // version 4
  bytes[8] = (bytes[8] & std::byte{0x3F}) | std::byte{0x80};  // RFC 9562's variant
  std::string uuid = hex_encode(bytes);
  for (const std::size_t dash : {8u, 13u, 18u, 23u}) uuid.insert(dash, 1, '-');
  return uuid;
}

}  // namespace millrace::tdf
