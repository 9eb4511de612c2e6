// Any bytes as a binary keyset; what is accepted must survive both forms.
#include <algorithm>
#include <cstdlib>

#include "millrace/tink_keyset.h"

using namespace millrace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<tink::Keyset> keyset = tink::Keyset::parse_binary({reinterpret_cast<const std::byte*>(data), size});
  if (!keyset) return 0;
  (void)keyset->streaming_keys();
  const SecretBytes binary = keyset->to_binary();
  const Result<tink::Keyset> from_binary = tink::Keyset::parse_binary(binary.reveal());
  if (!from_binary || !std::ranges::equal(from_binary->to_binary().reveal(), binary.reveal())) std::abort();
  // JSON is longer than binary and may pass the limit on size.
  const SecretBytes json = keyset->to_json();
  if (json.size() > tink::kMaxKeysetSize) return 0;
  const Result<tink::Keyset> from_json = tink::Keyset::parse_json(json.reveal());
  if (!from_json || !std::ranges::equal(from_json->to_binary().reveal(), binary.reveal())) std::abort();
  return 0;
}
