// Every base64 kernel that runs here, with memcpy, OpenSSL and simdutf (5 or later) beside them. Rates are bytes of
// payload a second; memcpy moves as many bytes as the text has characters. For numbers that may be quoted:
//   bench_kernels_base64 --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true
//     --benchmark_min_time=0.01 --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>
#include <openssl/evp.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "encoding/base64_kernels.h"

#ifdef MILLRACE_PEER_SIMDUTF
#include <simdutf.h>
#endif

namespace {

using millrace::Base64Alphabet;

// Payloads of whole groups: 3 KiB, 48 KiB, 256 KiB (less one byte), 3 MiB, 48 MiB.
constexpr std::int64_t kSizes[] = {3 << 10, 48 << 10, (256 << 10) - 1, 3 << 20, 48 << 20};
constexpr std::size_t kLargest = std::size_t{48} << 20;

template <class T>
T* huge_pages(std::size_t size) {
  void* p = std::aligned_alloc(2 << 20, size);
  if (p == nullptr) std::abort();
  ::madvise(p, size, MADV_HUGEPAGE);
  std::memset(p, 0, size);
  return static_cast<T*>(p);
}

struct Buffers {
  std::byte* bytes = huge_pages<std::byte>(kLargest);
  char* text = huge_pages<char>(kLargest / 3 * 4);  // the encoded bytes
  char* out = huge_pages<char>(kLargest / 3 * 4 + (std::size_t{2} << 20));

  Buffers() {
    std::uint64_t x = 1;
    for (std::size_t i = 0; i < kLargest; i += 8) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      std::memcpy(bytes + i, &x, 8);
    }
    millrace::base64::encode_portable(bytes, kLargest / 3, text, Base64Alphabet::kStandard);
  }
};
Buffers& buffers() {
  static Buffers instance;
  return instance;
}

// `function` gets the number of groups.
template <class Function>
void add(const std::string& name, Function function) {
  auto* registered = benchmark::RegisterBenchmark(name.c_str(), [function](benchmark::State& state) {
    buffers();
    const auto groups = static_cast<std::size_t>(state.range(0)) / 3;
    for (auto _ : state) {
      function(groups);
      benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(state.iterations() * state.range(0));
  });
  for (const std::int64_t size : kSizes) registered->Arg(size);
}

void add_openssl() {
  static const auto in = [] { return reinterpret_cast<const unsigned char*>(buffers().bytes); };
  static const auto out = [] { return reinterpret_cast<unsigned char*>(buffers().out); };
  add("encode/openssl", [](std::size_t groups) { EVP_EncodeBlock(out(), in(), static_cast<int>(3 * groups)); });
  add("decode/openssl", [](std::size_t groups) {
    const auto* text = reinterpret_cast<const unsigned char*>(buffers().text);
    if (EVP_DecodeBlock(out(), text, static_cast<int>(4 * groups)) < 0) std::abort();
  });
}

const bool registered = [] {
  add("memcpy", [](std::size_t groups) { std::memcpy(buffers().out, buffers().text, 4 * groups); });
  for (const auto& kernel : millrace::base64::kernels()) {
    if (!kernel.runnable()) continue;
    add("encode/" + std::string(kernel.name), [encode = kernel.encode](std::size_t groups) {
      encode(buffers().bytes, groups, buffers().out, Base64Alphabet::kStandard);
    });
    add("decode/" + std::string(kernel.name), [decode = kernel.decode](std::size_t groups) {
      auto* out = reinterpret_cast<std::byte*>(buffers().out);
      if (decode(buffers().text, groups, out, Base64Alphabet::kStandard) != groups) std::abort();
    });
  }
  add_openssl();
#ifdef MILLRACE_PEER_SIMDUTF
  add("encode/simdutf", [](std::size_t groups) {
    simdutf::binary_to_base64(reinterpret_cast<const char*>(buffers().bytes), 3 * groups, buffers().out);
  });
  add("decode/simdutf", [](std::size_t groups) {
    if (simdutf::base64_to_binary(buffers().text, 4 * groups, buffers().out).error != simdutf::SUCCESS) std::abort();
  });
#endif
  return true;
}();

}  // namespace
