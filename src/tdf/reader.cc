#include <limits>
#include <utility>

#include "millrace/tdf.h"
#include "segment/segment_file.h"
#include "segment/segment_source.h"
#include "tdf/assertion.h"
#include "tdf/key_split.h"
#include "tdf/root_signature.h"
#include "tdf/tdf_cipher.h"

namespace millrace::tdf {

struct Reader::State {
  explicit State(const ReadAt& in, SliceReadAt to_payload_end) : file(in), stream(std::move(to_payload_end)) {}

  const ReadAt& file;
  SliceReadAt stream;  // the file up to the end of the payload: offsets in it are those of the file
  Manifest manifest;
  Info info;
  std::optional<std::string> metadata;
  std::unique_ptr<const TdfCipher> cipher;  // none: a payload of no segments, which is empty

  Status transform(const WriteAt* out, unsigned threads) const {
    if (!cipher) return Ok{};
    return transform_at(SegmentStage(*cipher, Direction::kOpen), {}, stream, out, threads);
  }
};

namespace {

// check_table holds the table against the payload: where the root signature does not reach, as it is over the hashes
// alone. The sizes are made trustworthy by the segments themselves, each of which opens only whole.
Status check_table(const Inspection& found) {
  const Error tampered{ErrorCode::kNotAuthentic, "tamper detected: payload size, or that of a segment",
                       found.payload_offset};
  std::uint64_t left = found.payload_size;
  for (const Segment& segment : found.manifest.segments) {
    if (segment.cipher_size > left) return tampered;
    left -= segment.cipher_size;
  }
  if (left != 0) return tampered;
  return Ok{};
}

Result<std::unique_ptr<const TdfCipher>> make_cipher(const Manifest& manifest, std::uint64_t payload_offset,
                                                     ByteView key) {
  if (manifest.segments.empty()) return std::unique_ptr<const TdfCipher>();
  constexpr std::uint64_t kFarthest = std::numeric_limits<std::int32_t>::max();
  if (payload_offset > kFarthest) return Error{ErrorCode::kLimitExceeded, "payload offset", payload_offset};
  std::vector<std::uint64_t> sizes;
  std::vector<SegmentRecord> expected;
  sizes.reserve(manifest.segments.size());
  expected.reserve(manifest.segments.size());
  for (const Segment& segment : manifest.segments) {
    sizes.push_back(segment.cipher_size);
    expected.push_back({segment.hash, {}, static_cast<std::uint32_t>(segment.plain_size)});
  }
  MR_TRY(const SegmentLayout layout, SegmentLayout::listed(payload_offset, kGcmNonceSize, kGcmTagSize, sizes));
  TdfCipher::Options options;
  options.hash = manifest.segment_hash;
  return TdfCipher::create(key, layout, options, std::move(expected));
}

class PlainSource final : public Source {
 public:
  PlainSource(const TdfCipher& cipher, const ReadAt& stream, unsigned threads)
      : sealed_(stream, cipher.layout().header_size(), stream.size()) {
    const SegmentStage stage(cipher, Direction::kOpen);
    if (threads > 1) {
      opened_ = std::make_unique<ParallelSegmentSource>(stage, ByteView{}, sealed_, threads);
    } else {
      opened_ = std::make_unique<SegmentSource>(stage, ByteView{}, sealed_);
    }
  }
  Result<ByteView> pull(ByteSpan scratch) override { return opened_->pull(scratch); }
  std::optional<std::uint64_t> remaining() const override { return opened_->remaining(); }

 private:
  ReadAtSource sealed_;
  std::unique_ptr<Source> opened_;
};

}  // namespace

Reader::Reader(std::unique_ptr<State> state) : state_(std::move(state)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

Result<Reader> Reader::open(const ReadAt& file, const KeyAccess& keys, const ReaderOptions& options,
                            std::vector<AccessFailure>* failures) {
  MR_TRY(Inspection found, inspect(file, options.limits));
  MR_TRY(SliceReadAt stream, SliceReadAt::create(file, 0, found.payload_offset + found.payload_size));
  auto state = std::make_unique<State>(file, std::move(stream));

  MR_TRY(RecoveredKey recovered, recover_key(found.manifest, keys, failures));
  const ByteView key = recovered.key.reveal();
  const std::vector<std::byte> aggregate = aggregate_hashes(found.manifest);
  MR_TRY(check_root_signature(found.manifest, key, aggregate));
  MR_TRY(check_table(found));
  if (options.verify_assertions) {
    MR_TRY(verify_assertions(found.manifest, options.assertion_keys, key, aggregate));
  }
  MR_TRY(state->cipher, make_cipher(found.manifest, found.payload_offset, key));

  state->metadata = std::move(recovered.metadata);
  state->info = {found.plain_size, found.file_size, found.manifest.segments.size(), found.manifest.default_plain_size,
                 found.manifest_json.size()};
  state->manifest = std::move(found.manifest);
  return Reader(std::move(state));
}

const Manifest& Reader::manifest() const { return state_->manifest; }
Info Reader::info() const { return state_->info; }
const std::optional<std::string>& Reader::metadata() const { return state_->metadata; }

std::unique_ptr<Source> Reader::source(unsigned threads) const {
  if (!state_->cipher) return std::make_unique<MemorySource>(ByteView{});
  return std::make_unique<PlainSource>(*state_->cipher, state_->stream, threads);
}

Status Reader::decrypt_at(const WriteAt& plaintext, unsigned threads) const {
  return state_->transform(&plaintext, threads);
}

Status Reader::verify(unsigned threads) const { return state_->transform(nullptr, threads); }

Result<std::unique_ptr<ReadAt>> Reader::read_at() const {
  if (!state_->cipher) return std::unique_ptr<ReadAt>(std::make_unique<MemoryReadAt>(ByteView{}));
  MR_TRY(std::unique_ptr<SegmentReadAt> reader, SegmentReadAt::create(*state_->cipher, state_->stream));
  return std::unique_ptr<ReadAt>(std::move(reader));
}

}  // namespace millrace::tdf
