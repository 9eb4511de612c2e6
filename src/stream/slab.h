// Slab: a buffer of the byte path, taken from a small process-wide stock of used ones.
//
// Fresh memory is dear: on a virtual machine the first touch of a 4 KiB page can cost 18 us, sixty times what
// encrypting it costs. So large buffers are kept when a stream ends and handed to the next one, and those of 2 MiB and
// more ask for huge pages (one fault for 2 MiB). Growing moves pages, not bytes. Small buffers come straight from the
// heap, which is as good.
#pragma once

#include <cstddef>
#include <utility>

#include "millrace/bytes.h"

namespace millrace {

// The size of one read or write call: 256 KiB to 4 MiB perform alike, 64 KiB loses a quarter (docs/performance.md).
inline constexpr std::size_t kStreamBuffer = 256 * 1024;

// At most this much is kept for reuse; what is in use does not count.
inline constexpr std::size_t kSlabStockLimit = 64 * 1024 * 1024;

class Slab {
 public:
  Slab() = default;
  // acquire returns `size` bytes of unspecified content: never a secret of an earlier owner that asked for cleansing.
  static Slab acquire(std::size_t size);
  Slab(Slab&& o) noexcept
      : data_(std::exchange(o.data_, nullptr)),
        size_(std::exchange(o.size_, 0)),
        capacity_(std::exchange(o.capacity_, 0)),
        cleanse_(o.cleanse_) {}
  Slab& operator=(Slab&& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(size_, o.size_);
    std::swap(capacity_, o.capacity_);
    std::swap(cleanse_, o.cleanse_);
    return *this;
  }
  ~Slab() { release(); }

  // grow enlarges the slab to `size` bytes, above size(), and keeps the first `used` ones and the wish for cleansing.
  // Earlier views of it are gone.
  void grow(std::size_t size, std::size_t used);

  ByteSpan bytes() const { return {data_, size_}; }
  std::size_t size() const { return size_; }
  // cleanse_on_release marks a slab that holds plaintext: its `size` bytes are zeroed before anyone else gets it.
  void cleanse_on_release() { cleanse_ = true; }

 private:
  void release();

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  bool cleanse_ = false;
};

}  // namespace millrace
