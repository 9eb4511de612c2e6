// NewFile: a TDF file on its way: its key, its cipher, and the bytes that stand around the payload.
//
//   | local header | payload: the segments, moved by a driver | tail: descriptor, manifest entry, directory |
//
// How the segments get from the plaintext to the file is the business of the driver (writer.cc). What is the same for
// all of them is here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "millrace/bytes.h"
#include "millrace/result.h"
#include "millrace/secret.h"
#include "millrace/tdf.h"
#include "segment/segment_stage.h"
#include "tdf/manifest_plan.h"
#include "tdf/tdf_cipher.h"
#include "zip/archive_builder.h"

namespace millrace::tdf {

// FilePlan is what all files of one Writer have in common.
class FilePlan {
 public:
  // create checks the options, targets and keys included: it makes one manifest to see that it can be made, and what
  // its size is. Errors: kInvalidArgument.
  static Result<FilePlan> create(WriterOptions options);

  const WriterOptions& options() const { return options_; }
  const ManifestPlan& manifest() const { return manifest_; }
  // new_manifest is a manifest of a new file with everything but the table and what is signed over it.
  Result<Manifest> new_manifest(ByteView key) const;
  // sign completes it, under the same key. The table is there by now.
  Status sign(Manifest& manifest, ByteView key) const;
  // shape is what a file for so much plaintext will be. Errors: kLimitExceeded.
  Result<Info> shape(std::uint64_t plain_size) const;

 private:
  explicit FilePlan(WriterOptions options) : options_(std::move(options)) {}

  WriterOptions options_;
  ManifestPlan manifest_;
};

class NewFile {
 public:
  // `plain_size`, if known, must be what is sealed. `plan` must outlive the file.
  static Result<NewFile> create(const FilePlan& plan, std::optional<std::uint64_t> plain_size);

  const TdfCipher& cipher() const { return *cipher_; }
  SegmentStage stage() const { return SegmentStage(*cipher_, Direction::kSeal); }
  ByteView header() const { return header_; }
  // The size of the whole file, if the plaintext's is known.
  std::optional<std::uint64_t> size() const { return size_; }

  // tail makes what stands behind the payload, once, when all segments have been sealed. Errors: kLimitExceeded.
  Result<std::string> tail();
  // What the file has become: all zero before tail().
  const Info& info() const { return info_; }

 private:
  explicit NewFile(const FilePlan& plan) : plan_(&plan) {}

  const FilePlan* plan_;
  SecretBytes key_;
  Manifest manifest_;
  std::unique_ptr<const TdfCipher> cipher_;
  zip::ArchiveBuilder archive_;
  std::vector<std::byte> header_;
  std::optional<std::uint64_t> size_;
  Info info_;
};

}  // namespace millrace::tdf
