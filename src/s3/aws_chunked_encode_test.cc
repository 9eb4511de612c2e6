#include <deque>

#include "s3/aws_chunked_reference.h"

namespace millrace::aws_chunked {
namespace {

using namespace testing;

constexpr std::size_t kChunk = kMinChunkSize;
// The border cases of a body in chunks of kChunk, and of the steps in which it is read.
const std::size_t kSizes[] = {0, 1, 2, kChunk - 1, kChunk, kChunk + 1, 2 * kChunk, 2 * kChunk + 1, 40 * kChunk + 77};
const std::size_t kSteps[] = {
    1, 2, 7, 64, 4095, 4096, 4097, kChunk, kChunk + 2, kChunk + 8, kChunk + 100, 65535, 65536, 65537, 1 << 20};

std::string payload_of(std::size_t size) { return std::string(as_text(noise_bytes(size))); }

std::vector<Supply> supplies() {
  std::vector<Supply> all;
  for (const bool lends : {false, true}) {
    for (const bool knows : {false, true}) {
      for (const std::size_t step : {std::size_t{1000}, kChunk, kUnlimited}) all.push_back({lends, step, knows});
    }
  }
  return all;
}

TEST(AwsChunkedEncoding, SameBytesForEveryStepAndSource) {
  const ChunkSigning signing = test_signing();
  for (const Form& form : kForms) {
    const ChunkSigning* const with = form.is_signed ? &signing : nullptr;
    const Reference reference{kChunk, with, form.checksums};
    for (const std::size_t size : kSizes) {
      const std::string payload = payload_of(size);
      const std::string expected = reference.encode(payload);
      for (const Supply& supply : supplies()) {
        for (const std::size_t step : kSteps) {
          if (step < 64 && size > 3 * kChunk) continue;  // time
          SCOPED_TRACE(std::string(form.name) + ", " + std::to_string(size) + " bytes, source " + supply.text() +
                       ", steps of " + std::to_string(step));
          TestSource source(as_bytes(payload), supply);
          EncodingSource encoding = *EncodingSource::create(reference.format(), source, with);
          ASSERT_EQ(encoding.remaining().has_value(), supply.knows_length);
          if (supply.knows_length) {
            ASSERT_EQ(*encoding.remaining(), expected.size());
          }
          ASSERT_TRUE(*pull_all(encoding, step) == expected);
          ASSERT_EQ(encoding.remaining().value_or(0), 0u);
          ASSERT_TRUE(source.ended());
          Bytes scratch(10);
          ASSERT_TRUE(encoding.pull(scratch)->empty());
        }
        TestSource source(as_bytes(payload), supply);
        EncodingSource encoding = *EncodingSource::create(reference.format(), source, with);
        ASSERT_TRUE(*gather_all(encoding) == expected);
        ASSERT_TRUE(encoding.gather()->empty());
        ASSERT_EQ(encoding.remaining().value_or(0), 0u);
      }
    }
  }
}

TEST(AwsChunkedEncoding, EncodedLengthIsExactWhereHexGrows) {
  const ChunkSigning signing = test_signing();
  for (const std::size_t chunk : {std::size_t{8192}, std::size_t{65535}, std::size_t{65536}, std::size_t{1 << 20}}) {
    for (const std::size_t size :
         {0xful, 0x10ul, 0xfful, 0x100ul, 0xffful, 0x1000ul, 0xfffful, 0x10000ul, 0xffffful, 0x100000ul}) {
      for (const bool is_signed : {false, true}) {
        const Reference reference{chunk, is_signed ? &signing : nullptr, {DigestAlgorithm::kMd5}};
        EXPECT_EQ(*reference.format().encoded_length(size), reference.encode(std::string(size, 'x')).size());
      }
    }
  }
  const Format format = *Format::create({.checksums = {DigestAlgorithm::kCrc32}});
  EXPECT_EQ(format.encoded_length(UINT64_MAX).error().code, ErrorCode::kLimitExceeded);
  EXPECT_TRUE(format.encoded_length(std::uint64_t{1} << 63));
}

std::uint64_t copies_of(EncodingSource& encoding, std::size_t step) {
  Bytes scratch(step);
  const std::uint64_t before = copied_bytes;
  while (!encoding.pull(scratch)->empty()) {
  }
  return copied_bytes - before;
}

// read_full is the consumer that wants the bytes in its own buffer.
std::uint64_t copies_into_buffer(EncodingSource& encoding, std::size_t step) {
  Bytes buffer(step);
  const std::uint64_t before = copied_bytes;
  while (*read_full(encoding, buffer) != 0) {
  }
  return copied_bytes - before;
}

TEST(AwsChunkedEncoding, CopiesNothingThatItCanReadOrLend) {
  const ChunkSigning signing = test_signing();
  const std::string payload = payload_of(10 * kChunk + 5);
  for (const Form& form : kForms) {
    const ChunkSigning* const with = form.is_signed ? &signing : nullptr;
    const Format format = Reference{kChunk, with, form.checksums}.format();
    for (const bool lends : {false, true}) {
      for (const bool knows : {false, true}) {
        for (const std::size_t step : {std::size_t{1000}, kChunk, std::size_t{100000}}) {
          SCOPED_TRACE(std::string(form.name) + (lends ? " lends" : " fills") + (knows ? " knows " : " ") +
                       std::to_string(step));
          // Only the last, short chunk of an unknown length: it is held until its end is seen, and may then move.
          const std::uint64_t allowed = knows ? 0 : lends ? 10 : 5;
          {
            TestSource source(as_bytes(payload), {lends, kUnlimited, knows});
            EncodingSource encoding = *EncodingSource::create(format, source, with);
            EXPECT_LE(copies_of(encoding, step), allowed);
          }
          {
            TestSource source(as_bytes(payload), {lends, kUnlimited, knows});
            EncodingSource encoding = *EncodingSource::create(format, source, with);
            const std::uint64_t before = copied_bytes;
            while (!encoding.gather()->empty()) {
            }
            EXPECT_LE(copied_bytes - before, allowed);
          }
          {
            TestSource source(as_bytes(payload), {lends, kUnlimited, knows});
            EncodingSource encoding = *EncodingSource::create(format, source, with);
            EXPECT_LE(copies_into_buffer(encoding, step), *format.encoded_length(payload.size()) + allowed);
          }
        }
      }
    }
  }
}

TEST(AwsChunkedEncoding, ReadsStraightIntoTheConsumersBuffer) {
  const std::string payload = payload_of(4 * kChunk);
  const Format format = *Format::create({kChunk, Signatures::kNone, {DigestAlgorithm::kCrc32}});
  TestSource source(as_bytes(payload), {.knows_length = true});
  EncodingSource encoding = *EncodingSource::create(format, source);
  Bytes scratch(1 << 20);
  const ByteView bytes = *encoding.pull(scratch);
  EXPECT_EQ(bytes.data(), scratch.data());
  EXPECT_EQ(bytes.size(), 4 * (kChunk + 8));  // all chunks in one buffer
  EXPECT_EQ(source.largest_scratch(), kChunk);
}

TEST(AwsChunkedEncoding, GatherAfterPullGoesOnWithTheNextChunk) {
  const std::string payload = payload_of(3 * kChunk);
  const Reference reference{kChunk, nullptr, {DigestAlgorithm::kCrc32}};
  TestSource source(as_bytes(payload), {.knows_length = true});
  EncodingSource encoding = *EncodingSource::create(reference.format(), source);
  Bytes scratch(kChunk + 8);
  std::string all(as_text(*encoding.pull(scratch)));
  all += *gather_all(encoding);
  EXPECT_EQ(all, reference.encode(payload));
}

TEST(AwsChunkedEncoding, FailuresOfThePayloadAreKept) {
  const ChunkSigning signing = test_signing();
  const std::string payload = payload_of(3 * kChunk);
  for (const Form& form : kForms) {
    const ChunkSigning* const with = form.is_signed ? &signing : nullptr;
    const Reference reference{kChunk, with, form.checksums};
    const std::string expected = reference.encode(payload);
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}, kChunk, 2 * kChunk + 7, payload.size()}) {
      for (const bool knows : {false, true}) {
        for (const std::size_t step : {std::size_t{100}, std::size_t{100000}}) {
          TestSource source(as_bytes(payload), {.knows_length = knows, .fail_at = at});
          EncodingSource encoding = *EncodingSource::create(reference.format(), source, with);
          std::string all;
          Bytes scratch(step);
          Result<ByteView> bytes = encoding.pull(scratch);
          for (; bytes; bytes = encoding.pull(scratch)) {
            ASSERT_FALSE(bytes->empty());
            all += as_text(*bytes);
          }
          EXPECT_EQ(bytes.error().detail, EIO);
          EXPECT_EQ(encoding.pull(scratch).error().detail, EIO);
          EXPECT_EQ(encoding.gather().has_value(), false);
          EXPECT_FALSE(source.pulled_after_error());
          EXPECT_TRUE(expected.starts_with(all));
          EXPECT_EQ(all.find("\r\n0\r\n"), std::string::npos);
          // Whole chunks before the fault have been delivered.
          EXPECT_GE(all.size(), at / kChunk * kChunk);
        }
      }
    }
  }
}

TEST(AwsChunkedEncoding, PayloadOfAnotherLengthThanAnnouncedIsAnErrorBeforeTheFinalChunk) {
  const std::string payload = payload_of(2 * kChunk);
  const ChunkSigning signing = test_signing();
  for (const ChunkSigning* with : {static_cast<const ChunkSigning*>(nullptr), &signing}) {
    const Format format = Reference{kChunk, with, {DigestAlgorithm::kCrc32}}.format();
    for (const std::size_t announced : {std::size_t{0}, kChunk, payload.size() - 1, payload.size() + 1, 3 * kChunk}) {
      for (const bool gathers : {false, true}) {
        TestSource source(as_bytes(payload), {});
        EncodingSource encoding = *EncodingSource::create(format, source, with, announced);
        const Result<std::string> all = gathers ? gather_all(encoding) : pull_all(encoding, 3000);
        ASSERT_FALSE(all);
        EXPECT_EQ(all.error().code, ErrorCode::kIo);
        EXPECT_EQ(all.error().where, announced < payload.size() ? "aws-chunked: payload longer than announced"
                                                                : "aws-chunked: payload shorter than announced");
      }
    }
  }
}

TEST(AwsChunkedEncoding, RewindResetsDigestsAndSignaturesWhereverItStopped) {
  const ChunkSigning signing = test_signing();
  const ChunkSigning later = test_signing(7);
  const std::string payload = payload_of(2 * kChunk + 100);
  for (const Form& form : kForms) {
    const ChunkSigning* const with = form.is_signed ? &signing : nullptr;
    const Reference reference{kChunk, with, form.checksums};
    const std::string expected = reference.encode(payload);
    for (const bool knows : {false, true}) {
      const Supply supply = {.knows_length = knows};
      std::deque<TestSource> again;
      EncodingSource encoding =
          *EncodingSource::create(reference.format(), again.emplace_back(as_bytes(payload), supply), with);
      // Also in the middle of the trailer.
      for (const std::size_t stop : {std::size_t{0}, std::size_t{3}, kChunk, expected.size() - 20, expected.size()}) {
        SCOPED_TRACE(std::string(form.name) + ", stopped at " + std::to_string(stop));
        Bytes scratch(97);
        for (std::size_t done = 0; done < stop;) done += encoding.pull(scratch)->size();
        for (const bool compare : {true, false}) {
          ASSERT_TRUE(encoding.rewind(again.emplace_back(as_bytes(payload), supply)));
          if (compare) {
            ASSERT_EQ(*pull_all(encoding, 5000), expected);
          }
        }
      }
      TestSource resigned(as_bytes(payload), supply);
      if (form.is_signed) {
        ASSERT_TRUE(encoding.rewind(resigned, &later));
        EXPECT_EQ(*pull_all(encoding, 5000), (Reference{kChunk, &later, form.checksums}.encode(payload)));
      } else {
        EXPECT_FALSE(encoding.rewind(resigned, &later));
      }
      TestSource shorter(as_bytes(payload).first(5), supply);
      EXPECT_EQ(encoding.rewind(shorter).has_value(), !knows);
    }
  }
  // And after a failure.
  const Reference reference{kChunk, nullptr, {DigestAlgorithm::kCrc32}};
  TestSource bad(as_bytes(payload), {.knows_length = true, .fail_at = kChunk + 1});
  EncodingSource encoding = *EncodingSource::create(reference.format(), bad);
  EXPECT_FALSE(pull_all(encoding, 1000));
  MemorySource good(as_bytes(payload));
  ASSERT_TRUE(encoding.rewind(good));
  EXPECT_EQ(*pull_all(encoding, 1000), reference.encode(payload));
}

TEST(AwsChunkedEncoding, RefusesWhatDoesNotExist) {
  const auto refused = [](const FormatOptions& options) {
    const Result<Format> format = Format::create(options);
    return !format && format.error().code == ErrorCode::kInvalidArgument;
  };
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused({kMinChunkSize - 1, Signatures::kChunks}));
  EXPECT_TRUE(refused({kMaxChunkSize + 1, Signatures::kChunks}));
  EXPECT_FALSE(refused({kMaxChunkSize, Signatures::kChunks}));

  const Format plain = *Format::create({.checksums = {DigestAlgorithm::kCrc32}});
  const Format with_signatures = *Format::create({.signatures = Signatures::kChunks});
  const ChunkSigning good = test_signing();
  MemorySource source({});
  const auto refuses = [&](const Format& format, const ChunkSigning* signing) {
    const auto made = EncodingSource::create(format, source, signing);
    const auto decoder = DecodingSource::create(format, source, signing);
    EXPECT_EQ(made.has_value(), decoder.has_value());
    return !made && made.error().code == ErrorCode::kInvalidArgument;
  };
  EXPECT_FALSE(refuses(plain, nullptr));
  EXPECT_TRUE(refuses(plain, &good));
  EXPECT_TRUE(refuses(with_signatures, nullptr));
  EXPECT_FALSE(refuses(with_signatures, &good));
  for (int wrong = 0; wrong < 5; ++wrong) {
    ChunkSigning bad = test_signing();
    if (wrong == 0) bad.key = SecretBytes(31);
    if (wrong == 1) bad.seed_signature.pop_back();
    if (wrong == 2) bad.seed_signature[5] = 'A';
    if (wrong == 3) bad.scope.date_time = "2026-08-01";
    if (wrong == 4) bad.scope.region = "";
    EXPECT_TRUE(refuses(with_signatures, &bad)) << wrong;
  }
}

// The known traps of aws-chunked uploads.

TEST(AwsChunkedTraps, U01AllChunksButTheLastAreFullHoweverThePayloadArrives) {
  const std::string payload = payload_of(3 * kDefaultChunkSize + 1);
  const Format format = *Format::create({.checksums = {DigestAlgorithm::kCrc32}});
  for (const bool knows : {false, true}) {
    TestSource source(as_bytes(payload), {.step = 777, .knows_length = knows});
    EncodingSource encoding = *EncodingSource::create(format, source);
    std::vector<std::size_t> sizes;
    for (Pieces pieces = *encoding.gather(); !pieces.empty(); pieces = *encoding.gather())
      sizes.push_back(pieces.payload.size());
    EXPECT_EQ(sizes, (std::vector<std::size_t>{65536, 65536, 65536, 1, 0}));
  }
}

TEST(AwsChunkedTraps, U02EmptyAndExactBodiesHaveTheirSizes) {
  const Format format = *Format::create({kChunk, Signatures::kNone, {DigestAlgorithm::kCrc32}});
  MemorySource empty({});
  EncodingSource encoding = *EncodingSource::create(format, empty);
  EXPECT_EQ(*pull_all(encoding, 100), "0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n");
  EXPECT_EQ(*format.encoded_length(0), 36u);
  EXPECT_EQ(*format.encoded_length(8192), 8236u);
  const std::string payload(8192, 'a');
  MemorySource exact(as_bytes(payload));
  EncodingSource one = *EncodingSource::create(format, exact);
  EXPECT_EQ(pull_all(one, 100)->size(), 8236u);
}

TEST(AwsChunkedTraps, U03EmptyPipeIsAWholeBody) {
  const ChunkSigning signing = test_signing();
  for (const Form& form : kForms) {
    const ChunkSigning* const with = form.is_signed ? &signing : nullptr;
    const Reference reference{kChunk, with, form.checksums};
    TestSource pipe({}, {});
    EncodingSource encoding = *EncodingSource::create(reference.format(), pipe, with);
    EXPECT_EQ(*pull_all(encoding, 100), reference.encode(""));
  }
}

std::string header(const std::vector<sigv4::Header>& headers, std::string_view name) {
  for (const sigv4::Header& header : headers) {
    if (header.name == name) return header.value;
  }
  return "none";
}

TEST(AwsChunkedTraps, U04CodingsAreNamedInTheOrderInWhichTheyWereApplied) {
  const Format format = *Format::create({.checksums = {DigestAlgorithm::kCrc32}});
  EXPECT_EQ(header(*format.request_headers(5, Transport::kTls), "content-encoding"), "aws-chunked");
  EXPECT_EQ(header(*format.request_headers(5, Transport::kTls, "gzip"), "content-encoding"), "gzip,aws-chunked");
}

TEST(AwsChunkedTraps, U05LengthsAreTheFramedAndTheRawOne) {
  const Format format = *Format::create({kChunk, Signatures::kNone, {DigestAlgorithm::kCrc32}});
  const auto headers = *format.request_headers(8192, Transport::kTls);
  EXPECT_EQ(header(headers, "content-length"), "8236");
  EXPECT_EQ(header(headers, "x-amz-decoded-content-length"), "8192");
  EXPECT_EQ(header(headers, "transfer-encoding"), "none");
}

TEST(AwsChunkedTraps, U06TrailersAreThoseAnnounced) {
  const ChunkSigning signing = test_signing();
  for (const Form& form : kForms) {
    const ChunkSigning* const with = form.is_signed ? &signing : nullptr;
    const Format format = Reference{kChunk, with, form.checksums}.format();
    const std::string announced = header(*format.request_headers(5, Transport::kTls), "x-amz-trailer");
    MemorySource source(as_bytes("12345"));
    EncodingSource encoding = *EncodingSource::create(format, source, with);
    const std::string body = *pull_all(encoding, 100);
    std::string sent;
    std::size_t at = body.find("\r\n", body.find("\r\n0") + 2) + 2;
    for (std::size_t end; (end = body.find("\r\n", at)) != at; at = end + 2) {
      const std::string name = body.substr(at, body.find(':', at) - at);
      if (name == "x-amz-trailer-signature") {
        EXPECT_TRUE(form.is_signed);
        EXPECT_EQ(body.substr(end), "\r\n\r\n");  // it is the last one
      } else {
        sent += (sent.empty() ? "" : ",") + name;
      }
    }
    EXPECT_EQ(sent.empty() ? "none" : sent, announced);
    EXPECT_EQ(body.find("x-amz-trailer-signature") != std::string::npos, form.is_signed && !form.checksums.empty());
  }
}

TEST(AwsChunkedTraps, U07UnsignedChunksNeedTlsUnlessAccepted) {
  const Format plain = *Format::create({.checksums = {DigestAlgorithm::kCrc32}});
  const Format with_signatures = *Format::create({.signatures = Signatures::kChunks});
  EXPECT_FALSE(plain.request_headers(5, Transport::kCleartext));
  EXPECT_TRUE(plain.request_headers(5, Transport::kCleartextAccepted));
  EXPECT_TRUE(with_signatures.request_headers(5, Transport::kCleartext));
}

}  // namespace
}  // namespace millrace::aws_chunked
