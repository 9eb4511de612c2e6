// Bodies that others made or accepted.
#include <fstream>
#include <nlohmann/json.hpp>

#include "s3/aws_chunked_reference.h"

namespace millrace::aws_chunked {
namespace {

using namespace testing;
using nlohmann::json;

json vectors(const std::string& name) {
  std::ifstream in(std::string(MILLRACE_TEST_VECTORS) + "/s3/" + name);
  return json::parse(in);
}

// The bodies are described in words.
std::string body_of(const json& vector) {
  const std::string words = vector["body"];
  const std::size_t size = vector["decoded_length"];
  std::string body;
  unsigned byte = 0, times = 0;
  char rest = 0;
  if (words == "empty") {
  } else if (words.rfind("bytes 00..ff repeated", 0) == 0) {
    for (std::size_t i = 0; i < size; ++i) body += static_cast<char>(i);
  } else if (std::sscanf(words.c_str(), "%x x %u%c", &byte, &times, &rest) == 2) {
    body.assign(times, static_cast<char>(byte));
  } else {
    const std::size_t quote = words.find('"');
    body = quote == std::string::npos ? words : words.substr(quote + 1, words.rfind('"') - quote - 1);
  }
  EXPECT_EQ(body.size(), size) << words;
  return body;
}

std::vector<DigestAlgorithm> checksums_of(const json& vector) {
  const std::string prefix = "x-amz-checksum-";
  if (!vector.contains("trailer") || vector["trailer"].is_null()) return {};
  return {*parse_digest_name(vector["trailer"].get<std::string>().substr(prefix.size()))};
}

TEST(AwsChunkedVectors, AllOfThem) {
  const json file = vectors("aws-chunked.json");
  std::size_t cases = 0;
  for (const json& vector : file["cases"]) {
    ++cases;
    SCOPED_TRACE(vector.dump().substr(0, 200));
    const std::string payload = body_of(vector);
    const bool is_signed = vector.contains("seed_signature");
    ChunkSigning signing;
    Reference reference{vector["chunk_size"], is_signed ? &signing : nullptr, checksums_of(vector)};
    const Format format = reference.format();
    EXPECT_EQ(format.content_sha256(), vector["mode"]);
    if (is_signed) {
      signing.scope = {"20130524T000000Z", "us-east-1"};
      signing.key =
          *sigv4::signing_key(as_bytes(file["secret_access_key"].get_ref<const std::string&>()), signing.scope);
      signing.seed_signature = vector["seed_signature"];

      // The seed comes from the headers that the format asks for.
      std::vector<sigv4::Header> headers = *format.request_headers(payload.size(), Transport::kTls);
      std::erase_if(headers, [](const sigv4::Header& header) { return header.name == "content-length"; });
      headers.push_back({"host", vector["header_values"]["host"]});
      headers.push_back({"x-amz-date", "20130524T000000Z"});
      std::vector<sigv4::Field> fields;
      for (const auto& header : headers) fields.push_back({header.name, header.value});
      const auto canonical = sigv4::canonical_request({"PUT", "/chunkObject.txt", {}, fields, format.content_sha256()});
      ASSERT_TRUE(canonical);
      EXPECT_EQ(sha256_hex(*canonical), vector["canonical_request_sha256"]);
      EXPECT_EQ(*sigv4::signature(signing.key.reveal(), *sigv4::string_to_sign(signing.scope, *canonical)),
                signing.seed_signature);
    }
    MemorySource source(as_bytes(payload));
    EncodingSource encoding = *EncodingSource::create(format, source, is_signed ? &signing : nullptr);
    EXPECT_EQ(encoding.remaining(), vector["encoded_length"].get<std::uint64_t>());
    EXPECT_EQ(*format.encoded_length(payload.size()), vector["encoded_length"].get<std::uint64_t>());
    const std::string body = *pull_all(encoding, 4096);
    EXPECT_EQ(sha256_hex(body), vector["encoded_sha256"]);
    EXPECT_EQ(body, vector.value("encoded_text", body));
    EXPECT_EQ(reference.encode(payload), body);  // so that the other tests may trust it
    EXPECT_EQ(*decode(format, body, is_signed ? &signing : nullptr, {.decoded_length = payload.size()}), payload);
  }
  EXPECT_EQ(cases, 90u);
}

TEST(AwsChunkedVectors, DocumentedExamples) {
  const json file = vectors("sigv4-s3-examples.json");
  std::size_t cases = 0;
  for (const json& vector : file["cases"]) {
    if (!vector.contains("seed_signature")) continue;
    ++cases;
    SCOPED_TRACE(vector["name"].get<std::string>());
    ChunkSigning signing;
    signing.scope = {file["timestamp"], file["region"]};
    signing.key = *sigv4::signing_key(as_bytes(file["secret_access_key"].get_ref<const std::string&>()), signing.scope);
    signing.seed_signature = vector["seed_signature"];
    const bool trailer = !vector["trailer_signature"].is_null();
    const Format format = *Format::create(
        {65536, Signatures::kChunks, trailer ? std::vector{DigestAlgorithm::kCrc32c} : std::vector<DigestAlgorithm>{}});
    const std::string payload(66560, 'a');
    MemorySource source(as_bytes(payload));
    EncodingSource encoding = *EncodingSource::create(format, source, &signing);
    const std::string body = *pull_all(encoding, 1 << 20);
    EXPECT_EQ(body.size(), vector["encoded_length"]);
    std::size_t at = 0;
    for (const json& signature : vector["chunk_signatures_including_final"]) {
      at = body.find(";chunk-signature=", at) + 17;
      EXPECT_EQ(body.substr(at, 64), signature);
    }
    if (trailer) {
      EXPECT_NE(body.find("x-amz-trailer-signature:" + vector["trailer_signature"].get<std::string>() + "\r\n\r\n"),
                std::string::npos);
    }
  }
  EXPECT_EQ(cases, 2u);
}

// The Rust SDK's upload of 10,240 bytes in signed chunks, from the signature in its headers on.
TEST(AwsChunkedVectors, RustSdkRecording) {
  const json file = vectors("smithy-rs--chunk-signing.json");
  std::string recorded, authorization;
  for (const json& event : file["events"]) {
    if (event["action"].contains("Request"))
      authorization = event["action"]["Request"]["request"]["headers"]["authorization"][0];
    if (event["action"].contains("Data") && event["action"]["Data"]["direction"] == "Request")
      recorded += event["action"]["Data"]["data"]["Utf8"].get<std::string>();
  }
  ASSERT_GT(recorded.size(), 10240u);
  ChunkSigning signing;
  signing.scope = {"20090213T233130Z", "us-east-1"};
  signing.key = *sigv4::signing_key(as_bytes("notrealrnrELgWzOk3IfjzDKtFBhDby"), signing.scope);
  signing.seed_signature = authorization.substr(authorization.rfind('=') + 1);
  const Format format = *Format::create({8192, Signatures::kChunks, {DigestAlgorithm::kCrc32}});
  const std::string payload(10240, 'a');
  EXPECT_EQ(*decode(format, recorded, &signing, {.decoded_length = 10240}), payload);
  MemorySource source(as_bytes(payload));
  EncodingSource encoding = *EncodingSource::create(format, source, &signing);
  EXPECT_EQ(*pull_all(encoding, 1 << 20), recorded);
}

// The JS SDK's upload of a stream, which makes chunks of what the stream yields. Its chunks are taken on request.
TEST(AwsChunkedVectors, JavaScriptSdkRecording) {
  const std::string recorded = "28\r\n" + std::string(40, 'a') + "\r\n14\r\n" + std::string(20, 'b') +
                               "\r\n0\r\nx-amz-checksum-crc32:sydSyw==\r\n\r\n";
  const Format format = *Format::create({.checksums = {DigestAlgorithm::kCrc32}});
  EXPECT_EQ(*decode(format, recorded, nullptr, {.decoded_length = 60, .min_chunk_size = 1}),
            std::string(40, 'a') + std::string(20, 'b'));
  EXPECT_EQ(decode(format, recorded, nullptr, {}).error().where, "aws-chunked: small chunk before the last");
}

}  // namespace
}  // namespace millrace::aws_chunked
