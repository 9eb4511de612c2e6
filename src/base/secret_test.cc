#include "millrace/secret.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "testing/bytes.h"

namespace millrace {
namespace {

using namespace millrace::testing;

static_assert(!std::is_copy_constructible_v<SecretBytes> && !std::is_copy_assignable_v<SecretBytes>);
static_assert(std::is_nothrow_move_constructible_v<SecretBytes> && std::is_nothrow_move_assignable_v<SecretBytes>);

TEST(SecretBytes, StartsAsZeroAndIsFilled) {
  SecretBytes secret(32);
  EXPECT_EQ(secret.size(), 32u);
  EXPECT_TRUE(is_zero(secret.reveal()));
  secret.fill()[5] = std::byte{7};
  EXPECT_EQ(secret.reveal()[5], std::byte{7});
  EXPECT_EQ(SecretBytes().size(), 0u);
  EXPECT_TRUE(SecretBytes().reveal().empty());
}

TEST(SecretBytes, CopyIsAnotherOwner) {
  const Bytes bytes = noise_bytes(40);
  SecretBytes secret = SecretBytes::copy_of(bytes);
  const SecretBytes copy = SecretBytes::copy_of(secret.reveal());
  secret.fill()[0] ^= std::byte{1};
  EXPECT_TRUE(equal(copy.reveal(), bytes));
  EXPECT_FALSE(equal(secret.reveal(), bytes));
  EXPECT_EQ(SecretBytes::copy_of({}).size(), 0u);
}

TEST(SecretBytes, MovingLeavesNothingBehind) {
  const Bytes bytes = noise_bytes(40);
  SecretBytes secret = SecretBytes::copy_of(bytes);
  SecretBytes moved(std::move(secret));
  EXPECT_EQ(secret.size(), 0u);
  EXPECT_TRUE(equal(moved.reveal(), bytes));
  SecretBytes assigned(3);
  assigned = std::move(moved);
  EXPECT_TRUE(equal(assigned.reveal(), bytes));
}

TEST(SecureZero, ZeroesAllAndOnlyThat) {
  Bytes bytes = noise_bytes(100);
  const Bytes before = bytes;
  secure_zero(ByteSpan(bytes).subspan(10, 50));
  EXPECT_TRUE(equal(slice(bytes, 0, 10), slice(before, 0, 10)));
  EXPECT_TRUE(is_zero(slice(bytes, 10, 50)));
  EXPECT_TRUE(equal(slice(bytes, 60, 40), slice(before, 60, 40)));
  secure_zero({});
}

TEST(EqualConstantTime, SeesEveryByteAndTheSize) {
  const Bytes a = noise_bytes(64);
  Bytes b = a;
  EXPECT_TRUE(equal_constant_time(a, b));
  for (std::size_t bit = 0; bit < 8 * b.size(); ++bit) {
    b[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_FALSE(equal_constant_time(a, b));
    b[bit / 8] ^= std::byte{1} << (bit % 8);
  }
  EXPECT_FALSE(equal_constant_time(a, slice(a, 0, 63)));
  EXPECT_TRUE(equal_constant_time({}, {}));
}

}  // namespace
}  // namespace millrace
