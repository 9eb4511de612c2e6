// Every CRC kernel that runs here, with memcpy, ISA-L and zlib beside them. For numbers that may be quoted:
//   bench_kernels_crc --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true --benchmark_min_time=0.01
//     --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "checksum/crc_kernels.h"

#ifdef MILLRACE_PEER_ISAL
#include <isa-l/crc.h>
#include <isa-l/crc64.h>
#endif
#ifdef MILLRACE_PEER_ZLIB
#include <zlib.h>
#endif

namespace {

using millrace::ByteSpan;
using millrace::ByteView;

constexpr std::int64_t kSizes[] = {16, 64, 256, 300, 4096, 64 << 10, 1 << 20, 64 << 20};

// Two buffers of the largest size on huge pages, touched once, filled with something that is not constant.
ByteSpan buffer(std::size_t which) {
  static const auto memory = [] {
    constexpr std::size_t kSize = 2 * (std::size_t{64} << 20);
    void* p = std::aligned_alloc(2 << 20, kSize);
    if (p == nullptr) std::abort();
    ::madvise(p, kSize, MADV_HUGEPAGE);
    std::uint64_t x = 1;
    for (std::size_t i = 0; i < kSize; i += 8) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      std::memcpy(static_cast<std::byte*>(p) + i, &x, 8);
    }
    return static_cast<std::byte*>(p);
  }();
  return {memory + which * (std::size_t{64} << 20), std::size_t{64} << 20};
}

template <class Function>
void add(const std::string& name, Function function) {
  auto* registered = benchmark::RegisterBenchmark(name.c_str(), [function](benchmark::State& state) {
    const ByteView bytes = buffer(0).first(static_cast<std::size_t>(state.range(0)));
    for (auto _ : state) benchmark::DoNotOptimize(function(bytes));
    state.SetBytesProcessed(state.iterations() * state.range(0));
  });
  for (const std::int64_t size : kSizes) registered->Arg(size);
}

template <class Crc>
void add_kernels(const std::string& crc) {
  for (const auto& kernel : millrace::crc::kernels<Crc>()) {
    if (!kernel.runnable()) continue;
    add(crc + "/" + std::string(kernel.name), [extend = kernel.extend](ByteView bytes) { return extend(1, bytes); });
  }
}

const bool registered = [] {
  add("memcpy", [](ByteView bytes) { return std::memcpy(buffer(1).data(), bytes.data(), bytes.size()); });
  add_kernels<millrace::Crc32>("crc32");
  add_kernels<millrace::Crc32c>("crc32c");
  add_kernels<millrace::Crc64Nvme>("crc64nvme");
#ifdef MILLRACE_PEER_ISAL
  const auto unsigned_bytes = [](ByteView bytes) {
    return reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data()));  // the peer's prototype lacks const
  };
  add("crc32/isa-l", [=](ByteView bytes) { return crc32_gzip_refl(1, unsigned_bytes(bytes), bytes.size()); });
  add("crc32c/isa-l",
      [=](ByteView bytes) { return crc32_iscsi(unsigned_bytes(bytes), static_cast<int>(bytes.size()), 1); });
  // Version 2.30 has no NVME polynomial; ECMA costs the same.
  add("crc64nvme/isa-l-ecma", [=](ByteView bytes) { return crc64_ecma_refl(1, unsigned_bytes(bytes), bytes.size()); });
#endif
#ifdef MILLRACE_PEER_ZLIB
  add("crc32/zlib",
      [](ByteView bytes) { return crc32_z(1, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()); });
#endif
  return true;
}();

}  // namespace
