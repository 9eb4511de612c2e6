// What OpenSSL frees while a private key is read and checked must not hold the key any more: every block that it gives
// back is searched for a piece of it. (Blocks of our own are SecretBytes.) Using a key is not tested: OpenSSL's EC
// arithmetic itself leaves a scalar behind.
#include <malloc.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <cstdlib>

#include "crypto/public_key_testing.h"

namespace millrace {
namespace {

using testing::Bytes;
using testing::read_vector;

ByteView watched;
std::size_t found = 0;

void release(void* block, const char*, int) {
  if (block != nullptr && !watched.empty()) {
    const ByteView bytes(static_cast<const std::byte*>(block), ::malloc_usable_size(block));
    found += std::search(bytes.begin(), bytes.end(), watched.begin(), watched.end()) != bytes.end();
  }
  std::free(block);
}

void* reserve(std::size_t size, const char*, int) { return std::malloc(size); }

void* resize(void* block, std::size_t size, const char* file, int line) {
  void* const larger = std::malloc(size);
  if (block == nullptr || larger == nullptr) return larger;
  std::memcpy(larger, block, std::min(size, ::malloc_usable_size(block)));
  release(block, file, line);
  return larger;
}

// OpenSSL takes them only before its first allocation, so: before main.
const int installed = CRYPTO_set_mem_functions(reserve, resize, release);

TEST(PrivateKeyResidue, ReadingAKeyLeavesNoneInFreedMemory) {
  ASSERT_EQ(installed, 1);
  struct Row {
    const char* file;
    std::size_t offset;  // of the scalar, or of the first prime
  };
  for (const Row& row : {Row{"opentdf/keys/sample-ec-secp256r1-01-private.der", 7},
                         Row{"opentdf/keys/sample-ec-secp521r1-01-private.der", 16},
                         Row{"opentdf/keys/sample-rsa-2048-01-private.der", 550}}) {
    SCOPED_TRACE(row.file);
    const Bytes der = read_vector(row.file);
    const SecretBytes pem = *PrivateKey::parse(der)->pem();  // PKCS#8
    for (const ByteView form : {ByteView(der), pem.reveal()}) {
      watched = ByteView(der).subspan(row.offset, 16);
      Bytes reversed(watched.begin(), watched.end());
      std::ranges::reverse(reversed);
      for (const ByteView piece : {watched, ByteView(reversed)}) {  // numbers in memory are the other way round
        watched = piece;
        found = 0;
        {
          const Result<PrivateKey> key = PrivateKey::parse(form);
          ASSERT_TRUE(key);
        }
        EXPECT_EQ(found, 0U);
        // The search works.
        void* const copy = OPENSSL_malloc(64);
        std::ranges::copy(piece, static_cast<std::byte*>(copy) + 20);
        OPENSSL_free(copy);
        EXPECT_EQ(found, 1U);
      }
      watched = {};
    }
  }
}

}  // namespace
}  // namespace millrace
