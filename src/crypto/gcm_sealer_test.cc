#include "crypto/aes_gcm.h"
#include "crypto/testing.h"

namespace millrace {
namespace {

using testing::Bytes;
using testing::GuardedBuffer;
using testing::OracleGcm;
using testing::Random;

class GcmSealerKernels : public ::testing::TestWithParam<std::tuple<std::string_view, std::size_t>> {
 protected:
  // Seals in pieces of the given sizes; what is left goes in one more.
  Bytes seal(ByteView nonce, ByteView associated, ByteView plaintext, std::span<const std::size_t> pieces) {
    Bytes out(plaintext.size() + 16);
    EXPECT_TRUE(sealer_.start(gcm_, nonce, associated));
    std::size_t done = 0;
    const auto piece = [&](std::size_t n) {
      EXPECT_TRUE(sealer_.update(plaintext.subspan(done, n), ByteSpan(out).subspan(done, n)));
      done += n;
    };
    for (const std::size_t n : pieces) piece(n);
    if (done != plaintext.size()) piece(plaintext.size() - done);
    EXPECT_TRUE(sealer_.finish(ByteSpan(out).last(16)));
    return out;
  }

  Bytes key_ = Random(1).bytes(std::get<1>(GetParam()));
  AesGcm gcm_ = *AesGcm::create_with(std::get<0>(GetParam()), key_);
  OracleGcm oracle_{key_};
  GcmSealer sealer_;
};

INSTANTIATE_TEST_SUITE_P(All, GcmSealerKernels,
                         ::testing::Combine(::testing::ValuesIn(aes_gcm_kernel_names()),
                                            ::testing::Values(std::size_t{16}, std::size_t{32})));

TEST_P(GcmSealerKernels, EverySplitInThreeOfAShortMessage) {
  Random random(2);
  const Bytes nonce = random.bytes(12);
  const Bytes associated = random.bytes(13);
  const Bytes plaintext = random.bytes(300);
  const Bytes expected = oracle_.seal(nonce, associated, plaintext);
  for (std::size_t a = 0; a <= 300; ++a) {
    const std::size_t one[] = {a};
    ASSERT_EQ(seal(nonce, associated, plaintext, one), expected) << a;
    for (std::size_t b = 0; b <= 300 - a; b += 7) {
      const std::size_t two[] = {a, b};
      ASSERT_EQ(seal(nonce, associated, plaintext, two), expected) << a << " " << b;
    }
  }
}

TEST_P(GcmSealerKernels, ByteByByteAndEmptyPieces) {
  Random random(3);
  const Bytes nonce = random.bytes(12);
  const Bytes plaintext = random.bytes(600);
  EXPECT_EQ(seal(nonce, {}, plaintext, std::vector<std::size_t>(600, 1)), oracle_.seal(nonce, {}, plaintext));
  const std::size_t with_empty[] = {0, 5, 0, 0, 11, 0, 16, 0};
  EXPECT_EQ(seal(nonce, {}, plaintext, with_empty), oracle_.seal(nonce, {}, plaintext));
  EXPECT_EQ(seal(nonce, plaintext, {}, {}), oracle_.seal(nonce, plaintext, {}));
}

TEST_P(GcmSealerKernels, RandomSplitsOfLongMessages) {
  Random random(4);
  for (int i = 0; i < 60; ++i) {
    const Bytes nonce = random.bytes(12);
    const Bytes associated = random.bytes(random.below(50));
    const Bytes plaintext = random.bytes(random.below(200000));
    std::vector<std::size_t> pieces;
    const std::size_t largest = std::size_t{1} << (4 + random.below(14));
    for (std::size_t left = plaintext.size(); left != 0;) {
      pieces.push_back(std::min(left, 1 + random.below(largest)));
      left -= pieces.back();
    }
    ASSERT_TRUE(seal(nonce, associated, plaintext, pieces) == oracle_.seal(nonce, associated, plaintext)) << i;
  }
}

// Long pieces that begin at every block of the 256 after which the low byte of the counter comes back.
TEST_P(GcmSealerKernels, LongPiecesFromEveryCounter) {
  Random random(5);
  const Bytes plaintext = random.bytes(257 * 16 + 4 * 8192);
  for (std::size_t first = 0; first <= 257; ++first) {
    const Bytes nonce = random.bytes(12);
    const std::size_t pieces[] = {first * 16};
    ASSERT_TRUE(seal(nonce, {}, plaintext, pieces) == oracle_.seal(nonce, {}, plaintext)) << first;
  }
}

TEST_P(GcmSealerKernels, InPlaceBetweenGuardPages) {
  Random random(6);
  GuardedBuffer buffer(4096);
  const Bytes nonce = random.bytes(12);
  for (std::size_t n = 0; n <= 800; n += 3) {
    for (const bool back : {false, true}) {
      const ByteSpan text = back ? buffer.back(n) : buffer.front(n);
      random.fill(text);
      const Bytes expected = oracle_.seal(nonce, {}, text);
      Bytes tag(16);
      ASSERT_TRUE(sealer_.start(gcm_, nonce, {}));
      const std::size_t cut = random.below(n + 1);
      ASSERT_TRUE(sealer_.update(text.first(cut), text.first(cut)));
      ASSERT_TRUE(sealer_.update(text.subspan(cut), text.subspan(cut)));
      ASSERT_TRUE(sealer_.finish(tag));
      ASSERT_TRUE(testing::equal(text, ByteView(expected).first(n))) << n;
      ASSERT_TRUE(testing::equal(tag, ByteView(expected).last(16))) << n;
    }
  }
}

TEST_P(GcmSealerKernels, StartingAgainGivesUpTheMessageBefore) {
  const Bytes nonce(12);
  Bytes scrap(33);
  ASSERT_TRUE(sealer_.start(gcm_, nonce, as_bytes("other")));
  ASSERT_TRUE(sealer_.update(Bytes(33), scrap));
  EXPECT_EQ(seal(nonce, {}, Bytes(50), {}), oracle_.seal(nonce, {}, Bytes(50)));
  GcmSealer moved = std::move(sealer_);
  sealer_ = std::move(moved);
  EXPECT_EQ(seal(nonce, {}, Bytes(50), {}), oracle_.seal(nonce, {}, Bytes(50)));
}

}  // namespace
}  // namespace millrace
