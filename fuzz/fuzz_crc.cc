// All CRC kernels agree with the portable one: on the whole input, and in two pieces from a start value that it names.
#include <cstdlib>

#include "checksum/crc_kernels.h"

namespace {

template <class Crc>
void compare(millrace::ByteView bytes) {
  const std::size_t split = bytes.empty() ? 0 : static_cast<std::size_t>(bytes.front()) * bytes.size() / 256;
  const auto start = static_cast<typename Crc::Value>(0x9e3779b97f4a7c15 * bytes.size());
  const auto want = millrace::crc::kernels<Crc>().back().extend(start, bytes);
  for (const auto& kernel : millrace::crc::kernels<Crc>()) {
    if (!kernel.runnable()) continue;
    if (kernel.extend(start, bytes) != want) std::abort();
    if (kernel.extend(kernel.extend(start, bytes.first(split)), bytes.subspan(split)) != want) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const millrace::ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  compare<millrace::Crc32>(bytes);
  compare<millrace::Crc32c>(bytes);
  compare<millrace::Crc64Nvme>(bytes);
  return 0;
}
