// Every AES-GCM and AES-CTR kernel that runs here ("openssl" is one of them), with memcpy and ISA-L crypto beside them,
// and what a small record costs besides its cipher. For numbers that may be quoted:
//   bench_kernels_aes --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true --benchmark_min_time=0.01
//     --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "crypto/aes_ctr.h"
#include "crypto/aes_gcm.h"
#include "crypto/hmac.h"

#ifdef MILLRACE_PEER_ISAL_CRYPTO
#include <isa-l_crypto/aes_gcm.h>
#endif

namespace {

using millrace::AesCtr;
using millrace::AesGcm;
using millrace::ByteSpan;
using millrace::ByteView;

constexpr std::int64_t kSizes[] = {0, 300, 4096, 64 << 10, 1 << 20, 2 << 20, 64 << 20};

// Two buffers on huge pages, touched once; each has room for a tag behind the largest size.
ByteSpan buffer(std::size_t which) {
  constexpr std::size_t kSize = std::size_t{66} << 20;
  static std::byte* const memory = [] {
    void* const p = std::aligned_alloc(2 << 20, 2 * kSize);
    if (p == nullptr) std::abort();
    ::madvise(p, 2 * kSize, MADV_HUGEPAGE);
    std::memset(p, 0x5a, 2 * kSize);
    return static_cast<std::byte*>(p);
  }();
  return {memory + which * kSize, kSize};
}

constexpr std::byte kKey[32] = {std::byte{1}, std::byte{2}, std::byte{3}};
constexpr std::byte kNonce[16] = {};

template <class Function>
void add(const std::string& name, Function function) {
  auto* registered = benchmark::RegisterBenchmark(name.c_str(), [function](benchmark::State& state) {
    const auto size = static_cast<std::size_t>(state.range(0));
    benchmark::DoNotOptimize(buffer(0));  // made before the clock starts
    for (auto _ : state) {
      if (!function(size)) state.SkipWithError("failed");
    }
    state.SetBytesProcessed(state.iterations() * state.range(0));
  });
  for (const std::int64_t size : kSizes) registered->Arg(size);
}

template <class Function>
void add_one(const std::string& name, Function function) {
  benchmark::RegisterBenchmark(name.c_str(), [function](benchmark::State& state) {
    benchmark::DoNotOptimize(buffer(0));
    for (auto _ : state) {
      if (!function()) state.SkipWithError("failed");
    }
  });
}

const bool registered = [] {
  add("memcpy", [](std::size_t n) { return std::memcpy(buffer(1).data(), buffer(0).data(), n) != nullptr; });
  for (const std::size_t key_size : {std::size_t{16}, std::size_t{32}}) {
    const std::string bits = std::to_string(8 * key_size);
    const ByteView key = ByteView(kKey).first(key_size);
    const ByteView nonce = ByteView(kNonce).first(12);
    for (const std::string_view name : millrace::aes_gcm_kernel_names()) {
      const auto gcm = std::make_shared<AesGcm>(*AesGcm::create_with(name, key));
      const std::string kernel(name);
      add("seal" + bits + "/" + kernel,
          [=](std::size_t n) { return gcm->seal(nonce, {}, buffer(0).first(n), buffer(1).first(n + 16)).has_value(); });
      // The tag is wrong, so the output is zeroed as well: an upper bound, and the same data for every kernel.
      add("open_refused" + bits + "/" + kernel, [=](std::size_t n) {
        return !gcm->open(nonce, {}, buffer(0).first(n + 16), buffer(1).first(n)).has_value();
      });
      add_one("key" + bits + "/" + kernel, [=] { return AesGcm::create_with(name, key).has_value(); });
    }
    for (const std::string_view name : millrace::aes_ctr_kernel_names()) {
      const auto ctr = std::make_shared<AesCtr>(*AesCtr::create_with(name, key));
      add("ctr" + bits + "/" + std::string(name),
          [=](std::size_t n) { return ctr->apply(kNonce, buffer(0).first(n), buffer(1).first(n)).has_value(); });
    }
    add_one("hkdf_sha256_key_seal300/" + bits, [=] {
      const auto derived = millrace::hkdf(millrace::HashAlgorithm::kSha256, kKey, kNonce, nonce, key_size);
      if (!derived) return false;
      const auto gcm = AesGcm::create(derived->reveal());
      return gcm && gcm->seal(nonce, {}, buffer(0).first(300), buffer(1).first(316)).has_value();
    });
  }
  add_one("hkdf_sha256_32",
          [] { return millrace::hkdf(millrace::HashAlgorithm::kSha256, kKey, kNonce, kNonce, 32).has_value(); });
#ifdef MILLRACE_PEER_ISAL_CRYPTO
  alignas(64) static isal_gcm_key_data key128;
  alignas(64) static isal_gcm_key_data key256;
  static isal_gcm_context_data context;
  static std::uint8_t tag[16];
  isal_aes_gcm_pre_128(kKey, &key128);
  isal_aes_gcm_pre_256(kKey, &key256);
  const auto raw = [](std::size_t which) { return reinterpret_cast<std::uint8_t*>(buffer(which).data()); };
  const auto* const nonce = reinterpret_cast<const std::uint8_t*>(kNonce);
  add("seal128/isa-l_crypto", [=](std::size_t n) {
    return isal_aes_gcm_enc_128(&key128, &context, raw(1), raw(0), n, nonce, nonce, 0, tag, 16) == 0;
  });
  add("seal256/isa-l_crypto", [=](std::size_t n) {
    return isal_aes_gcm_enc_256(&key256, &context, raw(1), raw(0), n, nonce, nonce, 0, tag, 16) == 0;
  });
#endif
  return true;
}();

}  // namespace
