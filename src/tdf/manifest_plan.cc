#include "tdf/manifest_plan.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "millrace/base64.h"
#include "millrace/tdf.h"
#include "tdf/manifest_text.h"
#include "tdf/tdf_cipher.h"

namespace millrace::tdf {

namespace {

// The digits of both sizes of a segment.
std::uint64_t size_digits(std::uint64_t plain_size) {
  return std::to_string(plain_size).size() + std::to_string(plain_size + kSegmentOverhead).size();
}

std::uint64_t base64_size(std::uint64_t n) { return base64_encoded_size(static_cast<std::size_t>(n)); }
std::uint64_t base64url_size(std::uint64_t n) {
  return base64_encoded_size(static_cast<std::size_t>(n), {Base64Alphabet::kUrlSafe, Base64Padding::kForbidden});
}

}  // namespace

Result<ManifestPlan> ManifestPlan::create(Manifest prototype, std::uint64_t max_size) {
  ManifestPlan plan;
  plan.max_size_ = max_size;
  const bool raw = prototype.version == SpecVersion::k430;
  plan.hash_in_token_ = raw ? 32 : 64;
  plan.aggregate_ = hash_size(prototype.segment_hash) * (raw ? 1 : 2);

  plan.hash_ = prototype.segment_hash;
  plan.version_ = prototype.version;
  // One digit and two; the real ones are counted with the segment size.
  prototype.default_plain_size = 1;
  prototype.default_cipher_size = 1 + kSegmentOverhead;
  MR_TRY(const ManifestText text, manifest_text(prototype));
  plan.fixed_ = text.head.size() + text.tail.size() - size_digits(1);

  // HEADER.CLAIMS.SIGNATURE; the claims hold base64(aggregate | hash), here of an empty aggregate.
  for (const Assertion& assertion : prototype.assertions) {
    const std::string& token = assertion.binding_signature;
    const std::size_t first = token.find('.');
    const std::size_t second = token.find('.', first + 1);
    MR_CHECK(first != std::string::npos && second != std::string::npos);
    const std::uint64_t claims = second - first - 1;
    plan.tokens_.push_back({token.size() - claims, claims * 3 / 4 - base64_size(plan.hash_in_token_)});
    plan.fixed_ -= token.size();
  }
  return plan;
}

std::uint64_t ManifestPlan::assertions_size(std::uint64_t segments) const {
  const std::uint64_t signed_text = base64_size(segments * aggregate_ + hash_in_token_);
  std::uint64_t size = 0;
  for (const Token& token : tokens_) size += token.around + base64url_size(token.claims + signed_text);
  return size;
}

std::uint64_t ManifestPlan::size(std::uint64_t plain_size, std::uint64_t segment_size) const {
  const std::uint64_t full = plain_size == 0 ? 0 : (plain_size - 1) / segment_size;
  const std::uint64_t last = plain_size - full * segment_size;
  MR_CHECK(full < kMaxSegments);
  const auto entry = [&](std::uint64_t plain) { return segment_text_size(plain, hash_, version_); };
  return fixed_ + size_digits(segment_size) + full * (entry(segment_size) + 1) + entry(last) +
         assertions_size(full + 1);
}

std::uint64_t ManifestPlan::max_segments(std::uint64_t segment_size) const {
  // The size grows with every segment, and none takes less than the smallest entry.
  std::uint64_t fit = 0;
  std::uint64_t beyond = std::min(kMaxSegments, max_size_ / segment_text_size(1, hash_, version_) + 1) + 1;
  while (beyond - fit > 1) {
    const std::uint64_t middle = fit + (beyond - fit) / 2;
    (middle <= kMaxSegments && fits(middle * segment_size, segment_size) ? fit : beyond) = middle;
  }
  return fit;
}

Result<std::uint64_t> ManifestPlan::choose_segment_size(std::uint64_t plain_size, std::uint64_t wanted) const {
  for (std::uint64_t size = wanted;; size = std::min(2 * size, kMaxPortableSegmentSize)) {
    if ((plain_size / size) < kMaxSegments - 1 && fits(plain_size, size)) return size;
    if (size >= kMaxPortableSegmentSize) return too_large(plain_size, wanted);
  }
}

Error ManifestPlan::too_large(std::uint64_t plain_size, std::uint64_t segment_size) const {
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 20;  // 1 GiB
  static constexpr std::uint64_t kMostPortable = kMaxPortableSegmentSize / 1024;
  // Of an unknown length only the beginning was seen; what barely held that would be no advice. So at least the double.
  const auto next = [](std::uint64_t kib) { return kib < kMostPortable ? std::min(2 * kib, kMostPortable) : 2 * kib; };
  std::uint64_t kib = next((segment_size + 1023) / 1024);
  while (kib <= kMost && !(plain_size / (kib * 1024) < kMaxSegments - 1 && fits(plain_size, kib * 1024))) {
    kib = next(kib);
  }
  return Error{ErrorCode::kLimitExceeded, "manifest size: larger than readers take, use larger segments", plain_size,
               static_cast<int>(kib <= kMost ? kib : 0)};
}

}  // namespace millrace::tdf
