#include "crypto/hmac.h"

#include <openssl/hmac.h>

#include <thread>

#include "crypto/testing.h"

namespace millrace {
namespace {

using testing::Bytes;
using testing::from_hex;
using testing::Random;

constexpr HashAlgorithm kHashes[] = {HashAlgorithm::kSha1, HashAlgorithm::kSha256, HashAlgorithm::kSha512};

Bytes oracle(HashAlgorithm hash, ByteView key, ByteView message) {
  const EVP_MD* const mds[] = {EVP_sha1(), EVP_sha256(), EVP_sha512()};
  static constexpr unsigned char kNone[1] = {};
  Bytes out(64);
  unsigned int size = 0;
  testing::oracle_check(HMAC(mds[static_cast<int>(hash)], key.empty() ? kNone : testing::raw(key),
                             static_cast<int>(key.size()), testing::raw(message), message.size(),
                             testing::raw(ByteSpan(out)), &size) != nullptr);
  out.resize(size);
  return out;
}

TEST(Hmac, EveryKeySizeAgreesWithOpenssl) {
  Random random(1);
  for (const HashAlgorithm hash : kHashes) {
    for (std::size_t size = 0; size <= 200; ++size) {
      const Bytes key = random.bytes(size);
      const Bytes message = random.bytes(random.below(400));
      const Result<Hmac> hmac = Hmac::create(hash, key);
      ASSERT_TRUE(hmac);
      Bytes out(hash_size(hash));
      ASSERT_TRUE(hmac->compute(out, message));
      ASSERT_EQ(out, oracle(hash, key, message)) << size;
    }
  }
}

TEST(Hmac, EveryMessageSizeInThreeParts) {
  Random random(2);
  for (const HashAlgorithm hash : kHashes) {
    const Bytes key = random.bytes(32);
    const Hmac hmac = *Hmac::create(hash, key);
    for (std::size_t size = 0; size <= 300; ++size) {
      const Bytes message = random.bytes(size);
      const std::size_t a = random.below(size + 1);
      const std::size_t b = random.below(size - a + 1);
      Bytes out(hash_size(hash));
      const ByteView view = message;
      ASSERT_TRUE(hmac.compute(out, view.first(a), view.subspan(a, b), view.subspan(a + b)));
      ASSERT_EQ(out, oracle(hash, key, message)) << size;
    }
    const Bytes large = random.bytes(1 << 20);
    Bytes out(hash_size(hash));
    ASSERT_TRUE(hmac.compute(out, large));
    EXPECT_EQ(out, oracle(hash, key, large));
  }
}

TEST(Hmac, ShorterOutputsAreTheBeginning) {
  Random random(3);
  for (const HashAlgorithm hash : kHashes) {
    const Bytes key = random.bytes(20);
    const Hmac hmac = *Hmac::create(hash, key);
    const Bytes whole = oracle(hash, key, as_bytes("text"));
    for (std::size_t n = 0; n <= whole.size(); ++n) {
      Bytes out(n);
      ASSERT_TRUE(hmac.compute(out, as_bytes("text")));
      ASSERT_TRUE(testing::equal(out, ByteView(whole).first(n)));
    }
  }
}

TEST(HmacStream, EveryCutGivesTheHmacOfTheWhole) {
  Random random(6);
  for (const HashAlgorithm hash : kHashes) {
    const Bytes key = random.bytes(40);
    Hmac hmac = *Hmac::create(hash, key);
    HmacStream stream(hmac);
    const Hmac moved = std::move(hmac);  // the stream follows its key
    for (std::size_t size = 0; size <= 300; ++size) {
      const Bytes message = random.bytes(size);
      stream.start();
      for (std::size_t at = 0; at < size;) {
        const std::size_t n = std::min(random.below(size % 7 == 0 ? 4 : 140), size - at);
        stream.update(ByteView(message).subspan(at, n));
        at += n;
      }
      Bytes out(hash_size(hash));
      ASSERT_TRUE(stream.finish(out));
      ASSERT_EQ(out, oracle(hash, key, message)) << size;
    }
  }
}

TEST(HmacStream, StartForgetsAndShorterOutputsAreTheBeginning) {
  for (const HashAlgorithm hash : kHashes) {
    const Hmac hmac = *Hmac::create(hash, {});
    HmacStream a(hmac);
    HmacStream b = HmacStream(hmac);
    a.start();
    a.update(as_bytes("forgotten"));
    b.start();
    b.update(as_bytes("other"));
    a.start();
    a.update(as_bytes("text"));
    Bytes out(7);
    ASSERT_TRUE(a.finish(out));
    EXPECT_TRUE(testing::equal(out, ByteView(oracle(hash, {}, as_bytes("text"))).first(7)));
    Bytes other(hash_size(hash));
    ASSERT_TRUE(b.finish(other));
    EXPECT_EQ(other, oracle(hash, {}, as_bytes("other")));
  }
}

TEST(Hmac, OneKeyServesManyThreads) {
  Random random(4);
  const Bytes key = random.bytes(32);
  for (const HashAlgorithm hash : kHashes) {
    const Hmac hmac = *Hmac::create(hash, key);
    std::vector<int> bad(8);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < bad.size(); ++t) {
      threads.emplace_back([&, t] {
        Random own(static_cast<std::uint32_t>(100 + t));
        HmacStream stream(hmac);
        for (int i = 0; i < 100; ++i) {
          const Bytes message = own.bytes(own.below(500));
          Bytes out(hash_size(hash));
          bad[t] += !hmac.compute(out, message) || out != oracle(hash, key, message);
          stream.start();
          stream.update(message);
          bad[t] += !stream.finish(out) || out != oracle(hash, key, message);
          bad[t] += !Hmac::create(hash, message)->compute(out, key) || out != oracle(hash, message, key);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(bad, std::vector<int>(bad.size()));
  }
}

// RFC 4231, test case 2 (a key shorter than the digest) and 6 (a key longer than a block).
TEST(Hmac, KnownAnswers) {
  Bytes out(32);
  ASSERT_TRUE(Hmac::create(HashAlgorithm::kSha256, as_bytes("Jefe"))
                  ->compute(out, as_bytes("what do ya want "), as_bytes("for nothing?")));
  EXPECT_EQ(out, from_hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"));
  ASSERT_TRUE(Hmac::create(HashAlgorithm::kSha256, Bytes(131, std::byte{0xaa}))
                  ->compute(out, as_bytes("Test Using Larger Than Block-Size Key - Hash Key First")));
  EXPECT_EQ(out, from_hex("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"));
}

// HKDF by RFC 5869, written down with the oracle alone.
Bytes oracle_hkdf(HashAlgorithm hash, ByteView ikm, ByteView salt, ByteView info, std::size_t size) {
  const Bytes prk = oracle(hash, salt, ikm);
  Bytes out;
  Bytes previous;
  for (int i = 1; out.size() < size; ++i) {
    Bytes message = previous;
    message.insert(message.end(), info.begin(), info.end());
    message.push_back(static_cast<std::byte>(i));
    previous = oracle(hash, prk, message);
    out.insert(out.end(), previous.begin(), previous.end());
  }
  out.resize(size);
  return out;
}

TEST(Hkdf, ManySizesAgreeWithTheDefinition) {
  Random random(5);
  for (const HashAlgorithm hash : kHashes) {
    for (int i = 0; i < 200; ++i) {
      const Bytes ikm = random.bytes(random.below(100));
      const Bytes salt = random.bytes(random.below(180));
      const Bytes info = random.bytes(random.below(i % 10 == 0 ? 40000 : 100));
      const std::size_t size = i < 130 ? static_cast<std::size_t>(i) : random.below(255 * hash_size(hash) + 1);
      const Result<SecretBytes> out = hkdf(hash, ikm, salt, info, size);
      ASSERT_TRUE(out);
      ASSERT_TRUE(testing::equal(out->reveal(), oracle_hkdf(hash, ikm, salt, info, size))) << i;
    }
  }
}

TEST(Hkdf, TheSizeIsLimited) {
  for (const HashAlgorithm hash : kHashes) {
    EXPECT_TRUE(hkdf(hash, Bytes(32), {}, {}, 255 * hash_size(hash)));
    const Result<SecretBytes> out = hkdf(hash, Bytes(32), {}, {}, 255 * hash_size(hash) + 1);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(HmacWycheproof, AllGroups) {
  const char* const files[] = {"hmac_sha1_test.json", "hmac_sha256_test.json", "hmac_sha512_test.json"};
  const std::size_t counts[] = {170, 174, 174};
  for (const HashAlgorithm hash : kHashes) {
    std::size_t count = 0;
    const nlohmann::json file = testing::wycheproof(files[static_cast<int>(hash)]);
    for (const auto& group : file["testGroups"]) {
      for (const auto& test : group["tests"]) {
        SCOPED_TRACE(test["tcId"].dump());
        const Hmac hmac = *Hmac::create(hash, from_hex(test["key"].get<std::string>()));
        Bytes out(group["tagSize"].get<std::size_t>() / 8);
        ASSERT_TRUE(hmac.compute(out, from_hex(test["msg"].get<std::string>())));
        EXPECT_EQ(out == from_hex(test["tag"].get<std::string>()), test["result"] == "valid");
        ++count;
      }
    }
    EXPECT_EQ(count, counts[static_cast<int>(hash)]);
  }
}

TEST(HkdfWycheproof, AllGroups) {
  const char* const files[] = {"hkdf_sha1_test.json", "hkdf_sha256_test.json", "hkdf_sha512_test.json"};
  const std::size_t counts[] = {87, 86, 83};
  for (const HashAlgorithm hash : kHashes) {
    std::size_t count = 0;
    const nlohmann::json file = testing::wycheproof(files[static_cast<int>(hash)]);
    for (const auto& group : file["testGroups"]) {
      for (const auto& test : group["tests"]) {
        SCOPED_TRACE(test["tcId"].dump());
        const auto part = [&](const char* name) { return from_hex(test[name].get<std::string>()); };
        const Result<SecretBytes> out =
            hkdf(hash, part("ikm"), part("salt"), part("info"), test["size"].get<std::size_t>());
        ASSERT_EQ(out.has_value(), test["result"] == "valid");
        if (out) {
          EXPECT_TRUE(testing::equal(out->reveal(), part("okm")));
        }
        ++count;
      }
    }
    EXPECT_EQ(count, counts[static_cast<int>(hash)]);
  }
}

}  // namespace
}  // namespace millrace
