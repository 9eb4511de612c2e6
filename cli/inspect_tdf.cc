#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "failure.h"
#include "inspect.h"
#include "tdf_format.h"

namespace millrace::cli {

namespace {

using Json = nlohmann::ordered_json;

// Split is a share of the key and the key access objects that hold it.
struct Split {
  std::string sid;
  std::vector<std::size_t> objects;
};

std::vector<Split> splits_of(const std::vector<tdf::KeyAccessObject>& objects) {
  std::vector<Split> splits;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    std::size_t at = 0;
    while (at < splits.size() && splits[at].sid != objects[i].sid) ++at;
    if (at == splits.size()) splits.push_back({objects[i].sid, {}});
    splits[at].objects.push_back(i);
  }
  return splits;
}

// What was found, and what only a key shows.
struct Findings {
  const tdf::Inspection& file;
  std::optional<tdf::Policy> policy;  // absent: not readable
  std::vector<Split> splits;
  bool authenticated = false;
  bool assertions_verified = false;
  std::optional<std::string> metadata;
};

Json policy_json(const tdf::Policy& policy) {
  Json attributes = Json::array();
  for (const tdf::Policy::Attribute& attribute : policy.attributes) {
    attributes.push_back({{"attribute", attribute.fqn},
                          {"displayName", attribute.display_name},
                          {"isDefault", attribute.is_default},
                          {"kasURL", attribute.kas_url},
                          {"pubKey", attribute.public_key}});
  }
  return {{"uuid", policy.uuid}, {"body", {{"dataAttributes", attributes}, {"dissem", policy.dissem}}}};
}

Json to_json(const Findings& found) {
  const tdf::Inspection& file = found.file;
  const tdf::Manifest& manifest = file.manifest;
  Json result = {{"format", "tdf"},
                 {"bytes", file.file_size},
                 {"authenticated", found.authenticated},
                 {"schema_version", tdf::to_text(manifest.version)},
                 {"mime_type", manifest.mime_type},
                 {"plaintext_bytes", file.plain_size},
                 {"payload_bytes", file.payload_size},
                 {"manifest_bytes", file.manifest_json.size()},
                 {"segments", manifest.segments.size()},
                 {"segment_bytes", manifest.default_plain_size},
                 {"segment_hash", tdf::to_text(manifest.segment_hash)},
                 {"root_signature_algorithm", manifest.root_algorithm}};
  Json attributes = Json::array();
  if (found.policy)
    for (const tdf::Policy::Attribute& attribute : found.policy->attributes) attributes.push_back(attribute.fqn);
  result["attributes"] = attributes;
  result["policy"] = found.policy ? policy_json(*found.policy) : Json();
  Json objects = Json::array();
  for (const tdf::KeyAccessObject& object : manifest.key_access) {
    objects.push_back({{"type", object.type},
                       {"url", object.url},
                       {"kid", object.kid},
                       {"sid", object.sid},
                       {"encrypted_metadata", !object.encrypted_metadata.empty()}});
  }
  result["key_access"] = objects;
  Json splits = Json::array();
  for (const Split& split : found.splits) splits.push_back({{"sid", split.sid}, {"any_of", split.objects}});
  result["splits"] = splits;
  Json assertions = Json::array();
  for (const tdf::Assertion& assertion : manifest.assertions) {
    assertions.push_back({{"id", assertion.id},
                          {"type", assertion.type},
                          {"scope", assertion.scope},
                          {"applies_to_state", assertion.applies_to_state},
                          {"format", assertion.statement.format},
                          {"schema", assertion.statement.schema},
                          {"value", assertion.statement.value}});
  }
  result["assertions"] = assertions;
  result["assertions_verified"] = found.assertions_verified;
  result["metadata"] = found.metadata ? Json(*found.metadata) : Json();
  Json entries = Json::array();
  for (const tdf::ContainerEntry& entry : file.entries) {
    entries.push_back({{"name", entry.name},
                       {"header_offset", entry.header_offset},
                       {"data_offset", entry.data_offset},
                       {"bytes", entry.size},
                       {"crc32", fmt::format("{:08x}", entry.crc)}});
  }
  result["container"] = {{"zip64", file.zip64}, {"entries", entries}};
  return result;
}

// print_json puts the manifest in as it stands: as a tree it would take ten times its memory. It was parsed before, so
// its line breaks are all between its tokens, and blanks will do.
void print_json(const Findings& found) {
  std::string text = to_json(found).dump(-1, ' ', false, Json::error_handler_t::replace);
  text.back() = ',';
  text += "\"manifest\":";
  for (const char c : found.file.manifest_json) text += c == '\n' || c == '\r' ? ' ' : c;
  fmt::print("{}}}\n", text);
}

// A line of the text form. What comes from the file is shown so that it cannot move a terminal's cursor.
void print_line(std::string_view label, std::string_view value) {
  fmt::print("  {:<16} {}\n", label, printable(value));
}

void print_text(const std::string& name, const Findings& found) {
  const tdf::Inspection& file = found.file;
  const tdf::Manifest& manifest = file.manifest;
  fmt::print("{}: TDF {}, {} bytes\n", printable(name), tdf::to_text(manifest.version), file.file_size);
  print_line("MIME type", manifest.mime_type.empty() ? "not given" : manifest.mime_type);
  print_line("plaintext", fmt::format("{} bytes", file.plain_size));
  print_line("segments", fmt::format("{} of up to {} bytes", manifest.segments.size(), manifest.default_plain_size));
  print_line("hashes",
             fmt::format("segments {}, root {}", tdf::to_text(manifest.segment_hash), manifest.root_algorithm));
  print_line("policy", found.policy ? found.policy->uuid : "not readable");
  if (found.policy)
    for (const tdf::Policy::Attribute& attribute : found.policy->attributes) print_line("  attribute", attribute.fqn);
  print_line("key", found.splits.size() == 1 ? std::string("one of these gives it")
                                             : fmt::format("{} shares, one of each is needed", found.splits.size()));
  for (std::size_t i = 0; i < found.splits.size(); ++i) {
    for (const std::size_t at : found.splits[i].objects) {
      const tdf::KeyAccessObject& object = manifest.key_access[at];
      print_line(fmt::format("  share {}", i + 1),
                 fmt::format("{}, kid {}, {}", object.type, object.kid.empty() ? "not given" : object.kid, object.url));
    }
  }
  for (const tdf::Assertion& assertion : manifest.assertions) {
    print_line("assertion", fmt::format("{} ({}, {}): {}", assertion.id, assertion.type, assertion.scope,
                                        assertion.statement.value));
  }
  for (const tdf::ContainerEntry& entry : file.entries) {
    print_line(file.zip64 ? "ZIP64 entry" : "ZIP entry",
               fmt::format("{}, {} bytes at {}, CRC-32 {:08x}", entry.name, entry.size, entry.data_offset, entry.crc));
  }
  if (found.metadata) print_line("metadata", *found.metadata);
  std::string_view authenticated = "no; --kas-private-key FILE tells whether it is all true";
  if (found.authenticated) {
    authenticated = found.assertions_verified ? "all but the payload (verify reads that too)"
                                              : "all but the assertions and the payload (verify reads that too)";
  }
  print_line("authenticated", authenticated);
}

}  // namespace

void inspect_tdf(Transfer& transfer, const TdfKeyOptions& options, bool json) {
  const TdfFile file(transfer);
  const Result<tdf::Inspection> inspection = tdf::inspect(file.read_at(), options.limits);
  if (!inspection) {
    fail_limit(transfer, inspection.error());
    transfer.fail_input(inspection.error(), {});
  }
  Findings found{*inspection, std::nullopt, splits_of(inspection->manifest.key_access), false, false, std::nullopt};
  if (const Result<tdf::Policy> policy = tdf::policy_of(inspection->manifest)) found.policy = *policy;
  if (!options.private_keys.empty()) {
    const TdfKeys keys(options);
    const tdf::Reader reader = open_reader(transfer, file, keys);
    found.authenticated = true;
    found.assertions_verified = !options.no_verify_assertions;
    found.metadata = reader.metadata();
  }
  if (json) {
    print_json(found);
  } else {
    print_text(transfer.input_name(), found);
  }
}

}  // namespace millrace::cli
