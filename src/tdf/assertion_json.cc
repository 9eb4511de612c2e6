#include "tdf/assertion_json.h"

#include "encoding/json_canonical.h"
#include "encoding/json_text.h"

namespace millrace::tdf {

namespace {

constexpr std::string_view kWhere = "tdf manifest: assertions";
constexpr std::string_view kStatementWhere = "tdf manifest: assertions.statement";
constexpr std::string_view kValueWhere = "tdf manifest: assertions.statement.value";
constexpr std::string_view kBindingWhere = "tdf manifest: assertions.binding";

// keep reads a text member into `field` and adds it to `object`. A null is an absent member: to Go and Java it is.
Status keep(JsonReader& in, std::string_view name, std::string_view where, std::string& field, CanonicalObject& object,
            std::string& canonical) {
  const std::string member(name);
  MR_TRY(const bool absent, in.take_null());
  if (absent) return Ok{};
  MR_TRY(field, in.string(where));
  object.name(member);
  append_json_canonical(canonical, field);
  return Ok{};
}

// read_value: an object counts as its own canonical text, which is what was signed (the golden file of the Java SDK).
Status read_value(JsonReader& in, Statement& statement, CanonicalObject& object, std::string& canonical) {
  MR_TRY(const JsonKind kind, in.kind());
  if (kind != JsonKind::kObject) return keep(in, "value", kValueWhere, statement.value, object, canonical);
  statement.value_was_object = true;
  MR_TRY(canonical_json(in, statement.value));
  object.name("value");
  append_json_canonical(canonical, statement.value);
  return Ok{};
}

Status read_statement(JsonReader& in, Statement& statement, std::string& canonical) {
  CanonicalObject object(canonical);
  MR_TRY(in.object(kStatementWhere, [&](std::string_view name) -> Status {
    if (name == "format") return keep(in, name, kStatementWhere, statement.format, object, canonical);
    if (name == "schema") return keep(in, name, kStatementWhere, statement.schema, object, canonical);
    if (name == "value") return read_value(in, statement, object, canonical);
    object.name(name);
    return canonical_json(in, canonical);
  }));
  object.finish();
  return Ok{};
}

Status read_binding(JsonReader& in, Assertion& assertion) {
  MR_TRY(const bool absent, in.take_null());
  if (absent) return Ok{};
  return in.object(kBindingWhere, [&](std::string_view name) -> Status {
    if (name == "method") return in.text(kBindingWhere, assertion.binding_method);
    if (name == "signature") return in.text(kBindingWhere, assertion.binding_signature);
    return in.skip();
  });
}

// append_member adds `,"name":"text"`, the comma unless the object has just been opened.
Status append_member(std::string& out, std::string_view name, std::string_view text) {
  if (!out.ends_with('{')) out += ',';
  out += '"';
  out += name;
  out += "\":";
  if (!append_json_ascii(out, text)) return Error{ErrorCode::kInvalidArgument, kWhere};
  return Ok{};
}

// append_fields adds what is signed, as the members of an object that has been opened.
Status append_fields(std::string& out, const Assertion& assertion) {
  MR_TRY(append_member(out, "id", assertion.id));
  MR_TRY(append_member(out, "type", assertion.type));
  MR_TRY(append_member(out, "scope", assertion.scope));
  const auto unless_empty = [&out](std::string_view name, std::string_view text) -> Status {
    return text.empty() ? Status(Ok{}) : append_member(out, name, text);
  };
  MR_TRY(unless_empty("appliesToState", assertion.applies_to_state));
  out += ",\"statement\":{";
  MR_TRY(unless_empty("format", assertion.statement.format));
  MR_TRY(unless_empty("schema", assertion.statement.schema));
  MR_TRY(unless_empty("value", assertion.statement.value));
  out += '}';
  return Ok{};
}

}  // namespace

Result<Assertion> read_assertion(JsonReader& in) {
  Assertion assertion;
  std::string& canonical = assertion.canonical;
  CanonicalObject object(canonical);
  MR_TRY(in.object(kWhere, [&](std::string_view name) -> Status {
    if (name == "id") return keep(in, name, kWhere, assertion.id, object, canonical);
    if (name == "type") return keep(in, name, kWhere, assertion.type, object, canonical);
    if (name == "scope") return keep(in, name, kWhere, assertion.scope, object, canonical);
    if (name == "appliesToState") return keep(in, name, kWhere, assertion.applies_to_state, object, canonical);
    if (name == "binding") return read_binding(in, assertion);
    object.name(name);
    if (name != "statement") return canonical_json(in, canonical);
    return read_statement(in, assertion.statement, canonical);
  }));
  object.finish();
  return assertion;
}

// The writer and the reader of canonical forms are the same code, so what was signed is what will be verified.
Result<std::string> canonical_assertion(const Assertion& assertion) {
  std::string text = "{";
  MR_TRY(append_fields(text, assertion));
  text += '}';
  JsonReader in(text, kWhere, {.max_size = text.size()});
  MR_TRY(Assertion read, read_assertion(in));
  return std::move(read.canonical);
}

Status append_assertion(std::string& out, const Assertion& assertion) {
  out += '{';
  MR_TRY(append_fields(out, assertion));
  out += ",\"binding\":{";
  MR_TRY(append_member(out, "method", assertion.binding_method));
  MR_TRY(append_member(out, "signature", assertion.binding_signature));
  out += "}}";
  return Ok{};
}

}  // namespace millrace::tdf
