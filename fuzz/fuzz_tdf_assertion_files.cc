// Any bytes as the files that tools take: assertions to add, and keys that verify.
#include <cstdlib>

#include "tdf/assertion.h"

using namespace millrace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView input(reinterpret_cast<const std::byte*>(data), size);
  (void)tdf::parse_assertion_keys(input);
  Result<std::vector<tdf::NewAssertion>> assertions = tdf::parse_new_assertions(input);
  if (!assertions) return 0;
  // What was accepted can be signed, and verifies.
  tdf::Manifest manifest;
  tdf::AssertionKeys keys;
  for (tdf::NewAssertion& made : *assertions) {
    const tdf::AssertionKey* key = made.key ? &*made.key : nullptr;
    if (!tdf::sign_assertion(made.assertion, key, as_bytes("key of the file"), {}, tdf::SpecVersion::k430))
      std::abort();
    manifest.assertions.push_back(made.assertion);
    if (made.key) keys.by_id.emplace(made.assertion.id, *std::move(made.key));
  }
  if (!tdf::verify_assertions(manifest, &keys, as_bytes("key of the file"), {})) std::abort();
  return 0;
}
