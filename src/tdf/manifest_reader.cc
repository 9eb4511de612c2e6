// Reading. The table of segments is nearly all of a manifest and goes straight into Manifest::segments, but what its
// entries mean may stand behind it (the version at the very end, in the Go SDK's order). So an entry is kept as it
// came, a hash that may be one of several as its bytes, and settled when all has been read.
#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <vector>

#include "encoding/json_reader.h"
#include "millrace/base64.h"
#include "millrace/tdf_manifest.h"
#include "tdf/algorithm_name.h"
#include "tdf/assertion_json.h"
#include "tdf/root_signature.h"
#include "tdf/segment_overhead.h"
#include "tdf/spec_version.h"

namespace millrace::tdf {

namespace {

constexpr std::string_view kJson = "tdf manifest: JSON";
constexpr std::string_view kHashAlgorithm = "tdf manifest: segmentHashAlg";
constexpr std::string_view kDefaultPlain = "tdf manifest: segmentSizeDefault";
constexpr std::string_view kDefaultCipher = "tdf manifest: encryptedSegmentSizeDefault";
constexpr std::string_view kSegments = "tdf manifest: segments";
constexpr std::string_view kSegmentHash = "tdf manifest: segments.hash";
constexpr std::string_view kSegmentPlain = "tdf manifest: segments.segmentSize";
constexpr std::string_view kSegmentCipher = "tdf manifest: segments.encryptedSegmentSize";
// Numbers, but not those of a segment: most likely changed.
constexpr std::string_view kWrongPlain = "tdf manifest: integrity check: segments.segmentSize";
constexpr std::string_view kWrongCipher = "tdf manifest: integrity check: segments.encryptedSegmentSize";
constexpr std::string_view kKeyAccess = "tdf manifest: keyAccess";
constexpr std::string_view kAssertions = "tdf manifest: assertions";
constexpr std::string_view kTooOld = "tdf manifest: older than version 3";

constexpr std::uint64_t kAbsent = std::numeric_limits<std::uint64_t>::max();

Error malformed(std::string_view where) { return Error{ErrorCode::kMalformed, where}; }

Error at_segment(std::string_view where, std::size_t index, ErrorCode code = ErrorCode::kMalformed) {
  return Error{code, where, 0, std::in_range<int>(index + 1) ? static_cast<int>(index + 1) : 0};
}

// The base64 texts that hashes have: 16 raw bytes; 32 raw bytes or 32 digits; 64 digits.
constexpr std::size_t kText16 = 24;
constexpr std::size_t kText32 = 44;
constexpr std::size_t kText64 = 88;

// read_hash keeps in 32 bytes what the text holds and returns the text's size, or 0 if no hash has such a text.
std::uint8_t read_hash(std::string_view text, std::array<std::byte, 32>& hash) {
  const ByteSpan out(hash);
  bool good = false;
  if (text.size() == kText16) good = decode_hash(text, SpecVersion::k430, out.first(16));
  if (text.size() == kText32) good = decode_hash(text, SpecVersion::k430, out);
  if (text.size() == kText64) good = decode_hash(text, SpecVersion::k422, out);
  return good ? static_cast<std::uint8_t>(text.size()) : std::uint8_t{0};
}

class ManifestReader {
 public:
  ManifestReader(std::string_view text, const ManifestLimits& limits)
      : in_(text, kJson, {.max_size = limits.max_size, .max_depth = limits.max_depth}), limits_(limits) {}

  Result<Manifest> read() {
    MR_TRY(in_.object(kJson, [this](std::string_view name) -> Status {
      if (name == "schemaVersion") return in_.text("tdf manifest: schemaVersion", m_.schema_version);
      if (name == "tdf_spec_version") return in_.text("tdf manifest: tdf_spec_version", old_version_);
      if (name == "payload") return read_payload();
      if (name == "encryptionInformation") return read_encryption();
      if (name == "assertions") return read_assertions();
      return in_.skip();
    }));
    MR_TRY(in_.finish());
    MR_TRY(check_presence());
    MR_TRY(settle_version());
    MR_TRY(settle_segments());
    return std::move(m_);
  }

 private:
  // expect_text is for members that have one value in all files of this format; they may be absent.
  Status expect_text(std::string_view where, std::string_view value) {
    std::string text(value);
    MR_TRY(in_.text(where, text));
    if (!same_name(text, value)) return in_.fail(where);
    return Ok{};
  }

  Status read_size(std::string_view where, std::uint64_t& size) {
    MR_TRY(const bool absent, in_.take_null());
    if (absent) return Ok{};
    MR_TRY(size, in_.integer(where));
    return Ok{};
  }

  Status read_payload() {
    has_payload_ = true;
    return in_.object("tdf manifest: payload", [this](std::string_view name) -> Status {
      if (name == "type") return expect_text("tdf manifest: payload.type", "reference");
      if (name == "url") return in_.text("tdf manifest: payload.url", m_.payload_url);
      if (name == "mimeType") return in_.text("tdf manifest: payload.mimeType", m_.mime_type);
      if (name != "isEncrypted") return in_.skip();
      MR_TRY(const bool is_encrypted, in_.boolean("tdf manifest: payload.isEncrypted"));
      if (!is_encrypted) return in_.fail("tdf manifest: payload.isEncrypted");
      return Ok{};
    });
  }

  Status read_encryption() {
    return in_.object("tdf manifest: encryptionInformation", [this](std::string_view name) -> Status {
      if (name == "type") return expect_text("tdf manifest: encryptionInformation.type", "split");
      if (name == "policy") return in_.text("tdf manifest: policy", m_.policy);
      if (name == "keyAccess") return read_key_access();
      if (name == "keyAccesses") return in_.fail(kTooOld);
      if (name == "method") return read_method();
      if (name == "integrityInformation") return read_integrity();
      return in_.skip();
    });
  }

  Status read_method() {
    return in_.object("tdf manifest: method", [this](std::string_view name) -> Status {
      // isStreamable, whatever its capitals, and iv say nothing about the payload.
      if (name != "algorithm") return in_.skip();
      has_method_ = true;
      return expect_text("tdf manifest: method.algorithm", "AES-256-GCM");
    });
  }

  Status read_key_access() {
    return in_.array(kKeyAccess, [this](std::size_t index) -> Status {
      if (index == limits_.max_key_access) return in_.fail(kKeyAccess, ErrorCode::kLimitExceeded);
      KeyAccessObject& object = m_.key_access.emplace_back();
      MR_TRY(in_.object(kKeyAccess, [&](std::string_view name) -> Status {
        if (name == "type") return in_.text("tdf manifest: keyAccess.type", object.type);
        if (name == "url") return in_.text("tdf manifest: keyAccess.url", object.url);
        if (name == "protocol") return in_.text("tdf manifest: keyAccess.protocol", object.protocol);
        if (name == "kid") return in_.text("tdf manifest: keyAccess.kid", object.kid);
        if (name == "sid") return in_.text("tdf manifest: keyAccess.sid", object.sid);
        if (name == "wrappedKey") return in_.text("tdf manifest: keyAccess.wrappedKey", object.wrapped_key);
        if (name == "policyBinding") return read_binding(object);
        if (name == "encryptedMetadata") {
          return in_.text("tdf manifest: keyAccess.encryptedMetadata", object.encrypted_metadata);
        }
        if (name == "ephemeralPublicKey") {
          return in_.text("tdf manifest: keyAccess.ephemeralPublicKey", object.ephemeral_public_key);
        }
        if (name == "schemaVersion") return in_.text("tdf manifest: keyAccess.schemaVersion", object.schema_version);
        return in_.skip();
      }));
      if (object.type.empty()) return malformed("tdf manifest: keyAccess.type");
      if (object.type == "remoteWrapped") return malformed(kTooOld);
      return Ok{};
    });
  }

  Status read_binding(KeyAccessObject& object) {
    constexpr std::string_view kBinding = "tdf manifest: keyAccess.policyBinding";
    MR_TRY(const JsonKind kind, in_.kind());
    if (kind != JsonKind::kObject) return in_.text(kBinding, object.binding_hash);
    return in_.object(kBinding, [&](std::string_view name) -> Status {
      if (name == "alg") return in_.text(kBinding, object.binding_algorithm);
      if (name == "hash") return in_.text(kBinding, object.binding_hash);
      return in_.skip();
    });
  }

  Status read_integrity() {
    has_integrity_ = true;
    return in_.object("tdf manifest: integrityInformation", [this](std::string_view name) -> Status {
      if (name == "rootSignature") return read_root();
      if (name == "segmentHashAlg") return in_.text(kHashAlgorithm, hash_algorithm_);
      if (name == "segmentSizeDefault") return read_size(kDefaultPlain, default_plain_);
      if (name == "encryptedSegmentSizeDefault") return read_size(kDefaultCipher, default_cipher_);
      if (name == "segments") return read_segments();
      return in_.skip();
    });
  }

  Status read_root() {
    return in_.object("tdf manifest: rootSignature", [this](std::string_view name) -> Status {
      if (name == "alg") return in_.text("tdf manifest: rootSignature.alg", m_.root_algorithm);
      if (name != "sig") return in_.skip();
      MR_TRY(m_.root_signature, in_.string("tdf manifest: rootSignature.sig"));
      has_root_ = true;
      return Ok{};
    });
  }

  Status read_segments() {
    has_segments_ = true;
    return in_.array(kSegments, [this](std::size_t index) -> Status {
      if (index == limits_.max_segments) return in_.fail(kSegments, ErrorCode::kLimitExceeded);
      Segment& segment = m_.segments.emplace_back();
      segment.plain_size = kAbsent;
      segment.cipher_size = kAbsent;
      hash_texts_.push_back(0);
      bool has_hash = false;
      MR_TRY(in_.object(kSegments, [&](std::string_view name) -> Status {
        if (name == "segmentSize") return read_size(kSegmentPlain, segment.plain_size);
        if (name == "encryptedSegmentSize") return read_size(kSegmentCipher, segment.cipher_size);
        if (name != "hash") return in_.skip();
        MR_TRY(const std::string_view text, in_.string(kSegmentHash));
        hash_texts_.back() = read_hash(text, segment.hash);
        has_hash = true;
        return Ok{};
      }));
      if (!has_hash) return malformed(kSegmentHash);
      return Ok{};
    });
  }

  Status read_assertions() {
    MR_TRY(const bool absent, in_.take_null());
    if (absent) return Ok{};
    return in_.array(kAssertions, [this](std::size_t index) -> Status {
      if (index == limits_.max_assertions) return in_.fail(kAssertions, ErrorCode::kLimitExceeded);
      MR_TRY(Assertion assertion, read_assertion(in_));
      // Keys are chosen by id: one id, one assertion. Old files leave it out.
      if (!assertion.id.empty() && !assertion_ids_.insert(assertion.id).second) {
        return malformed("tdf manifest: assertions.id");
      }
      m_.assertions.push_back(std::move(assertion));
      return Ok{};
    });
  }

  Status check_presence() const {
    if (!has_payload_) return malformed("tdf manifest: payload");
    if (!has_integrity_) return malformed(kTooOld);
    if (!has_method_) return malformed("tdf manifest: method.algorithm");
    if (m_.policy.empty()) return malformed("tdf manifest: policy");
    if (m_.key_access.empty()) return malformed(kKeyAccess);
    if (m_.root_algorithm.empty()) return malformed("tdf manifest: rootSignature.alg");
    if (!has_root_) return malformed("tdf manifest: rootSignature.sig");
    if (!has_segments_) return malformed(kSegments);
    return Ok{};
  }

  bool is_legacy() const { return m_.version == SpecVersion::k422; }

  Status settle_version() {
    const auto version = version_of(m_.schema_version.empty() ? old_version_ : m_.schema_version);
    if (!version) return malformed("tdf manifest: schemaVersion");
    m_.version = *version;
    if (same_name(hash_algorithm_, to_text(SegmentHash::kHs256))) {
      m_.segment_hash = SegmentHash::kHs256;
    } else if (!same_name(hash_algorithm_, to_text(SegmentHash::kGmac)) && !(hash_algorithm_.empty() && is_legacy())) {
      return malformed(kHashAlgorithm);
    }
    return Ok{};
  }

  Status settle_segments() {
    if (default_plain_ == kAbsent || default_plain_ == 0) return malformed(kDefaultPlain);
    if (default_cipher_ == kAbsent || default_cipher_ <= kSegmentOverhead) return malformed(kDefaultCipher);
    if (!is_legacy() && default_cipher_ - default_plain_ != kSegmentOverhead) return malformed(kDefaultCipher);
    m_.default_plain_size = default_plain_;
    m_.default_cipher_size = default_cipher_;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < m_.segments.size(); ++i) {
      Segment& segment = m_.segments[i];
      if (segment.cipher_size == kAbsent) segment.cipher_size = default_cipher_;
      if (segment.cipher_size < kSegmentOverhead) return at_segment(kWrongCipher, i);
      if (segment.cipher_size > limits_.max_segment_size) {
        return at_segment(kSegmentCipher, i, ErrorCode::kLimitExceeded);
      }
      // Old writers left the default size on a short last segment, so what counts is what is stored.
      const std::uint64_t plain_size = segment.cipher_size - kSegmentOverhead;
      if (segment.plain_size == kAbsent) segment.plain_size = default_plain_;
      if (!is_legacy() && segment.plain_size != plain_size) return at_segment(kWrongPlain, i);
      segment.plain_size = plain_size;
      if (segment.cipher_size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) - sum) {
        return at_segment(kWrongCipher, i);  // no file is that large
      }
      sum += segment.cipher_size;
      settle_hash(segment, hash_texts_[i]);
    }
    return Ok{};
  }

  // A text that was no hash is tampering, and tampering is found out with a key.
  void settle_hash(Segment& segment, std::size_t text_size) const {
    const bool raw = !is_legacy();
    const bool gmac = m_.segment_hash == SegmentHash::kGmac;
    segment.hash_is_valid = text_size == (raw ? (gmac ? kText16 : kText32) : (gmac ? kText32 : kText64));
    if (segment.hash_is_valid && !raw && gmac) {
      const std::string text = base64_encode(segment.hash);
      segment.hash = {};
      segment.hash_is_valid = decode_hash(text, SpecVersion::k422, ByteSpan(segment.hash).first(16));
    }
    if (!segment.hash_is_valid) segment.hash = {};
  }

  JsonReader in_;
  const ManifestLimits& limits_;
  Manifest m_;
  std::string old_version_;
  std::string hash_algorithm_;
  std::uint64_t default_plain_ = kAbsent;
  std::uint64_t default_cipher_ = kAbsent;
  std::vector<std::uint8_t> hash_texts_;  // of each segment: the size of the hash's text, or 0
  std::set<std::string, std::less<>> assertion_ids_;
  bool has_payload_ = false;
  bool has_method_ = false;
  bool has_integrity_ = false;
  bool has_root_ = false;
  bool has_segments_ = false;
};

}  // namespace

Result<Manifest> parse_manifest(ByteView json, const ManifestLimits& limits) {
  return ManifestReader(as_text(json), limits).read();
}

}  // namespace millrace::tdf
