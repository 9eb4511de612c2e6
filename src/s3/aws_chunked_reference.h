// What the tests of aws-chunked compare with: the body of a payload made in one go, from the grammar and the signature
// rules, with OpenSSL called directly for the signatures. Nothing here is shared with the code under test, except the
// checksums, which have tests and vectors of their own.
#pragma once

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <concepts>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "base/copy.h"
#include "millrace/aws_chunked.h"
#include "millrace/base64.h"
#include "testing/bytes.h"
#include "testing/streams.h"

namespace millrace::aws_chunked::testing {

using namespace millrace::testing;

inline std::string hex(const unsigned char* bytes, std::size_t n) {
  std::string text;
  char two[3];
  for (std::size_t i = 0; i < n; ++i) {
    std::snprintf(two, sizeof two, "%02x", bytes[i]);
    text += two;
  }
  return text;
}

inline std::string sha256_hex(std::string_view text) {
  unsigned char digest[32];
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha256(), nullptr);
  return hex(digest, size);
}

inline std::string hmac_hex(ByteView key, std::string_view text) {
  unsigned char mac[32];
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), mac, &size);
  return hex(mac, size);
}

inline std::string base64_digest(DigestAlgorithm algorithm, std::string_view text) {
  Digest digest = *Digest::create(algorithm);
  digest.update(as_bytes(text));
  std::byte value[kMaxDigestSize];
  return base64_encode(*digest.finish(value));
}

// The forms of a body.
struct Form {
  const char* name;
  bool is_signed;
  std::vector<DigestAlgorithm> checksums;
};
inline const Form kForms[] = {
    {"unsigned", false, {DigestAlgorithm::kCrc32}},
    {"unsigned, several", false, {DigestAlgorithm::kXxh3, DigestAlgorithm::kSha256, DigestAlgorithm::kCrc32c}},
    {"signed", true, {}},
    {"signed, trailer", true, {DigestAlgorithm::kCrc64Nvme}},
    {"signed, several", true, {DigestAlgorithm::kSha1, DigestAlgorithm::kCrc32}},
};

struct Reference {
  std::size_t chunk_size = kDefaultChunkSize;
  const ChunkSigning* signing = nullptr;
  std::vector<DigestAlgorithm> checksums = {};

  std::string encode(std::string_view payload) const {
    std::string body, previous = signing != nullptr ? signing->seed_signature : "";
    const auto sign = [&](const std::string& kind, const std::string& hashes) {
      const sigv4::Scope& scope = signing->scope;
      previous = hmac_hex(signing->key.reveal(), "AWS4-HMAC-SHA256-" + kind + "\n" + scope.date_time + "\n" +
                                                     scope.date_time.substr(0, 8) + "/" + scope.region + "/" +
                                                     scope.service + "/aws4_request\n" + previous + "\n" + hashes);
      return previous;
    };
    const auto chunk = [&](std::string_view part) {
      char size[20];
      std::snprintf(size, sizeof size, "%zx", part.size());
      body += size;
      if (signing != nullptr) body += ";chunk-signature=" + sign("PAYLOAD", sha256_hex("") + "\n" + sha256_hex(part));
      body += "\r\n";
      if (!part.empty()) (body += part) += "\r\n";
    };
    for (std::size_t at = 0; at < payload.size(); at += chunk_size) chunk(payload.substr(at, chunk_size));
    chunk({});
    std::map<std::string, std::string> trailers;
    for (const DigestAlgorithm algorithm : checksums)
      trailers["x-amz-checksum-" + std::string(digest_name(algorithm))] = base64_digest(algorithm, payload);
    std::string hashed;
    for (const auto& [name, value] : trailers) {
      body += name + ":" + value + "\r\n";
      hashed += name + ":" + value + "\n";
    }
    if (signing != nullptr && !trailers.empty())
      body += "x-amz-trailer-signature:" + sign("TRAILER", sha256_hex(hashed)) + "\r\n";
    return body + "\r\n";
  }
  Format format() const {
    return *Format::create({chunk_size, signing != nullptr ? Signatures::kChunks : Signatures::kNone, checksums});
  }
};

inline ChunkSigning test_signing(std::uint64_t seed = 1) {
  ChunkSigning signing;
  signing.key = SecretBytes::copy_of(noise_bytes(32, seed));
  signing.scope = {"20260801T120000Z", "eu-central-1"};
  const Bytes noise = noise_bytes(32, seed + 1);
  signing.seed_signature = hex(reinterpret_cast<const unsigned char*>(noise.data()), noise.size());
  return signing;
}

// pull_all reads a source to its end with scratches of the sizes that `step` gives.
template <std::invocable Step>
Result<std::string> pull_all(Source& source, const Step& step) {
  std::string all;
  Bytes scratch;
  for (;;) {
    scratch.assign(step(), std::byte{0xdd});
    MR_TRY(const ByteView bytes, source.pull(scratch));
    EXPECT_LE(bytes.size(), scratch.size());
    if (bytes.empty()) return all;
    all += as_text(bytes);
  }
}
inline Result<std::string> pull_all(Source& source, std::size_t step) {
  return pull_all(source, [step] { return step; });
}

inline Result<std::string> gather_all(EncodingSource& source) {
  std::string all;
  for (;;) {
    MR_TRY(const Pieces pieces, source.gather());
    if (pieces.empty()) return all;
    for (const ByteView piece : {pieces.header, pieces.payload, pieces.end}) all += as_text(piece);
  }
}

// decode gives the payload, or the error.
inline Result<std::string> decode(const Format& format, std::string_view body, const ChunkSigning* signing,
                                  const DecodeOptions& options, const Supply& supply = {}, std::size_t step = 100) {
  TestSource source(as_bytes(body), supply);
  MR_TRY(DecodingSource decoding, DecodingSource::create(format, source, signing, options));
  return pull_all(decoding, step);
}

// decode_sink does it in the other direction, in writes of `step` bytes.
inline Result<std::string> decode_sink(const Format& format, std::string_view body, const ChunkSigning* signing,
                                       const DecodeOptions& options, std::size_t step) {
  TestSink sink;
  MR_TRY(DecodingSink decoding, DecodingSink::create(format, sink, signing, options));
  for (std::size_t at = 0; at < body.size(); at += step) {
    MR_TRY(decoding.write(as_bytes(body.substr(at, step))));
    EXPECT_EQ(sink.finishes(), 0u);
  }
  MR_TRY(decoding.finish());
  EXPECT_EQ(sink.finishes(), 1u);
  return std::string(as_text(sink.bytes()));
}

}  // namespace millrace::aws_chunked::testing
