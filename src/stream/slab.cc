#include "stream/slab.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <new>
#include <vector>

#include "base/check.h"
#include "base/copy.h"
#include "millrace/secret.h"

namespace millrace {

namespace {

// Under a sanitizer every slab is its own exact heap block, so that one byte too far is seen.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kKeep = false;
#elif defined(__has_feature)
constexpr bool kKeep = !(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer));
#else
constexpr bool kKeep = true;
#endif

constexpr std::size_t kSmallest = 64 * 1024;  // below this the heap is used
constexpr std::size_t kHugePage = 2 * 1024 * 1024;
constexpr std::size_t kPage = 4096;

std::size_t round_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

struct Block {
  std::byte* data;
  std::size_t capacity;
};

class Stock {
 public:
  // take returns a kept block that fits `size` without wasting as much again, or none.
  Block take(std::size_t size) {
    const std::lock_guard lock(mutex_);
    for (auto it = kept_.rbegin(); it != kept_.rend(); ++it) {
      if (it->capacity < size || it->capacity / 2 > size) continue;
      const Block block = *it;
      kept_.erase(std::next(it).base());
      total_ -= block.capacity;
      return block;
    }
    return {nullptr, 0};
  }

  // give keeps the block, or says no.
  bool give(Block block) {
    const std::lock_guard lock(mutex_);
    if (total_ + block.capacity > kSlabStockLimit) return false;
    kept_.push_back(block);
    total_ += block.capacity;
    return true;
  }

 private:
  std::mutex mutex_;
  std::vector<Block> kept_;
  std::size_t total_ = 0;
};

// Never destroyed: slabs of static objects may still be released at exit.
Stock& stock() {
  static Stock* const instance = new Stock;
  return *instance;
}

// An advice that is not taken costs nothing but speed. The kernel uses huge pages where whole ones fit into the
// mapping, so the last byte of a buffer does not make 2 MiB resident. (The advice is for all of the mapping: for a part
// of it, it would become two, which mremap refuses.)
void advise(Block block) {
  if (block.capacity >= kHugePage) ::madvise(block.data, block.capacity, MADV_HUGEPAGE);
}

Block allocate(std::size_t size) {
  const std::size_t capacity = round_up(size, kPage);
  // Huge pages want their alignment: map more and give back what is over on both sides.
  const std::size_t slack = size >= kHugePage ? kHugePage : 0;
  void* mapped = ::mmap(nullptr, capacity + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  std::byte* const start = static_cast<std::byte*>(mapped);
  const std::size_t before = slack == 0 ? 0 : -reinterpret_cast<std::uintptr_t>(start) % kHugePage;
  if (before > 0) ::munmap(start, before);
  if (slack > before) ::munmap(start + before + capacity, slack - before);
  const Block block{start + before, capacity};
  advise(block);
  return block;
}

}  // namespace

Slab Slab::acquire(std::size_t size) {
  Slab slab;
  slab.size_ = size;
  if (size == 0) return slab;
  if (!kKeep || size < kSmallest) {
    slab.data_ = static_cast<std::byte*>(::operator new(size));
    return slab;
  }
  Block block = stock().take(size);
  if (block.data == nullptr) block = allocate(size);
  slab.data_ = block.data;
  slab.capacity_ = block.capacity;
  return slab;
}

void Slab::release() {
  if (data_ == nullptr) return;
  if (cleanse_) secure_zero({data_, size_});
  if (capacity_ == 0) {
    ::operator delete(data_);
  } else if (!stock().give({data_, capacity_})) {
    ::munmap(data_, capacity_);
  }
  data_ = nullptr;
}

void Slab::grow(std::size_t size, std::size_t used) {
  MR_CHECK(size > size_ && used <= size_);
  if (capacity_ != 0) {
    // One that is kept comes first: else each stream would leave a larger block behind and find none of its first size.
    if (const Block kept = stock().take(size); kept.data != nullptr) {
      copy_bytes({kept.data, size}, bytes().first(used));
      Slab larger;
      larger.data_ = kept.data;
      larger.size_ = size;
      larger.capacity_ = kept.capacity;
      larger.cleanse_ = cleanse_;
      *this = std::move(larger);
      return;
    }
    const std::size_t capacity = std::max(capacity_, round_up(size, kPage));
    void* const moved = ::mremap(data_, capacity_, capacity, MREMAP_MAYMOVE);
    if (moved != MAP_FAILED) {
      data_ = static_cast<std::byte*>(moved);
      capacity_ = capacity;
      size_ = size;
      advise({data_, capacity_});
      return;
    }
  }
  Slab larger = acquire(size);
  larger.cleanse_ = cleanse_;
  copy_bytes(larger.bytes(), bytes().first(used));
  *this = std::move(larger);
}

}  // namespace millrace
