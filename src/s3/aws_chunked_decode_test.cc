#include "s3/aws_chunked_reference.h"

namespace millrace::aws_chunked {
namespace {

using namespace testing;

constexpr std::size_t kChunk = kMinChunkSize;

// Every way of decoding gives this, or refuses.
Result<std::string> every_way(const Format& format, std::string_view body, const ChunkSigning* signing,
                              const DecodeOptions& options = {}) {
  const Result<std::string> first = decode(format, body, signing, options);
  for (const std::size_t step : {std::size_t{1}, std::size_t{3}, std::size_t{1000}}) {
    const Result<std::string> filled = decode(format, body, signing, options, {.step = step}, 100);
    const Result<std::string> lent = decode(format, body, signing, options, {.lends = true, .step = step}, 50000);
    const Result<std::string> sunk = decode_sink(format, body, signing, options, step);
    for (const Result<std::string>* other : {&filled, &lent, &sunk}) {
      EXPECT_EQ(other->has_value(), first.has_value());
      if (first && *other) {
        EXPECT_TRUE(**other == *first);
      }
      if (!first && !*other) {
        EXPECT_EQ(other->error().where, first.error().where);
        EXPECT_EQ(other->error().offset, first.error().offset);
      }
    }
  }
  return first;
}

std::string why(const Result<std::string>& result) { return result ? "accepted" : std::string(result.error().where); }

TEST(AwsChunkedDecoding, GivesBackThePayloadInAnySteps) {
  const ChunkSigning signing = test_signing();
  for (const Form& form : kForms) {
    const ChunkSigning* const with = form.is_signed ? &signing : nullptr;
    const Reference reference{kChunk, with, form.checksums};
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kChunk - 1, kChunk, kChunk + 1, 3 * kChunk}) {
      SCOPED_TRACE(std::string(form.name) + " " + std::to_string(size));
      const std::string payload(as_text(noise_bytes(size)));
      const std::string body = reference.encode(payload);
      EXPECT_EQ(*every_way(reference.format(), body, with), payload);
      EXPECT_EQ(*every_way(reference.format(), body, with, {.decoded_length = size}), payload);
    }
  }
}

TEST(AwsChunkedDecoding, RefusesEverySingleByteChangeTruncationAndAddition) {
  const ChunkSigning signing = test_signing();
  for (const Form& form : kForms) {
    const ChunkSigning* const with = form.is_signed ? &signing : nullptr;
    const Reference reference{kChunk, with, form.checksums};
    const std::string body = reference.encode("hello, world");
    const DecodeOptions options = {.decoded_length = 12};
    ASSERT_TRUE(decode(reference.format(), body, with, options));
    for (std::size_t i = 0; i < body.size(); ++i) {
      for (int value = 0; value < 256; ++value) {
        std::string changed = body;
        changed[i] = static_cast<char>(value);
        if (changed == body) continue;
        const bool same = i == 0 && changed[0] == 'C';  // the size, "c", in upper case
        for (const DecodeOptions& with_options : {options, DecodeOptions{}}) {
          const auto result = decode_sink(reference.format(), changed, with, with_options, changed.size());
          EXPECT_EQ(result.has_value(), same) << form.name << ": byte " << i << " as " << value;
          if (!result) {
            EXPECT_NE(result.error().code, ErrorCode::kInvalidArgument);
          }
        }
      }
    }
    for (std::size_t n = 0; n < body.size(); ++n) {
      EXPECT_EQ(why(every_way(reference.format(), body.substr(0, n), with)), "aws-chunked: body ends early") << n;
      std::string without = body;
      without.erase(n, 1);
      EXPECT_FALSE(decode(reference.format(), without, with, options)) << n;
      std::string twice = body;
      twice.insert(n, 1, body[n]);
      EXPECT_FALSE(decode(reference.format(), twice, with, options)) << n;
    }
    EXPECT_EQ(why(every_way(reference.format(), body + "\n", with)), "aws-chunked: bytes after the end");
    EXPECT_EQ(why(every_way(reference.format(), body + body, with)), "aws-chunked: bytes after the end");
  }
}

TEST(AwsChunkedDecoding, RefusesWhatIsNotTheFormat) {
  const Format format = *Format::create({.checksums = {DigestAlgorithm::kCrc32}});
  const auto result = [&](const std::string& body) { return why(every_way(format, body, nullptr)); };
  const std::string tail = "0\r\nx-amz-checksum-crc32:DUoRhQ==\r\n\r\n";  // of "hello world"
  EXPECT_EQ(result("b\r\nhello world\r\n" + tail), "accepted");
  EXPECT_EQ(result("B\r\nhello world\r\n" + tail), "accepted");
  EXPECT_EQ(result("0b\r\nhello world\r\n" + tail), "aws-chunked: chunk size");
  EXPECT_EQ(result("0xb\r\nhello world\r\n" + tail), "aws-chunked: chunk extension");
  EXPECT_EQ(result("\r\nhello world\r\n" + tail), "aws-chunked: chunk size");
  EXPECT_EQ(result("-b\r\nhello world\r\n" + tail), "aws-chunked: chunk size");
  EXPECT_EQ(result(" b\r\nhello world\r\n" + tail), "aws-chunked: chunk size");
  EXPECT_EQ(result("b \r\nhello world\r\n" + tail), "aws-chunked: chunk extension");
  EXPECT_EQ(result("b;x=1\r\nhello world\r\n" + tail), "aws-chunked: chunk extension");
  EXPECT_EQ(result("b\nhello world\r\n" + tail), "aws-chunked: line end");
  EXPECT_EQ(result("b\r\nhello world\n" + tail), "aws-chunked: line end");
  EXPECT_EQ(result("b\r\nhello world" + tail), "aws-chunked: chunk longer than its size");
  EXPECT_EQ(result("a\r\nhello world\r\n" + tail), "aws-chunked: chunk longer than its size");
  EXPECT_EQ(result("00\r\n\r\n"), "aws-chunked: chunk size");
  EXPECT_EQ(result("11111111111111111\r\n"), "aws-chunked: chunk size");
  EXPECT_EQ(result("ffffffffffffffff\r\n"), "aws-chunked: chunk size");
  EXPECT_EQ(result(std::string(2000, '1')), "aws-chunked: line too long");
  EXPECT_EQ(result("b\r\nhello world\r\n0\r\n\r\n"), "aws-chunked: trailer missing");
  EXPECT_EQ(result("b\r\nhello world\r\n0\r\nx-amz-checksum-crc32: DUoRhQ==\r\n\r\n"), "aws-chunked: checksum");
  EXPECT_EQ(result("b\r\nhello world\r\n0\r\nX-Amz-Checksum-Crc32:DUoRhQ==\r\n\r\n"),
            "aws-chunked: trailer that was not announced");
  EXPECT_EQ(result("b\r\nhello world\r\n0\r\nx-amz-checksum-crc32c:yZRlqg==\r\n\r\n"),
            "aws-chunked: trailer that was not announced");
  EXPECT_EQ(result("b\r\nhello world\r\n0\r\nx-amz-checksum-crc32\r\n\r\n"), "aws-chunked: trailer");
  EXPECT_EQ(result("b\r\nhello world\r\n0\r\nx-amz-checksum-crc32:DUoRhQ==\r\nx-amz-checksum-crc32:DUoRhQ==\r\n\r\n"),
            "aws-chunked: trailer repeated");
  EXPECT_EQ(result("b\r\nhello world\r\n0\r\nx-amz-checksum-crc32:DUoRhQ==\r\nx-amz-trailer-signature:" +
                   std::string(64, '0') + "\r\n\r\n"),
            "aws-chunked: trailer signature");
}

TEST(AwsChunkedDecoding, HoldsTheLimits) {
  const Format format = *Format::create({.checksums = {DigestAlgorithm::kCrc32}});
  EXPECT_EQ(decode(format, "1000001\r\n", nullptr, {}).error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(why(decode(format, "1000000\r\n", nullptr, {})), "aws-chunked: body ends early");
  EXPECT_EQ(decode(format, "2001\r\n", nullptr, {.max_chunk_size = 8192}).error().code, ErrorCode::kLimitExceeded);
  const std::string line(kMaxLine - 2, '1');
  EXPECT_EQ(why(decode(format, line + "\r\n", nullptr, {})), "aws-chunked: chunk size");
  EXPECT_EQ(why(decode(format, line + "1\r\n", nullptr, {})), "aws-chunked: line too long");
  EXPECT_FALSE(decode(format, "", nullptr, {.min_chunk_size = 10, .max_chunk_size = 9}));

  Reference small{kChunk, nullptr, {DigestAlgorithm::kCrc32}};
  small.chunk_size = kMinChunkSize - 1;
  const std::string payload(3 * small.chunk_size, 'x');
  EXPECT_EQ(why(decode(format, small.encode(payload), nullptr, {})), "aws-chunked: small chunk before the last");
  EXPECT_TRUE(decode(format, small.encode(payload), nullptr, {.min_chunk_size = 1}));
}

TEST(AwsChunkedDecoding, DecodedLengthIsHeld) {
  const ChunkSigning signing = test_signing();
  for (const Form& form : kForms) {
    const ChunkSigning* const with = form.is_signed ? &signing : nullptr;
    const Reference reference{kChunk, with, form.checksums};
    const std::string body = reference.encode(std::string(kChunk + 10, 'x'));
    for (const std::size_t wrong : {std::size_t{0}, kChunk, kChunk + 9, kChunk + 11}) {
      EXPECT_EQ(why(every_way(reference.format(), body, with, {.decoded_length = wrong})),
                "aws-chunked: decoded length");
    }
    // What is too much is not released.
    TestSink sink;
    DecodingSink to_sink = *DecodingSink::create(reference.format(), sink, with, {.decoded_length = kChunk + 9});
    EXPECT_FALSE(to_sink.write(as_bytes(body)));
    EXPECT_EQ(sink.bytes().size(), kChunk);

    MemorySource source(as_bytes(body));
    DecodingSource decoding =
        *DecodingSource::create(reference.format(), source, with, {.decoded_length = kChunk + 10});
    EXPECT_EQ(decoding.remaining(), kChunk + 10);
    Bytes scratch(100);
    ASSERT_EQ(decoding.pull(scratch)->size(), 100u);
    EXPECT_EQ(decoding.remaining(), kChunk - 90);
  }
}

TEST(AwsChunkedDecoding, ReleasesNoByteOfASignedChunkBeforeItsSignature) {
  const ChunkSigning signing = test_signing();
  const Reference reference{kChunk, &signing, {}};
  const std::string payload(as_text(noise_bytes(3 * kChunk)));
  std::string body = reference.encode(payload);
  body[body.size() / 2] ^= 1;  // in the second chunk
  for (const std::size_t step : {std::size_t{1}, std::size_t{100}, std::size_t{1 << 20}}) {
    TestSink sink;
    DecodingSink decoding = *DecodingSink::create(reference.format(), sink, &signing);
    Status status = Ok{};
    for (std::size_t at = 0; at < body.size() && status; at += step)
      status = decoding.write(as_bytes(std::string_view(body).substr(at, step)));
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kNotAuthentic);
    EXPECT_EQ(as_text(sink.bytes()), std::string_view(payload).substr(0, kChunk));
    EXPECT_FALSE(decoding.write(as_bytes("x")));
    EXPECT_FALSE(decoding.finish());
    EXPECT_EQ(sink.finishes(), 0u);
  }
}

TEST(AwsChunkedDecoding, WrongKeySeedDateOrOrderIsNotAuthentic) {
  const ChunkSigning signing = test_signing();
  const Reference reference{kChunk, &signing, {DigestAlgorithm::kCrc32}};
  const std::string body = reference.encode(std::string(kChunk, 'a') + std::string(kChunk, 'b'));
  for (int wrong = 0; wrong < 4; ++wrong) {
    ChunkSigning other = test_signing();
    if (wrong == 0) other.key.fill()[31] ^= std::byte{1};
    if (wrong == 1) other.seed_signature[0] = other.seed_signature[0] == '0' ? '1' : '0';
    if (wrong == 2) other.scope.date_time = "20260801T120001Z";
    if (wrong == 3) other.scope.region = "eu-central-2";
    EXPECT_EQ(every_way(reference.format(), body, &other).error().code, ErrorCode::kNotAuthentic);
  }
  const std::size_t frame = 4 + 81 + 2 + kChunk + 2;
  const std::string swapped = body.substr(frame, frame) + body.substr(0, frame) + body.substr(2 * frame);
  const std::string dropped = body.substr(frame);
  const std::string repeated = body.substr(0, frame) + body;
  for (const std::string& attack : {swapped, dropped, repeated})
    EXPECT_EQ(every_way(reference.format(), attack, &signing).error().code, ErrorCode::kNotAuthentic);
}

TEST(AwsChunkedDecoding, SignedTrailersNeedTheirSignatureLast) {
  const ChunkSigning signing = test_signing();
  const Reference reference{kChunk, &signing, {DigestAlgorithm::kCrc32, DigestAlgorithm::kSha1}};
  const std::string body = reference.encode("some text");
  const std::size_t checksum = body.find("x-amz-checksum-sha1:");
  const std::size_t signature = body.find("x-amz-trailer-signature:");
  const std::string checksum_line = body.substr(checksum, signature - checksum);
  const std::string signature_line = body.substr(signature, body.size() - 2 - signature);
  const std::string before = body.substr(0, checksum);
  // The signature covers the trailers in sorted order, in whichever they come.
  const std::size_t first = body.find("x-amz-checksum-crc32:");
  EXPECT_EQ(why(every_way(
                reference.format(),
                body.substr(0, first) + checksum_line + body.substr(first, checksum - first) + signature_line + "\r\n",
                &signing)),
            "accepted");
  EXPECT_EQ(why(every_way(reference.format(), before + checksum_line + signature_line + "\r\n", &signing)), "accepted");
  EXPECT_EQ(why(every_way(reference.format(), before + checksum_line + "\r\n", &signing)),
            "aws-chunked: trailer signature missing");
  EXPECT_EQ(
      why(every_way(reference.format(), before + checksum_line + signature_line + signature_line + "\r\n", &signing)),
      "aws-chunked: trailer after the signature");
  EXPECT_EQ(why(every_way(reference.format(), before + signature_line + checksum_line + "\r\n", &signing)),
            "aws-chunked: trailer signature");
}

TEST(AwsChunkedDecoding, AnyOfTheKnownTrailers) {
  const Format all = *Format::create({.checksums = {digest_algorithms().begin(), digest_algorithms().end()}});
  const DecodeOptions any = {.trailers = Trailers::kAnyOf};
  for (const DigestAlgorithm algorithm : digest_algorithms()) {
    std::string body = Reference{kChunk, nullptr, {algorithm}}.encode("some text");
    EXPECT_EQ(*every_way(all, body, nullptr, any), "some text");
    EXPECT_EQ(why(decode(all, body, nullptr, {})), "aws-chunked: trailer missing");
    body[4] ^= 1;
    EXPECT_EQ(why(every_way(all, body, nullptr, any)), "aws-chunked: checksum");
  }
  EXPECT_EQ(why(every_way(all, "0\r\n\r\n", nullptr, any)), "aws-chunked: trailer missing");
}

TEST(AwsChunkedDecoding, FailuresOfBothEndsAreKept) {
  const Reference reference{kChunk, nullptr, {DigestAlgorithm::kCrc32}};
  const std::string body = reference.encode(std::string(2 * kChunk, 'x'));
  TestSource source(as_bytes(body), {.fail_at = 9000});
  DecodingSource decoding = *DecodingSource::create(reference.format(), source);
  EXPECT_EQ(pull_all(decoding, 1000).error().detail, EIO);
  Bytes scratch(10);
  EXPECT_EQ(decoding.pull(scratch).error().detail, EIO);
  EXPECT_FALSE(source.pulled_after_error());

  TestSink sink({.fail_at_write = 1});
  DecodingSink to_sink = *DecodingSink::create(reference.format(), sink);
  EXPECT_EQ(to_sink.write(as_bytes(body)).error().detail, ENOSPC);
  EXPECT_EQ(to_sink.finish().error().detail, ENOSPC);
  EXPECT_FALSE(sink.written_after_error());
  EXPECT_EQ(sink.finishes(), 0u);
}

TEST(AwsChunkedDecoding, CopiesOnlySignedChunksThatComeInPieces) {
  const ChunkSigning signing = test_signing();
  const std::string payload(as_text(noise_bytes(10 * kChunk)));
  for (const bool is_signed : {false, true}) {
    const Reference reference{kChunk, is_signed ? &signing : nullptr, {DigestAlgorithm::kCrc32}};
    const std::string body = reference.encode(payload);
    for (const std::size_t step : {std::size_t{1000}, kUnlimited}) {
      TestSource source(as_bytes(body), {.step = step});
      DecodingSource decoding = *DecodingSource::create(reference.format(), source, is_signed ? &signing : nullptr);
      Bytes scratch(1 << 20);
      const std::uint64_t before = copied_bytes;
      while (!decoding.pull(scratch)->empty()) {
      }
      EXPECT_EQ(copied_bytes - before, is_signed && step == 1000 ? payload.size() : 0);
    }
  }
}

}  // namespace
}  // namespace millrace::aws_chunked
