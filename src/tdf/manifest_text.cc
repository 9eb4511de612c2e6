// Writing: the Go SDK's member order, ASCII, no blanks.
#include "tdf/manifest_text.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/check.h"
#include "encoding/json_text.h"
#include "millrace/base64.h"
#include "tdf/assertion_json.h"
#include "tdf/root_signature.h"
#include "tdf/segment_overhead.h"

namespace millrace::tdf {

namespace {

// Text builds the text; the first string that is not UTF-8 spoils it.
class Text {
 public:
  Text& raw(std::string_view json) {
    out_ += json;
    return *this;
  }
  Text& string(std::string_view text) {
    good_ = append_json_ascii(out_, text) && good_;
    return *this;
  }
  // member is raw(`json`), which ends in the name and a colon, and then the string.
  Text& member(std::string_view json, std::string_view text) { return raw(json).string(text); }
  Text& number(std::uint64_t value) { return raw(std::to_string(value)); }
  std::string& out() { return out_; }
  Result<std::string> finish() {
    if (!good_) return Error{ErrorCode::kInvalidArgument, "tdf manifest: text that is not UTF-8"};
    return std::move(out_);
  }

 private:
  std::string out_;
  bool good_ = true;
};

std::string_view non_empty(std::string_view text, std::string_view otherwise) {
  return text.empty() ? otherwise : text;
}

void append_key_access(Text& text, const KeyAccessObject& object) {
  text.member(R"({"type":)", object.type).member(R"(,"url":)", object.url).member(R"(,"protocol":)", object.protocol);
  text.member(R"(,"wrappedKey":)", object.wrapped_key);
  const std::string_view algorithm = non_empty(object.binding_algorithm, "HS256");
  text.member(R"(,"policyBinding":{"alg":)", algorithm).member(R"(,"hash":)", object.binding_hash).raw("}");
  if (!object.encrypted_metadata.empty()) text.member(R"(,"encryptedMetadata":)", object.encrypted_metadata);
  text.member(R"(,"kid":)", object.kid);
  if (!object.sid.empty()) text.member(R"(,"sid":)", object.sid);
  text.member(R"(,"schemaVersion":)", non_empty(object.schema_version, "1.0"));
  if (!object.ephemeral_public_key.empty()) text.member(R"(,"ephemeralPublicKey":)", object.ephemeral_public_key);
  text.raw("}");
}

Result<std::string> head_of(const Manifest& manifest) {
  Text text;
  text.member(R"({"encryptionInformation":{"type":"split","policy":)", manifest.policy).raw(R"(,"keyAccess":[)");
  for (const KeyAccessObject& object : manifest.key_access) {
    if (&object != &manifest.key_access.front()) text.raw(",");
    append_key_access(text, object);
  }
  text.raw(R"(],"method":{"algorithm":"AES-256-GCM","iv":"","isStreamable":true},"integrityInformation":{)");
  text.member(R"("rootSignature":{"alg":)", manifest.root_algorithm);
  text.member(R"(,"sig":)", manifest.root_signature);
  text.member(R"(},"segmentHashAlg":)", to_text(manifest.segment_hash));
  text.raw(R"(,"segmentSizeDefault":)").number(manifest.default_plain_size);
  text.raw(R"(,"encryptedSegmentSizeDefault":)").number(manifest.default_cipher_size);
  text.raw(R"(,"segments":[)");
  return text.finish();
}

Result<std::string> tail_of(const Manifest& manifest) {
  Text text;
  text.member(R"(]}},"payload":{"type":"reference","url":)", manifest.payload_url);
  text.member(R"(,"protocol":"zip","mimeType":)", manifest.mime_type).raw(R"(,"isEncrypted":true})");
  if (!manifest.assertions.empty()) {
    text.raw(R"(,"assertions":[)");
    for (const Assertion& assertion : manifest.assertions) {
      if (&assertion != &manifest.assertions.front()) text.raw(",");
      MR_TRY(append_assertion(text.out(), assertion));
    }
    text.raw("]");
  }
  // Files of the old form say so by saying nothing.
  if (manifest.version != SpecVersion::k422) text.member(R"(,"schemaVersion":)", to_text(manifest.version));
  text.raw("}");
  return text.finish();
}

constexpr std::string_view kHash = R"({"hash":")";
constexpr std::string_view kPlain = R"(","segmentSize":)";
constexpr std::string_view kCipher = R"(,"encryptedSegmentSize":)";
constexpr std::string_view kEnd = "}";

std::size_t digits(std::uint64_t value) {
  std::size_t n = 1;
  while (value >= 10) {
    value /= 10;
    ++n;
  }
  return n;
}

Status check_table(const Manifest& manifest) {
  for (const Segment& segment : manifest.segments) {
    if (!segment.hash_is_valid || segment.plain_size > kMaxPlainSize ||
        segment.cipher_size != segment.plain_size + kSegmentOverhead) {
      return Error{ErrorCode::kInvalidArgument, "tdf manifest: segments"};
    }
  }
  return Ok{};
}

}  // namespace

Result<ManifestText> manifest_text(const Manifest& manifest) {
  if (manifest.key_access.empty()) return Error{ErrorCode::kInvalidArgument, "tdf manifest: keyAccess"};
  if (manifest.default_plain_size > kMaxPlainSize ||
      manifest.default_cipher_size != manifest.default_plain_size + kSegmentOverhead) {
    return Error{ErrorCode::kInvalidArgument, "tdf manifest: segmentSizeDefault"};
  }
  MR_TRY(std::string head, head_of(manifest));
  MR_TRY(std::string tail, tail_of(manifest));
  return ManifestText{std::move(head), std::move(tail)};
}

void append_segment(std::string& out, const Segment& segment, SegmentHash hash, SpecVersion version) {
  out += kHash;
  out += encode_hash(ByteView(segment.hash).first(hash_size(hash)), version);
  std::array<char, 20> number;  // 2^64 has 20 digits
  const auto add = [&](std::string_view name, std::uint64_t value) {
    out += name;
    out.append(number.data(), std::to_chars(number.data(), number.data() + number.size(), value).ptr);
  };
  add(kPlain, segment.plain_size);
  add(kCipher, segment.cipher_size);
  out += kEnd;
}

std::uint64_t segment_text_size(std::uint64_t plain_size, SegmentHash hash, SpecVersion version) {
  const std::size_t stored = version == SpecVersion::k430 ? hash_size(hash) : 2 * hash_size(hash);
  return kHash.size() + base64_encoded_size(stored) + kPlain.size() + digits(plain_size) + kCipher.size() +
         digits(plain_size + kSegmentOverhead) + kEnd.size();
}

Result<std::uint64_t> json_size(const Manifest& without_segments, std::uint64_t segments,
                                std::uint64_t last_plain_size) {
  // 2^32 entries are the most that one key may seal; the sum below is then far from its limit.
  if (segments > std::uint64_t{1} << 32 || last_plain_size > kMaxPlainSize) {
    return Error{ErrorCode::kInvalidArgument, "tdf manifest: segments"};
  }
  MR_TRY(const ManifestText text, manifest_text(without_segments));
  const auto entry = [&](std::uint64_t plain_size) {
    return segment_text_size(plain_size, without_segments.segment_hash, without_segments.version);
  };
  std::uint64_t size = text.head.size() + text.tail.size();
  if (segments == 0) return size;
  size += (segments - 1) * (entry(without_segments.default_plain_size) + 1);  // with its comma
  return size + entry(last_plain_size);
}

Status append_json(std::string& out, const Manifest& manifest) {
  MR_TRY(check_table(manifest));
  MR_TRY(const ManifestText text, manifest_text(manifest));
  out.reserve(out.size() + text.head.size() + text.tail.size() +
              manifest.segments.size() *
                  (1 + segment_text_size(kMaxPlainSize, manifest.segment_hash, manifest.version)));
  out += text.head;
  for (const Segment& segment : manifest.segments) {
    if (&segment != &manifest.segments.front()) out += ',';
    append_segment(out, segment, manifest.segment_hash, manifest.version);
  }
  out += text.tail;
  return Ok{};
}

Result<std::string> to_json(const Manifest& manifest) {
  std::string json;
  MR_TRY(append_json(json, manifest));
  return json;
}

std::string_view to_text(SegmentHash hash) { return hash == SegmentHash::kGmac ? "GMAC" : "HS256"; }

}  // namespace millrace::tdf
