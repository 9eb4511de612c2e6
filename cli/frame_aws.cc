#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "aws_signing.h"
#include "failure.h"
#include "frame.h"
#include "options.h"
#include "transfer.h"

namespace millrace::cli {

namespace {

struct FrameOptions {
  KeyOptions keys;
  TransferOptions transfer;
  ReportOptions report;
  AwsSigningOptions signing;
  std::uint64_t chunk_size = aws_chunked::kDefaultChunkSize;
  std::vector<std::string> checksums;
  std::string headers;
  std::string put;
  bool encrypt = false;
};

struct UnframeOptions {
  TransferOptions transfer;
  ReportOptions report;
  AwsSigningOptions signing;
  std::vector<std::string> checksums;
  std::optional<std::uint64_t> length;
  bool small_chunks = false;
};

std::vector<DigestAlgorithm> algorithms_of(const std::vector<std::string>& names) {
  std::vector<DigestAlgorithm> algorithms;
  for (const std::string& name : names) {
    const auto algorithm = parse_digest_name(name);
    if (!algorithm) {
      std::string known;
      for (const DigestAlgorithm each : digest_algorithms()) (known += known.empty() ? "" : ", ") += digest_name(each);
      fail(kExitUsage, fmt::format("--checksum {}: unknown; one of {}", name, known));
    }
    algorithms.push_back(*algorithm);
  }
  return algorithms;
}

void add_checksum_to(CLI::App& verb, std::vector<std::string>& checksums, const char* description) {
  verb.add_option("--checksum", checksums, description)
      ->type_name("ALG")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(not_empty());
}

// HeaderFile is written before the body, for the HTTP client, and removed if the body does not get complete.
class HeaderFile {
 public:
  HeaderFile(std::string path, const std::vector<sigv4::Header>& headers, bool replace) : path_(std::move(path)) {
    std::string text;
    for (const sigv4::Header& header : headers) text += header.name + ": " + header.value + "\n";
    write_file(path_, as_bytes(text), replace ? Overwrite::kYes : Overwrite::kNo, Privacy::kOwner);
  }
  ~HeaderFile() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
  }
  HeaderFile(const HeaderFile&) = delete;
  HeaderFile& operator=(const HeaderFile&) = delete;
  void keep() { path_.clear(); }

 private:
  std::string path_;
};

// length_of is the length of the payload. An empty file does not know its own (it may be one of /proc), nor does an
// empty pipe; so it is asked for a byte.
std::uint64_t length_of(Source& payload, const Transfer& transfer) {
  if (const std::optional<std::uint64_t> length = payload.remaining()) return *length;
  std::byte first[1];
  if (!value_or_fail(payload.pull(first), transfer.input_name()).empty())
    fail(kExitUsage, "--headers: the length of the input is not known beforehand, and S3 wants it; use a file");
  return 0;
}

void frame(const FrameOptions& options) {
  using namespace aws_chunked;
  if (options.encrypt != !options.keys.keyset.empty()) fail(kExitUsage, "--encrypt and --keyset go together");
  if (!options.put.empty() && options.headers.empty())
    fail(kExitUsage, "--put needs --headers FILE: the request is of no use without them");
  FormatOptions form;
  form.chunk_size = static_cast<std::size_t>(options.chunk_size);
  form.checksums = algorithms_of(options.checksums);
  const bool is_signed = !options.signing.seed.empty() || !options.put.empty();
  if (is_signed) form.signatures = Signatures::kChunks;
  if (!is_signed && form.checksums.empty()) form.checksums = {DigestAlgorithm::kCrc64Nvme};
  const Result<Format> format = Format::create(form);
  if (!format) fail(kExitUsage, fmt::format("--chunk-size {}: from 8KiB to 16MiB", options.chunk_size));
  std::optional<ChunkSigning> signing = options.signing.signing();
  std::optional<PutUrl> url;
  if (!options.put.empty()) url = parse_put_url(options.put);

  std::optional<tink::StreamingAead> aead;
  std::vector<std::byte> associated_data;
  if (options.encrypt) {
    options.transfer.check_against(options.keys.files());
    aead.emplace(options.keys.streaming());
    associated_data = options.keys.read_associated_data();
  }
  Transfer transfer("frame", options.transfer, options.report, Content::kBinary);
  std::unique_ptr<tink::StreamSource> sealed;
  if (aead)
    sealed = value_or_fail(aead->encrypt_source(transfer.source(), associated_data, transfer.threads()), "encrypt");
  Source* payload = sealed ? static_cast<Source*>(sealed.get()) : &transfer.source();

  std::optional<HeaderFile> header_file;
  std::optional<std::uint64_t> length = payload->remaining();
  MemorySource nothing({});
  if (!options.headers.empty()) {
    length = length_of(*payload, transfer);
    if (length == std::uint64_t{0}) payload = &nothing;
    const Transport transport = url && !url->tls ? Transport::kCleartext : Transport::kTls;
    std::vector<sigv4::Header> headers = value_or_fail(format->request_headers(*length, transport), "--headers");
    // The HTTP client sends a length of its own.
    std::erase_if(headers, [](const sigv4::Header& header) { return header.name == "content-length"; });
    if (url) signing = sign_put(*url, options.signing, format->content_sha256(), headers);
    header_file.emplace(options.headers, headers, options.transfer.force);
  }
  EncodingSource body =
      value_or_fail(EncodingSource::create(*format, *payload, signing ? &*signing : nullptr, length), "aws-chunked");
  if (transfer.positional_output() && body.remaining()) transfer.reserve(*body.remaining());
  Report report;
  report.output_bytes = transfer.pump_to_sink(body);
  report.bytes = transfer.bytes_read();
  if (sealed) {
    report.segments = sealed->info().segments;
    report.key_id = sealed->info().key_id;
  }
  transfer.finish(report);
  if (header_file) header_file->keep();
}

void unframe(const UnframeOptions& options) {
  using namespace aws_chunked;
  const std::optional<ChunkSigning> signing = options.signing.signing();
  FormatOptions form;
  form.signatures = signing ? Signatures::kChunks : Signatures::kNone;
  form.checksums = algorithms_of(options.checksums);
  DecodeOptions decoding;
  decoding.decoded_length = options.length;
  if (options.small_chunks) decoding.min_chunk_size = 1;
  if (form.checksums.empty() && !signing) {
    // Which one comes is not known before the end; so all are computed.
    form.checksums.assign(digest_algorithms().begin(), digest_algorithms().end());
    decoding.trailers = Trailers::kAnyOf;
  }
  const Format format = value_or_fail(Format::create(form), "aws-chunked");
  Transfer transfer("unframe", options.transfer, options.report, Content::kText);
  DecodingSource payload = value_or_fail(
      DecodingSource::create(format, transfer.source(), signing ? &*signing : nullptr, decoding), "aws-chunked");
  Report report;
  report.output_bytes = report.bytes = transfer.pump_to_sink(payload);
  report.verified = true;
  transfer.finish(report);
}

}  // namespace

void add_frame_aws_chunked(CLI::App& group) {
  CLI::App* verb = group.add_subcommand("aws-chunked", "The body of an upload to S3, with checksum or signatures");
  auto options = std::make_shared<FrameOptions>();
  verb->add_option("--chunk-size", options->chunk_size, "payload of a chunk, 8KiB to 16MiB; default: 64KiB")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(false));
  add_checksum_to(*verb, options->checksums, "trailing checksum, may be repeated; default: crc64nvme, none if signed");
  verb->add_flag("--encrypt", options->encrypt, "encrypt first, with --keyset");
  options->keys.add_to(*verb);
  options->signing.add_to(*verb);
  verb->add_option("--put", options->put, "sign a PUT to URL and its chunks, with the AWS_* environment")
      ->type_name("URL")
      ->check(not_empty())
      ->excludes("--sign");
  verb->add_option("--headers", options->headers, "write the headers that the request needs, for curl -H @FILE")
      ->type_name("FILE")
      ->check(not_empty());
  options->transfer.add_to(*verb, true);
  options->report.add_to(*verb);
  verb->footer(
      "Example:\n  millrace frame aws-chunked --checksum crc32 --headers h -o body backup.tar\n"
      "  curl -H @h -T body --aws-sigv4 aws:amz:eu-central-1:s3 --user \"$ID:$SECRET\" "
      "https://bucket.s3.../backup.tar\n"
      "  millrace frame aws-chunked --put http://127.0.0.1:9000/bucket/key --headers h -o body backup.tar\n"
      "  pg_dump shop | millrace frame aws-chunked --encrypt --keyset keys.json > body");
  verb->callback([options] { frame(*options); });
}

void add_unframe_aws_chunked(CLI::App& group) {
  CLI::App* verb = group.add_subcommand("aws-chunked", "The payload of an upload to S3");
  auto options = std::make_shared<UnframeOptions>();
  add_checksum_to(*verb, options->checksums, "the checksums that must be there; default: any one, if not signed");
  verb->add_option("--length", options->length, "of the payload, as x-amz-decoded-content-length said")->type_name("N");
  verb->add_flag("--small-chunks", options->small_chunks, "take chunks below 8 KiB that are not the last");
  options->signing.add_to(*verb);
  options->transfer.add_to(*verb, true);
  options->report.add_to(*verb);
  verb->footer(
      "A file appears when all of it is verified. Unsigned bytes leave for a pipe before their checksum was seen.\n"
      "Example:\n  millrace unframe aws-chunked -o backup.tar body\n"
      "  millrace unframe aws-chunked --checksum crc32 --length 1048576 < body | sha256sum");
  verb->callback([options] { unframe(*options); });
}

}  // namespace millrace::cli
