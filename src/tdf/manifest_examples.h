// Manifests for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "millrace/base64.h"
#include "millrace/tdf_manifest.h"
#include "tdf/root_signature.h"

namespace millrace::tdf {

inline Segment example_segment(std::uint64_t plain_size, std::size_t fill) {
  Segment segment;
  segment.plain_size = plain_size;
  segment.cipher_size = plain_size + 28;
  for (std::size_t i = 0; i < segment.hash.size(); ++i) segment.hash[i] = static_cast<std::byte>(fill + 7 * i);
  return segment;
}

// A plain one: one RSA target, two segments.
inline Manifest example_manifest(SegmentHash hash = SegmentHash::kGmac, SpecVersion version = SpecVersion::k430) {
  Manifest manifest;
  manifest.version = version;
  manifest.schema_version = version == SpecVersion::k430 ? "4.3.0" : "";
  manifest.mime_type = "text/plain";
  manifest.policy = base64_encode(
      as_bytes(R"({"uuid":"0f0e0d0c-0b0a-4908-8706-050403020100","body":{"dataAttributes":[],"dissem":[]}})"));
  KeyAccessObject& object = manifest.key_access.emplace_back();
  object.type = "wrapped";
  object.url = "https://kas.example.com";
  object.protocol = "kas";
  object.kid = "r1";
  object.wrapped_key = "AAECAwQFBgcICQoLDA0ODw==";
  object.binding_algorithm = "HS256";
  object.binding_hash = "EBESExQVFhcYGRobHB0eHw==";
  object.schema_version = "1.0";
  manifest.segment_hash = hash;
  manifest.root_algorithm = "HS256";
  manifest.root_signature = encode_hash(example_segment(0, 1).hash, version);
  manifest.default_plain_size = 1000;
  manifest.default_cipher_size = 1028;
  manifest.segments = {example_segment(1000, 3), example_segment(5, 90)};
  for (Segment& segment : manifest.segments) {  // as a reader leaves it
    for (std::size_t i = hash_size(hash); i < segment.hash.size(); ++i) segment.hash[i] = std::byte{0};
  }
  return manifest;
}

// Everything a manifest can have: two shares, an EC key, metadata, assertions, text that is not ASCII.
inline Manifest full_example_manifest(SegmentHash hash = SegmentHash::kGmac, SpecVersion version = SpecVersion::k430) {
  Manifest manifest = example_manifest(hash, version);
  manifest.mime_type = "application/x-\xc3\xa9t\xc3\xa9-\xf0\x9f\x98\x80";
  KeyAccessObject ec = manifest.key_access[0];
  ec.type = "ec-wrapped";
  ec.kid = "e\"1\\";
  ec.sid = "s-1";
  ec.ephemeral_public_key = "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n";
  manifest.key_access[0].sid = "s-0";
  manifest.key_access[0].encrypted_metadata = "eyJpdiI6IiJ9";
  manifest.key_access.push_back(ec);
  Assertion assertion;
  assertion.id = "example-1";
  assertion.type = "handling";
  assertion.scope = "tdo";
  assertion.applies_to_state = "unencrypted";
  assertion.statement.format = "json";
  assertion.statement.schema = "urn:example:1";
  assertion.statement.value = R"({"level":"secr\u00e9t"})";
  assertion.binding_method = "jws";
  assertion.binding_signature = "a.b.c";
  manifest.assertions.push_back(assertion);
  assertion.id = "example-2";
  assertion.statement.schema.clear();
  manifest.assertions.push_back(assertion);
  return manifest;
}

// with returns `text` after its first `from` became `to`.
inline std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) std::abort();
  return text.replace(at, from.size(), to);
}

}  // namespace millrace::tdf
