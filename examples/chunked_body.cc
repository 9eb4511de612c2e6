// chunked_body: the body of an S3 upload for any HTTP library: headers to set, and a function that fills the library's
// buffer (CURLOPT_READFUNCTION, a boost::beast body, ...). Here stdout stands for the connection.
#include <cstdio>
#include <vector>

#include "millrace/aws_chunked.h"

using namespace millrace;

// UploadBody is what the library calls for more bytes, in a buffer of any size.
class UploadBody {
 public:
  static Result<UploadBody> create(const aws_chunked::Format& format, Source& payload) {
    MR_TRY(aws_chunked::EncodingSource encoded, aws_chunked::EncodingSource::create(format, payload));
    return UploadBody(std::move(encoded));
  }
  // The payload is read straight into `buffer`; a result below its size is the end.
  Result<std::size_t> read(ByteSpan buffer) { return read_full(encoded_, buffer); }
  // Before a retry: `payload` is at its beginning again.
  Status rewind(Source& payload) { return encoded_.rewind(payload); }

 private:
  explicit UploadBody(aws_chunked::EncodingSource encoded) : encoded_(std::move(encoded)) {}
  aws_chunked::EncodingSource encoded_;
};

static Status run(const char* path) {
  MR_TRY(const auto file, FileSource::open(path));
  aws_chunked::FormatOptions options;
  options.checksums = {DigestAlgorithm::kCrc64Nvme};
  MR_TRY(const aws_chunked::Format format, aws_chunked::Format::create(options));
  if (!file->remaining()) return Error{ErrorCode::kInvalidArgument, "a body of unknown length"};
  MR_TRY(const auto headers, format.request_headers(*file->remaining(), aws_chunked::Transport::kTls));
  for (const sigv4::Header& header : headers)
    std::fprintf(stderr, "%s: %s\n", header.name.c_str(), header.value.c_str());

  MR_TRY(UploadBody body, UploadBody::create(format, *file));
  std::vector<std::byte> buffer(16 * 1024);
  std::size_t size = buffer.size();
  while (size == buffer.size()) {
    MR_TRY(size, body.read(buffer));
    std::fwrite(buffer.data(), 1, size, stdout);
  }
  return Ok{};
}

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: %s FILE\n", argv[0]), 2;
  if (const Status status = run(argv[1]); !status)
    return std::fprintf(stderr, "%s\n", describe(status.error()).c_str()), 1;
  return 0;
}
