// Any bytes as an encrypted keyset, under a wrapper that opens everything: the fuzzer gets behind the tag.
#include <cstdlib>

#include "millrace/tink_keyset.h"

using namespace millrace;

namespace {

class OpenWrapper final : public tink::KeyWrapper {
 public:
  Result<std::vector<std::byte>> wrap(ByteView key, ByteView) const override {
    return std::vector<std::byte>(key.begin(), key.end());
  }
  Result<SecretBytes> unwrap(ByteView wrapped, ByteView) const override { return SecretBytes::copy_of(wrapped); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView input{reinterpret_cast<const std::byte*>(data), size};
  (void)tink::is_encrypted_keyset(input);
  (void)tink::read_keyset_info(input);
  const Result<tink::Keyset> keyset = tink::Keyset::unseal(input, OpenWrapper());
  if (!keyset) return 0;
  for (const tink::Format format : {tink::Format::kJson, tink::Format::kBinary}) {
    const Result<std::vector<std::byte>> sealed = keyset->seal(OpenWrapper(), {}, format);
    if (!sealed) std::abort();
    if (sealed->size() <= tink::kMaxKeysetSize && !tink::Keyset::unseal(*sealed, OpenWrapper())) std::abort();
  }
  return 0;
}
