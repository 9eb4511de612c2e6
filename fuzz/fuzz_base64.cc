// base64_decode accepts exactly what base64_encode writes: decoding any text either fails or gives bytes that encode to
// it again.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "millrace/base64.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace millrace;
  if (size == 0) return 0;
  const Base64Options options{(data[0] & 1) ? Base64Alphabet::kUrlSafe : Base64Alphabet::kStandard,
                              (data[0] & 2) ? Base64Padding::kForbidden : Base64Padding::kRequired};
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  std::vector<std::byte> bytes(base64_decoded_capacity(text.size()));
  const Result<std::size_t> n = base64_decode(text, bytes, options);
  if (n && base64_encode(ByteView(bytes).first(*n), options) != text) std::abort();
  return 0;
}
