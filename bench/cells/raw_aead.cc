// Cell: AES-GCM alone, over `size` bytes in segments, memory to memory, on every thread with buffers of its own: the
// ceiling for everything that encrypts. aead=openssl is OpenSSL's EVP interface without anything of ours.
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>

#include "cell.h"
#include "crypto/aes_gcm.h"

using namespace millrace;

namespace {

constexpr std::byte kKey[32] = {std::byte{7}};

struct Work {
  bool opening;
  std::size_t size;
  std::size_t segment;  // plaintext of one segment
};

std::array<std::byte, kGcmNonceSize> nonce_of(std::uint64_t index) {
  std::array<std::byte, kGcmNonceSize> nonce = {};
  std::memcpy(nonce.data(), &index, sizeof index);
  return nonce;
}

// An AEAD under one fixed key; in or out is longer by the tag.
using Aead = std::function<void(ByteView nonce, ByteView in, ByteSpan out)>;

Aead millrace_aead(bool opening) {
  const auto gcm = std::make_shared<AesGcm>(bench::must(AesGcm::create(kKey)));
  if (opening) return [gcm](ByteView nonce, ByteView in, ByteSpan out) { bench::must(gcm->open(nonce, {}, in, out)); };
  return [gcm](ByteView nonce, ByteView in, ByteSpan out) { bench::must(gcm->seal(nonce, {}, in, out)); };
}

Aead openssl_aead(bool opening) {
  const std::shared_ptr<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  const auto raw = [](const std::byte* p) { return reinterpret_cast<const unsigned char*>(p); };
  if (EVP_CipherInit_ex(ctx.get(), EVP_aes_256_gcm(), nullptr, raw(kKey), nullptr, opening ? 0 : 1) != 1)
    bench::fail("EVP_CipherInit_ex");
  return [ctx, raw, opening](ByteView nonce, ByteView in, ByteSpan out) {
    const std::size_t plain = std::min(in.size(), out.size());
    auto* const to = reinterpret_cast<unsigned char*>(out.data());
    unsigned char tag[kGcmTagSize];
    int n = 0;
    bool good = EVP_CipherInit_ex(ctx.get(), nullptr, nullptr, nullptr, raw(nonce.data()), -1) == 1 &&
                EVP_CipherUpdate(ctx.get(), to, &n, raw(in.data()), static_cast<int>(plain)) == 1;
    if (opening) {
      std::memcpy(tag, in.data() + plain, sizeof tag);
      good = good && EVP_CIPHER_CTX_ctrl(ctx.get(), EVP_CTRL_AEAD_SET_TAG, sizeof tag, tag) == 1;
    }
    good = good && EVP_CipherFinal_ex(ctx.get(), tag, &n) == 1;
    if (!opening) good = good && EVP_CIPHER_CTX_ctrl(ctx.get(), EVP_CTRL_AEAD_GET_TAG, sizeof tag, to + plain) == 1;
    if (!good) bench::fail("OpenSSL refuses");
  };
}

// One thread's part.
bench::Measurement run(const Work& work, const std::function<Aead(bool)>& make_aead, double seconds) {
  const std::size_t segments = (work.size + work.segment - 1) / work.segment;
  const bench::Block plain(work.size);
  bench::fill_random(plain.bytes());
  const bench::Block sealed(work.size + segments * kGcmTagSize);
  const auto pass = [&](const Aead& aead, bool opening) {
    for (std::size_t i = 0; i < segments; ++i) {
      const std::size_t n = std::min(work.segment, work.size - i * work.segment);
      const ByteSpan clear = plain.bytes().subspan(i * work.segment, n);
      const ByteSpan cipher = sealed.bytes().subspan(i * (work.segment + kGcmTagSize), n + kGcmTagSize);
      aead(nonce_of(i), opening ? cipher : clear, opening ? clear : cipher);
    }
  };
  pass(make_aead(false), false);  // something to open
  const Aead aead = make_aead(work.opening);
  return bench::measure(seconds, [&] { pass(aead, work.opening); });
}

}  // namespace

int main(int argc, char** argv) {
  bench::Options options(argc, argv);
  const bool openssl = options.choice("aead", {"millrace", "openssl"}) == 1;
  Work work;
  work.opening = options.choice("direction", {"encrypt", "decrypt"}) == 1;
  work.size = options.number("size");
  work.segment = options.number("segment");
  const std::size_t threads = options.number("threads");
  const double seconds = options.seconds("seconds");
  options.refuse_others();
  if (work.segment <= kGcmTagSize || work.segment >= std::size_t{1} << 31 || threads == 0)
    bench::fail("segment= or threads= is out of range");
  work.segment -= kGcmTagSize;

  std::vector<bench::Measurement> parts(threads);
  std::vector<std::thread> helpers;
  const auto part = [&](std::size_t i) { parts[i] = run(work, openssl ? openssl_aead : millrace_aead, seconds); };
  for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(part, i);
  part(0);
  for (std::thread& helper : helpers) helper.join();

  // Together they do one operation in this time.
  double per_ns = 0;
  for (const bench::Measurement& measured : parts) per_ns += 1 / measured.ns;
  bench::print({1 / per_ns, parts[0].allocations, parts[0].bytes_allocated});
}
