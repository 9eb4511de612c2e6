// base64: every kernel stops where the portable one does and gives its bytes; a text that decodes is the only text of
// those bytes; pieces give the verdict of the whole.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "encoding/base64_kernels.h"

using namespace millrace;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void compare_kernels(std::string_view text, Base64Alphabet alphabet) {
  const std::size_t groups = text.size() / 4;
  std::vector<std::byte> expected(3 * groups), bytes(3 * groups);
  const std::size_t good = base64::decode_portable(text.data(), groups, expected.data(), alphabet);
  std::string back(4 * good, '\0');
  for (const base64::Kernel& kernel : base64::kernels()) {
    if (!kernel.runnable()) continue;
    require(kernel.decode(text.data(), groups, bytes.data(), alphabet) == good);
    require(std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(3 * good), expected.begin()));
    kernel.encode(expected.data(), good, back.data(), alphabet);
    require(text.starts_with(back));
  }
}

void compare_pieces(std::string_view text, std::size_t cut, Base64Options options) {
  std::vector<std::byte> whole(base64_decoded_capacity(text.size()));
  const Result<std::size_t> size = base64_decode(text, whole, options);
  if (size) require(base64_encode(ByteView(whole).first(*size), options) == text);
  if (!size) require(std::all_of(whole.begin(), whole.end(), [](std::byte b) { return b == std::byte{0}; }));

  Base64Decoder decoder(options);
  std::vector<std::byte> bytes(base64_decoded_capacity(text.size()) + 3);
  std::size_t written = 0;
  for (const std::string_view piece : {text.substr(0, cut), text.substr(cut)}) {
    const Result<std::size_t> n = decoder.update(piece, ByteSpan(bytes).subspan(written));
    if (!n) return require(!size && n.error().offset == size.error().offset);
    written += *n;
  }
  const Result<std::size_t> n = decoder.finish(ByteSpan(bytes).subspan(written));
  require(n.has_value() == size.has_value());
  if (!n) return require(n.error().offset == size.error().offset);
  require(written + *n == *size &&
          std::equal(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(*size), bytes.begin()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // The first byte chooses the alphabet, the padding and the cut; the rest is the text.
  const std::uint8_t choice = data[0];
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const Base64Options options = {
      (choice & 1) != 0 ? Base64Alphabet::kUrlSafe : Base64Alphabet::kStandard,
      (choice & 2) != 0 ? Base64Padding::kForbidden : Base64Padding::kRequired,
  };
  compare_kernels(text, options.alphabet);
  compare_pieces(text, std::min<std::size_t>(choice >> 2, text.size()), options);
  return 0;
}
