// The files that tools take: assertions to add, and keys that verify.
//
// Keys stand in them as JSON strings, often PEM with "\n" for its lines. What is kept of a key is a SecretBytes; the
// parser's own buffers, through which every string passes, are not cleansed, and the caller's text is the caller's to
// cleanse.
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "encoding/json_canonical.h"
#include "encoding/json_reader.h"
#include "encoding/json_text.h"
#include "millrace/tdf_keys.h"
#include "tdf/assertion.h"

namespace millrace::tdf {

namespace {

enum class Use : std::uint8_t { kSign, kVerify };

Result<AssertionKey> read_key(JsonReader& in, std::string_view where, Use use) {
  std::string algorithm;
  SecretBytes key;
  MR_TRY(in.object(where, [&](std::string_view name) -> Status {
    if (name == "alg") return in.text(where, algorithm);
    if (name != "key") return in.fail(where);
    MR_TRY(const std::string_view text, in.string(where));
    key = SecretBytes::copy_of(as_bytes(text));
    return Ok{};
  }));
  if (algorithm == "HS256") return AssertionKey::hs256(key.reveal());
  if (algorithm != "RS256") return Error{ErrorCode::kInvalidArgument, "assertion key: alg"};
  return use == Use::kSign ? AssertionKey::rs256_private(key.reveal()) : AssertionKey::rs256_public(key.reveal());
}

// A statement's value is a text in the files that we write; an object becomes the text that other SDKs sign, compact
// and with sorted members.
Status read_value(JsonReader& in, std::string& value) {
  MR_TRY(const JsonKind kind, in.kind());
  if (kind == JsonKind::kObject) return canonical_json(in, value);
  return in.text("assertions: statement.value", value);
}

// Members that are not known are refused, unlike in a manifest: what is misspelt here would silently not be signed.
Status read_statement(JsonReader& in, Statement& statement) {
  return in.object("assertions: statement", [&](std::string_view name) -> Status {
    if (name == "format") return in.text("assertions: statement.format", statement.format);
    if (name == "schema") return in.text("assertions: statement.schema", statement.schema);
    if (name == "value") return read_value(in, statement.value);
    return in.fail("assertions: statement: unknown member");
  });
}

Result<NewAssertion> read_new_assertion(JsonReader& in) {
  NewAssertion made;
  Assertion& a = made.assertion;
  MR_TRY(in.object("assertions: assertion", [&](std::string_view name) -> Status {
    if (name == "id") return in.text("assertions: id", a.id);
    if (name == "type") return in.text("assertions: type", a.type);
    if (name == "scope") return in.text("assertions: scope", a.scope);
    if (name == "appliesToState") return in.text("assertions: appliesToState", a.applies_to_state);
    if (name == "statement") return read_statement(in, a.statement);
    const bool is_key = name == "signingKey";
    if (!is_key && name != "binding") return in.fail("assertions: unknown member");
    MR_TRY(const bool absent, in.take_null());
    if (absent) return Ok{};
    if (!is_key) return in.fail("assertions: binding: already signed");
    MR_TRY(made.key, read_key(in, "assertions: signingKey", Use::kSign));
    return Ok{};
  }));
  return made;
}

}  // namespace

Result<std::vector<NewAssertion>> parse_new_assertions(ByteView json) {
  JsonReader in(as_text(json), "assertions: JSON");
  std::vector<NewAssertion> assertions;
  MR_TRY(in.array("assertions: JSON array", [&](std::size_t) -> Status {
    MR_TRY(NewAssertion assertion, read_new_assertion(in));
    assertions.push_back(std::move(assertion));
    return Ok{};
  }));
  MR_TRY(in.finish());
  MR_TRY(check_new_assertions(assertions));
  return assertions;
}

Result<AssertionKeys> parse_assertion_keys(ByteView json) {
  JsonReader in(as_text(json), "assertion keys: JSON");
  AssertionKeys keys;
  bool read = false;
  MR_TRY(in.object("assertion keys: JSON object", [&](std::string_view outer) -> Status {
    if (outer != "keys" && outer != "Keys") return in.fail("assertion keys: unknown member");
    if (std::exchange(read, true)) return in.fail("assertion keys: keys twice");
    return in.object("assertion keys: keys", [&](std::string_view name) -> Status {
      std::string id(name);
      MR_TRY(AssertionKey key, read_key(in, "assertion keys: key", Use::kVerify));
      keys.by_id.emplace(std::move(id), std::move(key));
      return Ok{};
    });
  }));
  MR_TRY(in.finish());
  if (!read) return Error{ErrorCode::kMalformed, "assertion keys: keys"};
  return keys;
}

NewAssertion system_metadata_assertion(std::string_view creation_date) {
#if defined(__x86_64__)
  constexpr std::string_view kArchitecture = "amd64";
#elif defined(__aarch64__)
  constexpr std::string_view kArchitecture = "arm64";
#else
  constexpr std::string_view kArchitecture = "unknown";
#endif
#if defined(__linux__)
  constexpr std::string_view kSystem = "linux";
#elif defined(__APPLE__)
  constexpr std::string_view kSystem = "darwin";
#else
  constexpr std::string_view kSystem = "unknown";
#endif
  NewAssertion made;
  Assertion& a = made.assertion;
  a.id = "system-metadata";
  a.type = "other";
  a.scope = "payload";
  a.applies_to_state = "unencrypted";
  a.statement.format = "json";
  a.statement.schema = "system-metadata-v1";
  std::string& value = a.statement.value;
  const auto add = [&](std::string_view name, std::string_view text) {
    value += value.empty() ? "{" : ",";
    MR_CHECK(append_json_ascii(value, name));
    value += ':';
    MR_CHECK(append_json_ascii(value, text));
  };
  add("tdf_spec_version", to_text(SpecVersion::k430));
  add("creation_date", creation_date);
  add("operating_system", kSystem);
  add("sdk_version", "Millrace-" MILLRACE_VERSION);
  add("architecture", kArchitecture);
  value += '}';
  return made;
}

}  // namespace millrace::tdf
