// SecretBytes: memory for keys, passphrases and everything derived from them.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "millrace/bytes.h"

namespace millrace {

// secure_zero overwrites memory in a way that the compiler may not remove.
void secure_zero(ByteSpan bytes);

// equal_constant_time compares without a branch on the contents. Different sizes are different, and the time tells so.
bool equal_constant_time(ByteView a, ByteView b);

// SecretBytes owns key material: move-only, cleansed before release. There is no ==, no printing and no conversion;
// every use is a reveal() one can search for. Not promised: anything about swap, core dumps or copies in registers.
class SecretBytes {
 public:
  SecretBytes() = default;
  // The bytes start as zero.
  explicit SecretBytes(std::size_t n) : data_(std::make_unique<std::byte[]>(n)), size_(n) {}
  // copy_of makes a second owner of the same secret; the source stays with its owner.
  static SecretBytes copy_of(ByteView bytes);

  SecretBytes(SecretBytes&& o) noexcept : data_(std::move(o.data_)), size_(std::exchange(o.size_, 0)) {}
  SecretBytes& operator=(SecretBytes&& o) noexcept {
    std::swap(data_, o.data_);  // o's destructor cleanses what this held
    std::swap(size_, o.size_);
    return *this;
  }
  SecretBytes(const SecretBytes&) = delete;
  SecretBytes& operator=(const SecretBytes&) = delete;
  ~SecretBytes() {
    if (data_) secure_zero({data_.get(), size_});
  }

  std::size_t size() const { return size_; }
  ByteView reveal() const { return {data_.get(), size_}; }
  ByteSpan fill() { return {data_.get(), size_}; }

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
};

}  // namespace millrace
