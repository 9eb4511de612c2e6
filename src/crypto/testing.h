// What the tests of this folder share: bytes from a printed seed, buffers between inaccessible pages, and OpenSSL
// called directly as the oracle, past everything of ours.
#pragma once

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "millrace/bytes.h"

namespace millrace::testing {

using Bytes = std::vector<std::byte>;

class Random {
 public:
  explicit Random(std::uint32_t seed) : generator_(seed) {
    ::testing::Test::RecordProperty("seed", std::to_string(seed));
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(generator_()) % n; }
  Bytes bytes(std::size_t n) {
    Bytes out(n);
    fill(out);
    return out;
  }
  void fill(ByteSpan out) {
    for (std::byte& b : out) b = static_cast<std::byte>(generator_() >> 24);
  }

 private:
  std::mt19937 generator_;
};

inline Bytes from_hex(std::string_view hex) {
  Bytes out(hex.size() / 2);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::byte>(std::stoi(std::string(hex.substr(2 * i, 2)), nullptr, 16));
  return out;
}

inline bool equal(ByteView a, ByteView b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }
inline bool all_zero(ByteView a) {
  return std::all_of(a.begin(), a.end(), [](std::byte b) { return b == std::byte{0}; });
}

inline nlohmann::json wycheproof(const std::string& file) {
  std::ifstream in(std::string(MILLRACE_TEST_VECTORS) + "/wycheproof/" + file);
  return nlohmann::json::parse(in);
}

// GuardedBuffer: memory of which the first and the last byte touch pages that cannot be accessed.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(std::size_t capacity)
      : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))), size_((capacity + page_ - 1) / page_ * page_) {
    void* const map = ::mmap(nullptr, size_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) std::abort();
    map_ = static_cast<std::byte*>(map);
    if (::mprotect(map_ + page_, size_, PROT_READ | PROT_WRITE) != 0) std::abort();
  }
  ~GuardedBuffer() { ::munmap(map_, size_ + 2 * page_); }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;
  ByteSpan front(std::size_t n) { return {map_ + page_, n}; }
  ByteSpan back(std::size_t n) { return {map_ + page_ + size_ - n, n}; }

 private:
  std::size_t page_;
  std::size_t size_;
  std::byte* map_;
};

inline const unsigned char* raw(ByteView b) { return reinterpret_cast<const unsigned char*>(b.data()); }
inline unsigned char* raw(ByteSpan b) { return reinterpret_cast<unsigned char*>(b.data()); }

// OracleGcm and oracle_ctr are OpenSSL alone. A mistake in calling it throws.
inline void oracle_check(bool ok) {
  if (!ok) throw std::runtime_error("OpenSSL");
}

class OracleGcm {
 public:
  explicit OracleGcm(ByteView key) : ctx_(EVP_CIPHER_CTX_new()) {
    const EVP_CIPHER* const cipher = key.size() == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm();
    oracle_check(EVP_EncryptInit_ex(ctx_, cipher, nullptr, raw(key), nullptr) == 1);
  }
  ~OracleGcm() { EVP_CIPHER_CTX_free(ctx_); }
  OracleGcm(const OracleGcm&) = delete;
  OracleGcm& operator=(const OracleGcm&) = delete;

  // The ciphertext and behind it the tag.
  Bytes seal(ByteView nonce, ByteView associated_data, ByteView plaintext) {
    Bytes out(plaintext.size() + 16);
    int n = 0;
    oracle_check(EVP_EncryptInit_ex(ctx_, nullptr, nullptr, nullptr, raw(nonce)) == 1);
    if (!associated_data.empty())
      oracle_check(
          EVP_EncryptUpdate(ctx_, nullptr, &n, raw(associated_data), static_cast<int>(associated_data.size())) == 1);
    if (!plaintext.empty())
      oracle_check(
          EVP_EncryptUpdate(ctx_, raw(ByteSpan(out)), &n, raw(plaintext), static_cast<int>(plaintext.size())) == 1);
    oracle_check(EVP_EncryptFinal_ex(ctx_, raw(ByteSpan(out)), &n) == 1 &&
                 EVP_CIPHER_CTX_ctrl(ctx_, EVP_CTRL_AEAD_GET_TAG, 16, out.data() + plaintext.size()) == 1);
    return out;
  }

 private:
  EVP_CIPHER_CTX* ctx_;
};

inline Bytes oracle_ctr(ByteView key, ByteView counter_block, ByteView in) {
  Bytes out(in.size());
  EVP_CIPHER_CTX* const ctx = EVP_CIPHER_CTX_new();
  int n = 0;
  oracle_check(EVP_EncryptInit_ex(ctx, key.size() == 16 ? EVP_aes_128_ctr() : EVP_aes_256_ctr(), nullptr, raw(key),
                                  raw(counter_block)) == 1);
  if (!in.empty())
    oracle_check(EVP_EncryptUpdate(ctx, raw(ByteSpan(out)), &n, raw(in), static_cast<int>(in.size())) == 1);
  EVP_CIPHER_CTX_free(ctx);
  return out;
}

}  // namespace millrace::testing
