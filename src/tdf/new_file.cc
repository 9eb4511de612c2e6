#include "tdf/new_file.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"
#include "crypto/random.h"
#include "millrace/base64.h"
#include "tdf/assertion.h"
#include "tdf/entry_names.h"
#include "tdf/key_split.h"
#include "tdf/manifest_text.h"
#include "tdf/root_signature.h"

namespace millrace::tdf {

namespace {

constexpr std::uint64_t kMaxSegmentSize = std::uint64_t{1} << 30;
constexpr std::size_t kMaxMimeType = 255;

Error refuse(std::string_view where) { return {ErrorCode::kInvalidArgument, where}; }

bool is_printable_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

// check_policy_json takes any policy that readers and key access servers understand; it is used as it is.
Status check_policy_json(std::string_view json) {
  // Some readers take the base64 of other text for Latin-1.
  if (!std::ranges::all_of(json, [](char c) { return c > 0 && c < 0x7f; })) return refuse("policy: not ASCII");
  const Result<Policy> policy = parse_policy(as_bytes(json));
  if (!policy) return Error{ErrorCode::kInvalidArgument, policy.error().where, policy.error().offset};
  // What to_json would not write, a key access server would not read.
  MR_TRY(to_json(*policy));
  return Ok{};
}

Status check_options(const WriterOptions& options) {
  if (options.segment_hash == SegmentHash::kHs256 && options.version == SpecVersion::k422) {
    return refuse("segment hash: no two readers agree on HS256 in 4.2.2");
  }
  const std::uint64_t least = options.portable ? kMinSegmentSize : 1;
  const std::uint64_t most = options.portable ? kMaxPortableSegmentSize : kMaxSegmentSize;
  if (options.segment_size < least || options.segment_size > most) {
    return refuse(options.portable ? "segment size: readers take 16 KiB to 4 MiB less 28 bytes"
                                   : "segment size: 1 byte to 1 GiB");
  }
  if (options.mime_type.empty() || options.mime_type.size() > kMaxMimeType || !is_printable_ascii(options.mime_type)) {
    return refuse("MIME type");
  }
  if (!options.policy_json.empty()) MR_TRY(check_policy_json(options.policy_json));
  return check_new_assertions(options.assertions);
}

// container_size is the size of an archive with these two entries.
Result<std::uint64_t> container_size(std::uint64_t payload_size, std::uint64_t manifest_size) {
  zip::ArchiveBuilder archive;
  MR_TRY(archive.begin(kPayloadName, payload_size));
  MR_TRY(archive.end(payload_size, 0));
  MR_TRY(archive.add(kManifestName, manifest_size, 0));
  MR_TRY(archive.finish());
  return archive.offset();
}

Result<std::string> policy_text(const WriterOptions& options) {
  if (!options.policy_json.empty()) return options.policy_json;
  if (!options.policy.uuid.empty()) return to_json(options.policy);
  Policy policy = options.policy;
  MR_TRY(policy.uuid, random_uuid());
  return to_json(policy);
}

}  // namespace

Result<FilePlan> FilePlan::create(WriterOptions options) {
  MR_TRY(check_options(options));
  FilePlan plan(std::move(options));
  MR_TRY(const SecretBytes key, random_secret(kKeySize));
  MR_TRY(Manifest manifest, plan.new_manifest(key.reveal()));
  MR_TRY(plan.sign(manifest, key.reveal()));
  MR_TRY(plan.manifest_, ManifestPlan::create(std::move(manifest), plan.options_.max_manifest_size));
  if (!plan.manifest_.fits(1, plan.options_.segment_size)) {
    return Error{ErrorCode::kLimitExceeded, "manifest size: larger than readers take before the first segment"};
  }
  return plan;
}

Result<Manifest> FilePlan::new_manifest(ByteView key) const {
  Manifest manifest;
  manifest.version = options_.version;
  if (options_.version == SpecVersion::k430) manifest.schema_version = to_text(options_.version);
  manifest.mime_type = options_.mime_type;
  MR_TRY(const std::string policy, policy_text(options_));
  manifest.policy = base64_encode(as_bytes(policy));
  MR_TRY(manifest.key_access, wrap_key(key, options_.targets, options_.split, manifest.policy, options_.metadata));
  manifest.segment_hash = options_.segment_hash;
  manifest.root_algorithm = "HS256";
  for (const NewAssertion& added : options_.assertions) manifest.assertions.push_back(added.assertion);
  return manifest;
}

Status FilePlan::sign(Manifest& manifest, ByteView key) const {
  const std::vector<std::byte> aggregate = aggregate_hashes(manifest);
  MR_TRY(manifest.root_signature, root_signature(key, aggregate, options_.version));
  for (std::size_t i = 0; i < manifest.assertions.size(); ++i) {
    const std::optional<AssertionKey>& own = options_.assertions[i].key;
    MR_TRY(sign_assertion(manifest.assertions[i], own ? &*own : nullptr, key, aggregate, options_.version));
  }
  return Ok{};
}

Result<Info> FilePlan::shape(std::uint64_t plain_size) const {
  Info info;
  info.plain_size = plain_size;
  MR_TRY(info.segment_size, manifest_.choose_segment_size(plain_size, options_.segment_size));
  MR_TRY(const SegmentLayout layout, TdfCipher::layout_of(0, info.segment_size));
  MR_TRY(info.segments, layout.segment_count(plain_size));
  info.manifest_size = manifest_.size(plain_size, info.segment_size);
  MR_TRY(info.file_size, container_size(plain_size + info.segments * kSegmentOverhead, info.manifest_size));
  return info;
}

Result<NewFile> NewFile::create(const FilePlan& plan, std::optional<std::uint64_t> plain_size) {
  NewFile file(plan);
  std::uint64_t segment_size = plan.options().segment_size;
  std::optional<std::uint64_t> payload_size;
  TdfCipher::Options cipher;
  if (plain_size) {
    MR_TRY(const Info shape, plan.shape(*plain_size));
    segment_size = shape.segment_size;
    payload_size = *plain_size + shape.segments * kSegmentOverhead;
    cipher.expected_segments = shape.segments;
    file.size_ = shape.file_size;
  }
  MR_TRY(file.header_, file.archive_.begin(kPayloadName, payload_size));

  MR_TRY(file.key_, random_secret(kKeySize));
  MR_TRY(file.manifest_, plan.new_manifest(file.key_.reveal()));
  file.manifest_.default_plain_size = segment_size;
  file.manifest_.default_cipher_size = segment_size + kSegmentOverhead;

  MR_TRY(const SegmentLayout layout, TdfCipher::layout_of(file.header_.size(), segment_size));
  cipher.hash = plan.options().segment_hash;
  cipher.max_segments = plan.manifest().max_segments(segment_size);
  cipher.too_many = plan.manifest().too_large(cipher.max_segments * segment_size + 1, segment_size);
  MR_TRY(file.cipher_, TdfCipher::create(file.key_.reveal(), layout, cipher));
  return file;
}

Result<std::string> NewFile::tail() {
  const std::vector<SegmentRecord>& records = cipher_->table().records();
  std::uint64_t plain_size = 0;
  manifest_.segments.reserve(records.size());
  for (const SegmentRecord& record : records) {
    manifest_.segments.push_back({record.plain_size, record.plain_size + kSegmentOverhead, record.hash, true});
    plain_size += record.plain_size;
  }
  const std::uint64_t segment_size = manifest_.default_plain_size;
  const std::uint64_t json_size = plan_->manifest().size(plain_size, segment_size);
  MR_TRY(plan_->sign(manifest_, key_.reveal()));

  const std::uint64_t payload_size = plain_size + records.size() * kSegmentOverhead;
  MR_TRY(const std::vector<std::byte> descriptor, archive_.end(payload_size, cipher_->payload_crc().value()));
  // The manifest can have several MiB, so it is made where it will stand: behind a local header that has its checksum.
  zip::ArchiveBuilder trial = archive_;
  MR_TRY(const std::vector<std::byte> blank, trial.add(kManifestName, json_size, 0));
  std::string tail(as_text(descriptor));
  tail += as_text(blank);
  const std::size_t json_begin = tail.size();
  MR_TRY(append_json(tail, manifest_));
  MR_CHECK(tail.size() - json_begin == json_size);
  MR_TRY(const std::vector<std::byte> entry,
         archive_.add(kManifestName, as_bytes(std::string_view(tail).substr(json_begin))));
  tail.replace(descriptor.size(), blank.size(), as_text(entry));
  MR_TRY(const std::vector<std::byte> directory, archive_.finish());
  tail += as_text(directory);

  info_ = {plain_size, archive_.offset(), records.size(), segment_size, json_size};
  MR_CHECK(!size_ || *size_ == info_.file_size);
  return tail;
}

}  // namespace millrace::tdf
