// Random payloads, formats, sources and consumers: the encoder against the reference, the decoder against the payload.
#include <cstdlib>
#include <random>

#include "s3/aws_chunked_reference.h"

namespace millrace::aws_chunked {
namespace {

using namespace testing;

class Choice {
 public:
  explicit Choice(std::uint64_t seed) : generator_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(generator_()) % n; }
  bool yes() { return below(2) == 0; }
  // around gives sizes at and beside a border more often than any others.
  std::size_t around(std::size_t border) {
    switch (below(4)) {
      case 0:
        return border * below(4) + below(3) - (border > 0 && below(2) == 1 ? 1 : 0);
      case 1:
        return below(64);
      default:
        return below(3 * border);
    }
  }

 private:
  std::mt19937_64 generator_;
};

TEST(AwsChunkedRandom, EncoderReferenceAndDecoderAgree) {
  constexpr std::size_t kCases = 10000;
  const char* const wanted = std::getenv("MILLRACE_TEST_SEED");
  const std::uint64_t seed = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : std::random_device{}();
  std::printf("seed %llu (MILLRACE_TEST_SEED repeats it)\n", static_cast<unsigned long long>(seed));
  Choice choice(seed);
  const Bytes noise = noise_bytes(4 * 20000, seed);
  const ChunkSigning signing = test_signing(seed);
  std::size_t rewinds = 0, gathers = 0;
  for (std::size_t i = 0; i < kCases; ++i) {
    const bool is_signed = choice.yes();
    Reference reference;
    reference.chunk_size = choice.yes() ? kMinChunkSize : kMinChunkSize + choice.below(12000);
    reference.signing = is_signed ? &signing : nullptr;
    // Mostly one; several now and then. The slow ones (SHA, MD5) would take all the time.
    const std::size_t count = choice.below(8) == 0 ? 3 : is_signed ? choice.below(2) : 1;
    for (std::size_t k = 0; k < count; ++k) reference.checksums.push_back(digest_algorithms()[choice.below(10)]);
    const Format format = reference.format();
    const std::string_view payload =
        as_text(slice(noise, 0, std::min(choice.around(reference.chunk_size), noise.size())));
    const std::string expected = reference.encode(payload);
    ASSERT_EQ(*format.encoded_length(payload.size()), expected.size()) << "case " << i;

    const auto supply = [&] {
      return Supply{choice.yes(), choice.yes() ? kUnlimited : 1 + choice.below(10000), choice.yes()};
    };
    const auto step = [&] { return 1 + (choice.yes() ? choice.below(200) : choice.below(30000)); };
    TestSource source(as_bytes(payload), supply());
    const auto announced = choice.yes() ? std::optional<std::uint64_t>(payload.size()) : std::nullopt;
    EncodingSource encoding = *EncodingSource::create(format, source, reference.signing, announced);
    const bool knows = encoding.remaining().has_value();
    std::optional<TestSource> again;
    while (choice.below(3) == 0) {  // a retry, from anywhere
      ++rewinds;
      Bytes scratch(step());
      for (std::size_t pulls = choice.below(20); pulls > 0 && !encoding.pull(scratch)->empty(); --pulls) {
      }
      again.emplace(as_bytes(payload), supply());
      ASSERT_TRUE(encoding.rewind(*again));
    }
    if (knows) {
      ASSERT_EQ(encoding.remaining(), expected.size()) << "case " << i;
    }
    const bool gather = choice.below(4) == 0;
    gathers += gather;
    const Result<std::string> body = gather ? gather_all(encoding) : pull_all(encoding, step);
    ASSERT_TRUE(body) << describe(body.error()) << " case " << i;
    ASSERT_TRUE(*body == expected) << "case " << i;
    if (knows) {
      ASSERT_EQ(encoding.remaining(), 0u);
    }

    const DecodeOptions options = {.decoded_length = choice.yes() ? std::optional(payload.size()) : std::nullopt};
    const Result<std::string> decoded = choice.yes()
                                            ? decode(format, *body, reference.signing, options, supply(), step())
                                            : decode_sink(format, *body, reference.signing, options, step());
    ASSERT_TRUE(decoded) << describe(decoded.error()) << " case " << i;
    ASSERT_TRUE(*decoded == payload) << "case " << i;
  }
  EXPECT_GT(rewinds, kCases / 4);
  EXPECT_GT(gathers, kCases / 8);
}

}  // namespace
}  // namespace millrace::aws_chunked
