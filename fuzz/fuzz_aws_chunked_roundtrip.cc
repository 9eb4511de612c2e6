// A payload from the fuzzer, through the encoder and back, with a source and a consumer that behave as the first bytes
// say: what is lent, what is short, where it starts over.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "millrace/aws_chunked.h"

using namespace millrace;
using namespace millrace::aws_chunked;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

class PiecewiseSource final : public Source {
 public:
  PiecewiseSource(ByteView bytes, std::uint8_t steps, bool lends, bool knows)
      : bytes_(bytes), steps_(steps), lends_(lends), knows_(knows) {}
  Result<ByteView> pull(ByteSpan scratch) override {
    const std::size_t step = steps_ == 0 ? scratch.size() : steps_ * std::size_t{97};
    const ByteView part = bytes_.first(std::min({step, scratch.size(), bytes_.size()}));
    bytes_ = bytes_.subspan(part.size());
    if (lends_) return part;
    std::copy(part.begin(), part.end(), scratch.begin());
    return ByteView(scratch.first(part.size()));
  }
  std::optional<std::uint64_t> remaining() const override {
    return knows_ ? std::optional<std::uint64_t>(bytes_.size()) : std::nullopt;
  }

 private:
  ByteView bytes_;
  std::uint8_t steps_;
  bool lends_;
  bool knows_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 6) return 0;
  const bool is_signed = (data[0] & 1) != 0;
  FormatOptions form;
  form.signatures = is_signed ? Signatures::kChunks : Signatures::kNone;
  form.chunk_size = kMinChunkSize + data[1];
  if (!is_signed || (data[0] & 2) != 0) form.checksums = {DigestAlgorithm::kCrc32c};
  ChunkSigning signing;
  signing.key = SecretBytes(32);
  signing.scope = {"20130524T000000Z", "us-east-1"};
  signing.seed_signature = std::string(64, '0');
  const ChunkSigning* const with = is_signed ? &signing : nullptr;
  const bool lends = (data[0] & 4) != 0;
  const bool knows = (data[0] & 8) != 0;
  // The payload: the rest, repeated, so that small inputs make several chunks.
  std::string payload;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 6, size - 6);
  for (unsigned times = 0; times <= data[5] && payload.size() < 64 * 1024; ++times) payload += rest;

  const Format format = *Format::create(form);
  PiecewiseSource source(as_bytes(payload), data[2], lends, knows);
  EncodingSource encoding = *EncodingSource::create(format, source, with);
  std::string scratch(1 + data[3] * std::size_t{131}, '\0');
  const ByteSpan room(reinterpret_cast<std::byte*>(scratch.data()), scratch.size());
  PiecewiseSource again(as_bytes(payload), data[2], lends, knows);
  if ((data[0] & 16) != 0) {
    for (unsigned pulls = data[4]; pulls > 0 && !encoding.pull(room)->empty(); --pulls) {
    }
    require(encoding.rewind(again).has_value());
  }
  const std::uint64_t expected = *format.encoded_length(payload.size());
  require(encoding.remaining() == (knows ? std::optional(expected) : std::nullopt));

  MemorySink decoded;
  DecodingSink decoding = *DecodingSink::create(format, decoded, with, {.decoded_length = payload.size()});
  std::uint64_t length = 0;
  for (;;) {
    const ByteView bytes = *encoding.pull(room);
    if (bytes.empty()) break;
    length += bytes.size();
    require(decoding.write(bytes).has_value());
  }
  require(length == expected);
  require(decoding.finish().has_value());
  require(as_text(decoded.bytes()) == payload);
  return 0;
}
