// Any bytes as an aws-chunked body. The first byte chooses the form and the pieces in which the rest arrives. The
// verdict and the payload do not depend on the pieces; a body that is accepted is the encoding of its payload, but for
// the sizes of its chunks.
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

struct Decoded {
  Status status = Ok{};
  std::string payload;
};

Decoded decode(const Format& format, ByteView body, const ChunkSigning* signing, const DecodeOptions& options,
               std::size_t step) {
  MemorySink sink;
  DecodingSink decoding = *DecodingSink::create(format, sink, signing, options);
  Decoded result;
  while (!body.empty() && result.status) {
    const ByteView piece = body.first(std::min(step, body.size()));
    body = body.subspan(piece.size());
    result.status = decoding.write(piece);
  }
  if (result.status) result.status = decoding.finish();
  result.payload = as_text(sink.bytes());
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const bool is_signed = (data[0] & 1) != 0;
  FormatOptions form;
  form.signatures = is_signed ? Signatures::kChunks : Signatures::kNone;
  if (!is_signed || (data[0] & 2) != 0) form.checksums = {DigestAlgorithm::kCrc32, DigestAlgorithm::kCrc64Nvme};
  ChunkSigning signing;
  signing.key = SecretBytes(32);
  signing.scope = {"20130524T000000Z", "us-east-1"};
  signing.seed_signature = std::string(64, '0');
  const ChunkSigning* const with = is_signed ? &signing : nullptr;
  DecodeOptions options;
  options.trailers = (data[0] & 4) != 0 ? Trailers::kAnyOf : Trailers::kAnnounced;
  options.min_chunk_size = 1;
  const std::size_t step = 1 + (data[0] >> 3);

  const Format format = *Format::create(form);
  const ByteView body(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  const Decoded whole = decode(format, body, with, options, body.size());
  const Decoded pieces = decode(format, body, with, options, step);
  require(whole.status.has_value() == pieces.status.has_value());
  if (!whole.status) {
    require(whole.status.error().where == pieces.status.error().where);
    require(whole.status.error().offset == pieces.status.error().offset);
    return 0;
  }
  require(whole.payload == pieces.payload);
  // Encoded again it is a body that decodes to the same.
  MemorySource source(as_bytes(whole.payload));
  EncodingSource encoding = *EncodingSource::create(format, source, with);
  MemorySink again;
  require(pump(encoding, again).has_value());
  const Decoded twice = decode(format, again.bytes(), with, {}, again.bytes().size());
  require(twice.status.has_value() && twice.payload == whole.payload);
  return 0;
}
