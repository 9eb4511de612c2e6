#include "stream/slab.h"

#include <sys/mman.h>

#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

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

constexpr std::size_t kSmallest = 64 * 1024;    // below this the heap is used
constexpr std::size_t kHugeFrom = 1024 * 1024;  // from here on huge pages are asked for
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
      if (it->capacity < size || it->capacity / 2 > round_up(size, kHugePage)) continue;
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

Block allocate(std::size_t size) {
  const bool huge = size >= kHugeFrom;
  const std::size_t capacity = round_up(size, huge ? kHugePage : kPage);
  void* data = std::aligned_alloc(huge ? kHugePage : kPage, capacity);
  if (data == nullptr) throw std::bad_alloc();
  if (huge) ::madvise(data, capacity, MADV_HUGEPAGE);  // advice: where it is not taken, nothing is lost but speed
  return {static_cast<std::byte*>(data), capacity};
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
    std::free(data_);
  }
  data_ = nullptr;
}

}  // namespace millrace
