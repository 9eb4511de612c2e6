// Any bytes as a JSON keyset; what is accepted must be written and read back as itself.
#include <algorithm>
#include <cstdlib>

#include "millrace/tink_keyset.h"

using namespace millrace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<tink::Keyset> keyset = tink::Keyset::parse_json({reinterpret_cast<const std::byte*>(data), size});
  if (!keyset) return 0;
  (void)keyset->streaming_keys();
  const SecretBytes json = keyset->to_json();
  const Result<tink::Keyset> again = tink::Keyset::parse_json(json.reveal());
  if (!again || !std::ranges::equal(again->to_json().reveal(), json.reveal())) std::abort();
  return 0;
}
