#include "crypto/random.h"

#include <sys/wait.h>

#include <set>

#include "crypto/testing.h"

namespace millrace {
namespace {

using testing::Bytes;

TEST(RandomBytes, EverySizeIsFilled) {
  // A byte that stays zero in eight fillings is one that nobody wrote (2^-64 by chance).
  for (std::size_t n = 0; n <= 5000; n = n < 300 ? n + 1 : n + 37) {
    Bytes seen(n);
    Bytes out(n + 32, std::byte{0xa5});
    for (int i = 0; i < 8; ++i) {
      std::fill_n(out.begin() + 16, n, std::byte{0});
      ASSERT_TRUE(random_bytes(ByteSpan(out).subspan(16, n)));
      for (std::size_t k = 0; k < n; ++k) seen[k] |= out[16 + k];
    }
    ASSERT_TRUE(std::none_of(seen.begin(), seen.end(), [](std::byte b) { return b == std::byte{0}; })) << n;
    for (std::size_t k = 0; k < 16; ++k) ASSERT_TRUE(out[k] == std::byte{0xa5} && out[16 + n + k] == std::byte{0xa5});
  }
}

TEST(RandomBytes, NothingIsGivenOutTwice) {
  std::set<std::string> seen;
  for (int i = 0; i < 5000; ++i) {
    Bytes out(16);
    ASSERT_TRUE(random_bytes(out));
    ASSERT_TRUE(seen.insert(std::string(as_text(out))).second);
  }
}

// The child continues with neither what the parent gives out next nor what it gave out before.
TEST(RandomBytes, ParentAndChildDiffer) {
  constexpr std::size_t kSize = 16;
  constexpr std::size_t kCount = 100;  // more than the stock holds
  for (int round = 0; round < 4; ++round) {
    Bytes first(kSize);
    ASSERT_TRUE(random_bytes(first));  // so that a stock exists
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      Bytes out(kSize * kCount);
      bool ok = true;
      for (std::size_t i = 0; i < kCount; ++i) ok = ok && random_bytes(ByteSpan(out).subspan(i * kSize, kSize));
      ok = ok && ::write(ends[1], out.data(), out.size()) == static_cast<ssize_t>(out.size());
      ::_exit(ok ? 0 : 1);
    }
    ::close(ends[1]);
    Bytes theirs(kSize * kCount);
    std::size_t have = 0;
    for (ssize_t n; have < theirs.size() && (n = ::read(ends[0], theirs.data() + have, theirs.size() - have)) > 0;)
      have += static_cast<std::size_t>(n);
    ::close(ends[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    std::set<std::string> seen;
    const auto add = [&](ByteView b) { return seen.insert(std::string(as_text(b))).second; };
    ASSERT_TRUE(add(first));
    for (std::size_t i = 0; i < kCount; ++i) {
      ASSERT_TRUE(add(ByteView(theirs).subspan(i * kSize, kSize)));
      Bytes ours(kSize);
      ASSERT_TRUE(random_bytes(ours));
      ASSERT_TRUE(add(ours));
    }
  }
}

TEST(RandomSecret, HasItsSizeAndDiffers) {
  for (const std::size_t n : {16u, 32u, 64u}) {
    const Result<SecretBytes> a = random_secret(n);
    const Result<SecretBytes> b = random_secret(n);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->size(), n);
    EXPECT_FALSE(testing::equal(a->reveal(), b->reveal()));
  }
  EXPECT_EQ(random_secret(0)->size(), 0u);
}

}  // namespace
}  // namespace millrace
