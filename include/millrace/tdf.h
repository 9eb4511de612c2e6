// TDF: write and open OpenTDF files (docs/formats/tdf.md).
//
// A file is a ZIP archive of two stored entries: the payload, sealed segment by segment, and a manifest that says how.
// The payload comes first, so a file is written in one pass; a reader needs positions, because the manifest is at the
// end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "millrace/bytes.h"
#include "millrace/result.h"
#include "millrace/stream.h"
#include "millrace/tdf_keys.h"
#include "millrace/tdf_manifest.h"

namespace millrace::tdf {

inline constexpr std::uint64_t kDefaultSegmentSize = std::uint64_t{2} << 20;
// What every SDK reads: 16 KiB up to 4 MiB less the overhead of a segment.
inline constexpr std::uint64_t kMinSegmentSize = std::uint64_t{16} << 10;
inline constexpr std::uint64_t kMaxPortableSegmentSize = (std::uint64_t{4} << 20) - 28;

// Split says what several targets mean: any one of them opens the file, or all of them are needed.
enum class Split : std::uint8_t { kAll, kAny };

struct WriterOptions {
  std::vector<KasTarget> targets;  // at least one
  Split split = Split::kAll;
  Policy policy;            // an empty uuid is filled in
  std::string policy_json;  // instead of `policy`: used as it is, after it was checked
  std::string mime_type = "application/octet-stream";
  std::string metadata;  // encrypted for each target; empty: none
  std::vector<NewAssertion> assertions;
  // Plaintext bytes of a full segment. An input of known length whose manifest would
  // pass `max_manifest_size` gets a larger one, up to kMaxPortableSegmentSize.
  std::uint64_t segment_size = kDefaultSegmentSize;
  bool portable = true;  // false: any segment size from 1 byte to 1 GiB, also such as the SDKs refuse
  SegmentHash segment_hash = SegmentHash::kGmac;  // kHs256 with k422 is refused: no two SDKs agree on it
  SpecVersion version = SpecVersion::k430;
  std::uint64_t max_manifest_size = std::uint64_t{10} << 20;  // what other readers take
};

// Info is what came out.
struct Info {
  std::uint64_t plain_size = 0;
  std::uint64_t file_size = 0;
  std::uint64_t segments = 0;
  std::uint64_t segment_size = 0;  // plaintext bytes of a full one
  std::uint64_t manifest_size = 0;
};

// Writer makes TDF files, each with a fresh key. It is const and safe to use from many threads; the objects it makes
// serve one thread each, borrow what they are given and must not outlive the Writer.
//
// Errors: kInvalidArgument from create() for options that contradict each other; kLimitExceeded when the manifest would
// become larger than readers take: at once when the length is known, else with the first segment that has no place in
// it (detail: a segment size in KiB that would do for what was seen, 0 if there is none).
class Writer {
 public:
  static Result<Writer> create(WriterOptions options);
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();

  // FileSink and FileSource can say what they made, after finish() or the end: all zero before, and after an error.
  class FileSink : public Sink {
   public:
    virtual Info info() const = 0;
  };
  class FileSource : public Source {
   public:
    virtual Info info() const = 0;
  };

  // Push: plaintext is written to a Sink, the file to `out`. Memory does not depend on the segment size. finish()
  // writes the manifest and leaves `out` open. `plain_size`, if known, must be what is written; it decides between ZIP
  // and ZIP64, which unknown lengths always get.
  Result<std::unique_ptr<FileSink>> sink(Sink& out, std::optional<std::uint64_t> plain_size = std::nullopt) const;
  // Pull: the file as a Source over the plaintext. threads > 1 reads ahead and seals that many segments at once, whole;
  // one thread needs no more memory than a sink. Its remaining() is known when the plaintext's is.
  Result<std::unique_ptr<FileSource>> source(Source& plaintext, unsigned threads = 1) const;
  // Positions: from file to file on `threads` threads, without a copy.
  Result<Info> write_at(const ReadAt& plaintext, const WriteAt& file, unsigned threads) const;
  // file_size is the exact size of the file for a plaintext of this size, if the size is known in advance: below 2 GiB,
  // an unknown length takes some ZIP64 fields more.
  Result<std::uint64_t> file_size(std::uint64_t plain_size) const;

 private:
  struct State;
  explicit Writer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// ContainerEntry is an entry of the ZIP archive.
struct ContainerEntry {
  std::string name;
  std::uint64_t header_offset = 0;
  std::uint64_t data_offset = 0;
  std::uint64_t size = 0;
  std::uint32_t crc = 0;  // of the stored bytes, as the directory has it
};

// Inspection is what a file says without a key. Nothing of it is authenticated.
struct Inspection {
  Manifest manifest;
  std::string manifest_json;  // the text of the entry
  std::vector<ContainerEntry> entries;
  bool zip64 = false;
  std::uint64_t file_size = 0;
  std::uint64_t payload_offset = 0;
  std::uint64_t payload_size = 0;
  std::uint64_t plain_size = 0;
};

enum class FileKind : std::uint8_t { kUnknown, kTdf, kHtmlTdf, kNanoTdf };
// recognize looks at the first bytes of a file (64 are enough; fewer of a shorter file).
FileKind recognize(ByteView first_bytes);

// inspect reads container and manifest. Errors: kMalformed, kLimitExceeded, kIo.
Result<Inspection> inspect(const ReadAt& file, const ManifestLimits& limits = {});

struct ReaderOptions {
  ManifestLimits limits;
  bool verify_assertions = true;
  // Borrowed until open() returns; null: every assertion must be signed with the file's key.
  const AssertionKeys* assertion_keys = nullptr;
};

// AccessFailure says why one key access object gave nothing.
struct AccessFailure {
  std::size_t object = 0;  // index in the manifest
  Error error;
  std::string explanation;
};

// Reader opens one file. open() checks everything but the payload: the manifest, the shares and their policy bindings,
// the root signature, the table of segments against the payload, the assertions. Then each segment leaves only when its
// hash and its tag are right. It is const and safe to use from many threads; `file` must outlive it.
//
// Errors: kNotAuthentic for a wrong key and for tampering, `where` names the object (root signature, segment signature,
// payload size, policy binding, assertion); kMalformed, kLimitExceeded, kIo as inspect().
class Reader {
 public:
  static Result<Reader> open(const ReadAt& file, const KeyAccess& keys, const ReaderOptions& options = {},
                             std::vector<AccessFailure>* failures = nullptr);
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  const Manifest& manifest() const;
  Info info() const;
  // The metadata that was encrypted with the file, if any.
  const std::optional<std::string>& metadata() const;

  // The plaintext as a stream; threads > 1 reads ahead. Segments before a bad one are delivered first.
  std::unique_ptr<Source> source(unsigned threads = 1) const;
  // Whole, from file to file. What was written is not to be used before this returns without an error.
  Status decrypt_at(const WriteAt& plaintext, unsigned threads) const;
  // verify authenticates everything and writes nothing.
  Status verify(unsigned threads) const;
  // Random access to the plaintext, safe from many threads.
  Result<std::unique_ptr<ReadAt>> read_at() const;

 private:
  struct State;
  explicit Reader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace millrace::tdf
