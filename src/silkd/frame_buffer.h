// FrameBuffer: the memory that frames are built in one after another, kept at the size of the largest so far.
#pragma once

#include <span>

#include "stream/slab.h"

namespace millrace::silkd {

class FrameBuffer {
 public:
  // room returns `size` characters of unspecified content; what was there before is gone.
  std::span<char> room(std::size_t size) {
    if (slab_.size() < size) slab_ = Slab::acquire(size);
    return {reinterpret_cast<char*>(slab_.bytes().data()), size};
  }

 private:
  Slab slab_;
};

}  // namespace millrace::silkd
