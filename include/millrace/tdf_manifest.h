// TDF manifests: what a TDF file says about itself, as a typed value (docs/formats/tdf.md).
//
// Everything here is what a file claims. Nothing of it is authenticated before tdf::Reader (tdf.h) has said so.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/bytes.h"
#include "millrace/result.h"

namespace millrace::tdf {

// How hashes stand in a manifest: base64 of the raw bytes (4.3.0), or base64 of their hexadecimal text (all before).
enum class SpecVersion : std::uint8_t { k422, k430 };
// What is kept of each segment: its GCM tag (16 bytes), or HMAC-SHA-256 under the file's key (32 bytes).
enum class SegmentHash : std::uint8_t { kGmac, kHs256 };

// The texts that manifests and command lines use: "4.2.2", "4.3.0"; "GMAC", "HS256".
std::string_view to_text(SpecVersion version);
std::string_view to_text(SegmentHash hash);
constexpr std::size_t hash_size(SegmentHash hash) { return hash == SegmentHash::kGmac ? 16 : 32; }

// KeyAccessObject is one way to one share of the file's key. Objects with the same sid hold the same share; one of each
// distinct sid is needed, and the key is the XOR of those shares. Texts are kept as they stand; absent is empty.
struct KeyAccessObject {
  std::string type;  // "wrapped" (RSA), "ec-wrapped", or something this library does not open
  std::string url;
  std::string protocol;
  std::string kid;
  std::string sid;
  std::string wrapped_key;           // base64
  std::string binding_algorithm;     // "HS256"; empty when the binding was a bare string
  std::string binding_hash;          // as it stands: base64 of hexadecimal or of raw bytes, or damaged
  std::string encrypted_metadata;    // base64 of JSON
  std::string ephemeral_public_key;  // PEM, of "ec-wrapped"
  std::string schema_version;
};

// Segment is one entry of the payload's table.
struct Segment {
  std::uint64_t plain_size = 0;
  std::uint64_t cipher_size = 0;     // plain_size + 28
  std::array<std::byte, 32> hash{};  // the first hash_size() bytes
  bool hash_is_valid = true;         // false: the text in the manifest was no hash, which is tampering
};

struct Statement {
  std::string format;
  std::string schema;
  std::string value;  // an object in the file becomes its compact JSON text, members sorted
  bool value_was_object = false;
};

// Assertion is a signed statement about the file. On reading, `canonical` is what was signed: the RFC 8785 form of the
// assertion without its binding, members unknown to this library included.
struct Assertion {
  std::string id;
  std::string type;              // "handling" or "other"
  std::string scope;             // "tdo" or "payload"
  std::string applies_to_state;  // "encrypted", "unencrypted" or empty
  Statement statement;
  std::string binding_method;  // "jws", in any case
  std::string binding_signature;
  std::string canonical;
};

struct Manifest {
  SpecVersion version = SpecVersion::k430;
  std::string schema_version;  // as it stands; empty in old files
  std::string payload_url = "0.payload";
  std::string mime_type;  // of the plaintext; may be empty on reading
  std::string policy;     // base64, the exact text that the bindings are over
  std::vector<KeyAccessObject> key_access;
  SegmentHash segment_hash = SegmentHash::kGmac;
  std::string root_algorithm;             // "HS256"; anything else is refused before a byte is opened
  std::string root_signature;             // as it stands: base64
  std::uint64_t default_plain_size = 0;   // segmentSizeDefault
  std::uint64_t default_cipher_size = 0;  // encryptedSegmentSizeDefault
  std::vector<Segment> segments;
  std::vector<Assertion> assertions;
};

struct ManifestLimits {
  std::uint64_t max_size = std::uint64_t{10} << 20;  // bytes of JSON: what other readers take
  std::uint64_t max_segments = std::uint64_t{1} << 20;
  std::uint64_t max_segment_size = std::uint64_t{16} << 20;  // bytes of an encrypted segment in the table
  std::size_t max_depth = 64;
  std::size_t max_key_access = 1024;
  std::size_t max_assertions = 1024;
};

// parse_manifest reads 0.manifest.json of any version since 3.0. It is strict about what matters (types, ranges,
// duplicate names, algorithms, sizes) and lenient about what does not (unknown members, null for absent ones).
// Errors: kMalformed with the place in `where` and the offset in the text or the 1-based element in `detail`;
// kLimitExceeded beyond `limits`. Memory: a small multiple of the table of segments, whatever the text holds besides.
Result<Manifest> parse_manifest(ByteView json, const ManifestLimits& limits = {});

// to_json writes a manifest as millrace makes them: members in the Go SDK's order, ASCII, no blanks, both sizes of
// every segment. `version` decides the encoding of the hashes. Errors: kInvalidArgument for what no manifest can hold.
Result<std::string> to_json(const Manifest& manifest);

// Policy is what may be done with the file, and by whom.
struct Policy {
  struct Attribute {
    std::string fqn;  // "https://example.com/attr/level/value/secret"
    std::string display_name;
    bool is_default = false;
    std::string kas_url;
    std::string public_key;
  };
  std::string uuid;
  std::vector<Attribute> attributes;
  std::vector<std::string> dissem;
};

// validate_attribute_fqn takes a value FQN: ^(https?://[\w./-]+)/attr/(\S*)/value/(\S*)$. Errors: kInvalidArgument.
Status validate_attribute_fqn(std::string_view fqn);
// parse_policy reads policy JSON (not its base64). Errors: kMalformed, kLimitExceeded (10 MiB, 64 levels).
Result<Policy> parse_policy(ByteView json);
// policy_of decodes and parses the policy of a manifest.
Result<Policy> policy_of(const Manifest& manifest);
// to_json writes ASCII JSON with the members that KASes read. Errors: kInvalidArgument for an FQN, a UUID or a text
// (invalid UTF-8) that no reader takes.
Result<std::string> to_json(const Policy& policy);
// random_uuid makes a version 4 UUID in lower case.
Result<std::string> random_uuid();

}  // namespace millrace::tdf
