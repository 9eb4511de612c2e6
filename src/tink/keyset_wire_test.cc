// The binary form, with messages put together here byte by byte: the oracle is the protobuf encoding, not the writer.
#include <gtest/gtest.h>

#include <random>

#include "tink/keyset_vectors.h"

namespace millrace::tink {
namespace {

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string number(unsigned field, std::uint64_t value) { return varint(field * 8) + varint(value); }
std::string bytes(unsigned field, std::string_view value) {
  return varint(field * 8 + 2) + varint(value.size()) + std::string(value);
}

const std::string kIkm = from_hex(kKeyHex);
const std::string kParams = number(1, 4096) + number(2, 16) + number(3, 3);
const std::string kStreamingKey = bytes(2, kParams) + bytes(3, kIkm);
const std::string kKeyData = bytes(1, kGcmUrl) + bytes(2, kStreamingKey) + number(3, 1);
const std::string kKey = bytes(1, kKeyData) + number(2, 1) + number(3, 42) + number(4, 3);
const std::string kKeyset = number(1, 42) + bytes(2, kKey);

std::string with_value(std::string_view value, std::string_view url = kGcmUrl) {
  return number(1, 42) + bytes(2, bytes(1, bytes(1, url) + bytes(2, value) + number(3, 1)) + number(2, 1) +
                                      number(3, 42) + number(4, 3));
}
std::string with_key(std::string_view key) { return number(1, 42) + bytes(2, key); }

void expect_same(const std::string& binary) {
  const Result<Keyset> keyset = Keyset::parse_binary(as_bytes(binary));
  ASSERT_TRUE(keyset.has_value()) << describe(keyset.error());
  const StreamingKeys keys = must(keyset->streaming_keys());
  ASSERT_EQ(keys.enabled.size(), 1u);
  EXPECT_EQ(keys.enabled[0].id, 42u);
  EXPECT_EQ(to_string(keys.enabled[0].ikm), kIkm);
  EXPECT_EQ(keyset->info()[0].template_name, "AES128_GCM_HKDF_4KB");
}

Error expect_bad(const std::string& binary, std::string_view where) {
  return expect_refused(Keyset::parse_binary(as_bytes(binary)), ErrorCode::kMalformed, where);
}

TEST(KeysetBinary, IsTheMessageWithNothingAround) {
  expect_same(kKeyset);
  EXPECT_EQ(to_string(must_parse(kKeyset).to_binary()), kKeyset);
  EXPECT_EQ(to_string(must_parse(kKeyset).to_json()), keyset_json(42, {key_json(42)}));
}

TEST(KeysetBinary, FieldsInAnyOrder) {
  expect_same(bytes(2, kKey) + number(1, 42));
  expect_same(with_key(number(4, 3) + number(3, 42) + bytes(1, kKeyData) + number(2, 1)));
  expect_same(with_key(bytes(1, number(3, 1) + bytes(2, kStreamingKey) + bytes(1, kGcmUrl)) + number(2, 1) +
                       number(3, 42) + number(4, 3)));
  expect_same(with_value(bytes(3, kIkm) + bytes(2, number(3, 3) + number(2, 16) + number(1, 4096))));
}

TEST(KeysetBinary, TheLastScalarCounts) {
  expect_same(number(1, 7) + kKeyset + number(1, 42));
  expect_same(with_key(number(2, 2) + number(3, 9) + kKey));
  expect_same(with_value(bytes(3, "short") + kStreamingKey));
  expect_same(with_value(number(1, 1) + kStreamingKey + number(1, 0)));
  expect_same(with_key(bytes(1, bytes(1, "type.example/Other") + bytes(2, "x") + kKeyData) + number(2, 1) +
                       number(3, 42) + number(4, 3)));
}

TEST(KeysetBinary, RepeatedMessagesMerge) {
  const std::string tail = number(2, 1) + number(3, 42) + number(4, 3);
  expect_same(with_key(bytes(1, bytes(1, kGcmUrl)) + bytes(1, bytes(2, kStreamingKey)) + tail));
  expect_same(with_value(bytes(2, number(1, 4096)) + bytes(2, number(2, 16) + number(3, 3)) + bytes(3, kIkm)));
  expect_same(
      with_value(bytes(2, number(1, 64) + number(3, 3)) + bytes(2, number(1, 4096) + number(2, 16)) + bytes(3, kIkm)));
  // hmac_params in two pieces
  const std::string ctr =
      bytes(2, number(1, 4096) + number(2, 16) + number(3, 3) + bytes(4, number(1, 3)) + bytes(4, number(2, 32))) +
      bytes(3, kIkm);
  const Keyset keyset = must_parse(with_value(ctr, "type.googleapis.com/google.crypto.tink.AesCtrHmacStreamingKey"));
  EXPECT_EQ(keyset.info()[0].template_name, "AES128_CTR_HMAC_SHA256_4KB");
}

TEST(KeysetBinary, UnknownFieldsAreSkipped) {
  const std::string unknown = number(15, 1) + bytes(16, "abc") + varint(17 * 8 + 1) + "8 bytes." + varint(18 * 8 + 5) +
                              "four" + number(536870911, 0xffffffffffffffff);
  expect_same(unknown + kKeyset + unknown);
  expect_same(with_key(unknown + kKey));
  expect_same(with_key(bytes(1, unknown + kKeyData) + number(2, 1) + number(3, 42) + number(4, 3)));
  expect_same(with_value(unknown + kStreamingKey));
  expect_same(with_value(bytes(2, unknown + kParams) + bytes(3, kIkm)));
  // A field of the other construction is unknown here: field 4 of the params is HmacParams in AES-CTR-HMAC only.
  expect_same(with_value(bytes(2, kParams + number(4, 7)) + bytes(3, kIkm)));
}

TEST(KeysetBinary, WrongWireTypesNameTheField) {
  expect_bad(bytes(1, "a") + kKeyset, "keyset: primaryKeyId");
  expect_bad(number(2, 1), "keyset: key");
  expect_bad(with_key(number(1, 1) + kKey), "keyset: key.keyData");
  expect_bad(with_key(kKey + bytes(2, "")), "keyset: key.status");
  expect_bad(with_key(kKey + bytes(3, "")), "keyset: key.keyId");
  expect_bad(with_key(kKey + varint(4 * 8 + 5) + "four"), "keyset: key.outputPrefixType");
  expect_bad(with_key(bytes(1, number(1, 1))), "keyset: key.keyData.typeUrl");
  expect_bad(with_key(bytes(1, number(2, 1))), "keyset: key.keyData.value");
  expect_bad(with_key(bytes(1, bytes(3, ""))), "keyset: key.keyData.keyMaterialType");
  expect_bad(with_value(bytes(1, "") + kStreamingKey), "keyset: key.keyData.value: version");
  expect_bad(with_value(number(2, 1)), "streaming key: params");
  expect_bad(with_value(number(3, 1)), "keyset: key.keyData.value: keyValue");
  expect_bad(with_value(bytes(2, bytes(1, ""))), "streaming key: ciphertextSegmentSize");
  expect_bad(with_value(bytes(2, bytes(2, ""))), "streaming key: derivedKeySize");
  expect_bad(with_value(bytes(2, bytes(3, ""))), "streaming key: hkdfHashType");
  // Groups (wire types 3 and 4) and the two unused types, also in unknown fields.
  for (const unsigned type : {3u, 4u, 6u, 7u}) expect_bad(kKeyset + varint(9 * 8 + type), "keyset: binary form");
  expect_bad(kKeyset + number(0, 1), "keyset: binary form");
}

TEST(KeysetBinary, NumbersBeyond32BitsAreRefused) {
  expect_bad(number(1, std::uint64_t{1} << 32 | 42) + bytes(2, kKey), "keyset: primaryKeyId");
  expect_bad(with_key(kKey + number(3, 0xffffffffffffffff)), "keyset: key.keyId");
  expect_bad(with_value(bytes(2, kParams + number(1, std::uint64_t{1} << 32 | 4096)) + bytes(3, kIkm)),
             "streaming key: ciphertextSegmentSize");
  const Keyset big = must_parse(number(1, 0xffffffff) + bytes(2, kKey + number(3, 0xffffffff)));
  EXPECT_EQ(big.primary_id(), 0xffffffffu);
  // A number in more bytes than it needs is still that number; more than ten bytes are no number.
  expect_same(varint(8) + "\xaa\x80\x80\x80" + std::string(1, '\0') + bytes(2, kKey));
  expect_bad(varint(8) + std::string(10, '\x80') + std::string(1, '\0') + kKeyset, "keyset: binary form");
}

TEST(KeysetBinary, LengthsAreCheckedAsWritten) {
  // 2^32 + n would be n in a reader with 32-bit lengths.
  const std::uint64_t lengths[] = {kKey.size() + 1, std::uint64_t{1} << 31, (std::uint64_t{1} << 32) | kKey.size(),
                                   std::uint64_t{1} << 63, ~std::uint64_t{0}};
  for (const std::uint64_t length : lengths) {
    const Error error = expect_bad(number(1, 42) + varint(2 * 8 + 2) + varint(length) + kKey, "keyset: binary form");
    EXPECT_EQ(error.offset, (number(1, 42) + varint(2 * 8 + 2) + varint(length) + kKey).size());
  }
}

TEST(KeysetBinary, EveryTruncationIsRefused) {
  const std::string two = kKeyset + bytes(2, kKey + number(3, 43));
  for (std::size_t n = 0; n < two.size(); ++n) {
    // A keyset whose last key is missing altogether is a keyset.
    const Result<Keyset> keyset = Keyset::parse_binary(as_bytes(std::string_view(two).substr(0, n)));
    ASSERT_EQ(keyset.has_value(), n == kKeyset.size()) << n;
    if (!keyset) {
      ASSERT_EQ(keyset.error().code, ErrorCode::kMalformed);
      ASSERT_LE(keyset.error().offset, n);
    }
  }
}

TEST(KeysetBinary, SizeIsLimited) {
  const std::string filler = bytes(15, std::string(kMaxKeysetSize - kKeyset.size() - 5, 'x'));
  ASSERT_EQ(kKeyset.size() + filler.size(), kMaxKeysetSize);
  expect_same(kKeyset + filler);
  expect_refused(Keyset::parse_binary(as_bytes(kKeyset + filler + "x")), ErrorCode::kLimitExceeded,
                 "keyset: size of the input");
}

// Whatever the input, what is accepted reads back as itself in both forms.
TEST(KeysetBinary, RandomDamageIsRefusedOrHarmless) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::size_t accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string input = kKeyset;
    for (unsigned k = 0; k <= random() % 3; ++k) {
      const std::size_t at = random() % input.size();
      if (random() % 2 == 0)
        input[at] = static_cast<char>(input[at] ^ (1 << random() % 8));
      else
        input.insert(at, input.substr(random() % input.size(), random() % 10));
    }
    const Result<Keyset> keyset = Keyset::parse_binary(as_bytes(input));
    if (!keyset) continue;
    ++accepted;
    const std::string binary = to_string(keyset->to_binary()), json = to_string(keyset->to_json());
    ASSERT_EQ(to_string(must_parse(binary).to_binary()), binary);
    ASSERT_EQ(to_string(must_parse(json).to_binary()), binary);
  }
  EXPECT_GT(accepted, 0u);
}

}  // namespace
}  // namespace millrace::tink
