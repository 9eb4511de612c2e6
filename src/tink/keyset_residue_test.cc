// No key may be left in memory that is given back. This program replaces operator delete and searches every block for
// the key, as bytes and as base64, before it is freed; the search is on while a keyset is read, written or sealed.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "tink/keyset_vectors.h"

namespace {

// 16 bytes out of the middle of a key, and of its base64: whole words, so that a copy is found wherever it was cut.
char g_needles[2][16];
bool g_armed = false;
std::size_t g_searched = 0, g_found = 0;

void search_and_free(void* block) {
  if (block != nullptr && g_armed) {
    ++g_searched;
    for (const auto& needle : g_needles)
      if (::memmem(block, ::malloc_usable_size(block), needle, sizeof needle) != nullptr) ++g_found;
  }
  std::free(block);
}

}  // namespace

void* operator new(std::size_t size) {
  if (void* block = std::malloc(size == 0 ? 1 : size)) return block;
  std::abort();
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* block) noexcept { search_and_free(block); }
void operator delete[](void* block) noexcept { search_and_free(block); }
void operator delete(void* block, std::size_t) noexcept { search_and_free(block); }
void operator delete[](void* block, std::size_t) noexcept { search_and_free(block); }

namespace millrace::tink {
namespace {

class KeysetResidue : public ::testing::Test {
 protected:
  KeysetResidue() {
    std::string key;
    for (int i = 0; i < 96; ++i) key += static_cast<char>(i % 8 == 0 ? 0xff : 0xa0 + i * 7 % 90);
    // AES256_GCM_HKDF_4KB parameters and a key of 96 bytes.
    const std::string value = from_hex("120708802010201803") + "\x1a\x60" + key;
    const std::string base64 = base64_encode(as_bytes(value));
    json_ = keyset_json(1, {key_json(1, "ENABLED", "RAW", kGcmUrl, base64), key_json(2)});
    binary_ = to_string(must_parse(json_).to_binary());
    std::memcpy(g_needles[0], key.data() + 40, 16);
    std::memcpy(g_needles[1], base64.data() + 60, 16);
  }
  void SetUp() override {
    g_searched = g_found = 0;
    g_armed = true;
  }
  ~KeysetResidue() override { g_armed = false; }

  void expect_clean() const {
    EXPECT_EQ(g_found, 0u);
    EXPECT_GT(g_searched, 0u);
  }

  std::string json_, binary_;
};

TEST_F(KeysetResidue, TheSearchFindsAKey) {
  delete new std::string(json_);
  EXPECT_EQ(g_found, 1u);
  delete new std::string(binary_);
  EXPECT_EQ(g_found, 2u);
}

TEST_F(KeysetResidue, ReadingAndWriting) {
  for (const std::string* form : {&json_, &binary_}) {
    const Result<Keyset> keyset = Keyset::parse(as_bytes(*form));
    ASSERT_TRUE(keyset);
    (void)keyset->to_json();
    (void)keyset->to_binary();
    (void)keyset->info();
    (void)keyset->streaming_keys();
  }
  expect_clean();
}

TEST_F(KeysetResidue, EscapedSlashes) {
  g_armed = false;
  std::string escaped = json_;
  for (std::size_t at = 0; (at = escaped.find('/', at)) != std::string::npos; at += 2) escaped.insert(at, 1, '\\');
  ASSERT_GT(escaped.size(), json_.size() + 8);
  g_armed = true;
  ASSERT_TRUE(Keyset::parse(as_bytes(escaped)));
  expect_clean();
}

TEST_F(KeysetResidue, RefusedTexts) {
  for (std::size_t n = 0; n < json_.size(); ++n) (void)Keyset::parse(as_bytes(std::string_view(json_).substr(0, n)));
  for (std::size_t i = 0; i < json_.size(); ++i) {
    const char good = json_[i];
    for (const char bad : {'"', '\\', '\x01', '\xff', '*'}) {
      json_[i] = bad;
      (void)Keyset::parse(as_bytes(json_));
    }
    json_[i] = good;
  }
  for (std::size_t n = 0; n < binary_.size(); ++n)
    (void)Keyset::parse(as_bytes(std::string_view(binary_).substr(0, n)));
  expect_clean();
}

TEST_F(KeysetResidue, SealingAndManaging) {
  const AesGcmKeyWrapper wrapper = must(AesGcmKeyWrapper::create(must(Keyset::generate_key_encryption())));
  Keyset keyset = must(Keyset::parse(as_bytes(json_)));
  for (const Format format : {Format::kJson, Format::kBinary}) {
    const std::vector<std::byte> sealed = must(keyset.seal(wrapper, {}, format));
    EXPECT_EQ(must(Keyset::unseal(sealed, wrapper)).primary_id(), 1u);
  }
  const std::uint32_t added = must(keyset.add(*find_template("AES128_GCM_HKDF_4KB")));
  must(keyset.promote(added));
  must(keyset.remove(1));
  keyset = must(Keyset::generate(templates()[0]));
  expect_clean();
}

}  // namespace
}  // namespace millrace::tink
