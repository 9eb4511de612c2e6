// The allocating functions of C, in front of glibc's: operator new and the shared libraries (OpenSSL) come here too,
// for a symbol of the program goes before theirs. The memory is glibc's own, so free() needs no counterpart.
#include "allocations.h"

#include <errno.h>

#include <atomic>
#include <cstddef>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace millrace::bench {

namespace {

std::atomic<bool> counting{false};
std::atomic<std::uint64_t> count{0};
std::atomic<std::uint64_t> bytes{0};

void note(std::size_t size) {
  if (!counting.load(std::memory_order_relaxed)) return;
  count.fetch_add(1, std::memory_order_relaxed);
  bytes.fetch_add(size, std::memory_order_relaxed);
}

}  // namespace

void start_counting() {
  count = 0;
  bytes = 0;
  counting = true;
}

Allocations stop_counting() {
  counting = false;
  return {count, bytes};
}

}  // namespace millrace::bench

// The build hides symbols by default; these must be seen by the dynamic linker.
#pragma GCC visibility push(default)
extern "C" {

void* malloc(std::size_t size) noexcept {
  millrace::bench::note(size);
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  millrace::bench::note(count * size);
  return __libc_calloc(count, size);
}

void* realloc(void* old, std::size_t size) noexcept {
  millrace::bench::note(size);
  return __libc_realloc(old, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  millrace::bench::note(size);
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept { return memalign(alignment, size); }

int posix_memalign(void** result, std::size_t alignment, std::size_t size) noexcept {
  void* const memory = memalign(alignment, size);
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
