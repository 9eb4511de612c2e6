// Counts the memory of a process: every allocation through operator new, and mapped slabs. It replaces operator new, so
// it is for programs of their own, each of which includes it in one file.
#pragma once

#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> live{0};
std::atomic<std::size_t> peak{0};

void* counted(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  const std::size_t now = live += ::malloc_usable_size(block);
  for (std::size_t before = peak; before < now && !peak.compare_exchange_weak(before, now);) {
  }
  return block;
}
void uncounted(void* block) {
  if (block != nullptr) live -= ::malloc_usable_size(block);
  std::free(block);
}

}  // namespace

// Every form, because a sanitizer has its own of those that are left out.
void* operator new(std::size_t n) { return counted(std::malloc(n)); }
void* operator new[](std::size_t n) { return counted(std::malloc(n)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return counted(std::malloc(n)); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return counted(std::malloc(n)); }
void operator delete(void* block) noexcept { uncounted(block); }
void operator delete[](void* block) noexcept { uncounted(block); }
void operator delete(void* block, std::size_t) noexcept { uncounted(block); }
void operator delete[](void* block, std::size_t) noexcept { uncounted(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { uncounted(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { uncounted(block); }

// Large slabs come from here; where a sanitizer looks at memory, they come from operator new as well.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MILLRACE_TEST_SANITIZED
#endif
#endif
#else
#define MILLRACE_TEST_SANITIZED
#endif
#ifndef MILLRACE_TEST_SANITIZED
extern "C" void* mmap(void* address, std::size_t n, int protection, int flags, int fd, off_t offset) noexcept {
  void* const block = reinterpret_cast<void*>(::syscall(SYS_mmap, address, n, protection, flags, fd, offset));
  if (block != MAP_FAILED && (flags & MAP_ANONYMOUS) != 0) {
    live += n;
    if (live > peak) peak = live.load();
  }
  return block;
}
extern "C" int munmap(void* address, std::size_t n) noexcept {
  live -= n;
  return static_cast<int>(::syscall(SYS_munmap, address, n));
}
#endif

namespace millrace::testing {

// cost returns how many bytes were in use at the worst moment of `work`, beyond those before it.
template <class Work>
std::size_t cost(const Work& work) {
  const std::size_t before = live;
  peak = before;
  work();
  return peak - before;
}

}  // namespace millrace::testing
