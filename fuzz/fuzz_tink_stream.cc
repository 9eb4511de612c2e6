// Opening streams: whatever the input, pull, push and random access give the same verdict, and the streaming ones the
// same bytes. The first byte says how the input is cut for the push. (There is nothing to parse behind a tag of this
// format, so tags are checked as always.)
#include <algorithm>
#include <cstdlib>

#include "millrace/tink.h"

using namespace millrace;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

// The test keyset of the corpus: one key of each construction, segments of 64 bytes.
constexpr std::string_view kKeyset =
    R"({"primaryKeyId":7,"key":[{"keyData":{"typeUrl":"type.googleapis.com/google.crypto.tink.AesGcmHkdfStreamingKey","value":"EgYIQBAQGAMaEL5wqNC6FJe1UqW2vt3DddU=","keyMaterialType":"SYMMETRIC"},"status":"ENABLED","keyId":7,"outputPrefixType":"RAW"},{"keyData":{"typeUrl":"type.googleapis.com/google.crypto.tink.AesCtrHmacStreamingKey","value":"EgwIQBAQGAMiBAgDECAaEL5wqNC6FJe1UqW2vt3DddU=","keyMaterialType":"SYMMETRIC"},"status":"ENABLED","keyId":8,"outputPrefixType":"RAW"}]})";

const tink::StreamingAead& aead() {
  static const tink::StreamingAead instance = [] {
    const Result<tink::Keyset> keyset = tink::Keyset::parse(as_bytes(kKeyset));
    return *tink::StreamingAead::create(*keyset);
  }();
  return instance;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t step = data[0] + std::size_t{1};
  const ByteView input(reinterpret_cast<const std::byte*>(data + 1), size - 1);

  MemorySource source(input);
  MemorySink pulled;
  const auto pull = pump(**aead().decrypt_source(source, {}), pulled);

  MemorySink pushed;
  const auto sink = *aead().decrypt_sink(pushed, {});
  Status push = Ok{};
  for (ByteView left = input; !left.empty() && push; left = left.subspan(std::min(step, left.size()))) {
    push = sink->write(left.first(std::min(step, left.size())));
  }
  if (push) push = sink->finish();
  require(pull.has_value() == push.has_value());
  require(std::ranges::equal(pulled.bytes(), pushed.bytes()));
  if (!pull) require(!sink->finish());  // the first error is the last word

  const MemoryReadAt stream(input);
  const auto plain = aead().decrypt_read_at(stream, {});
  if (pull) {
    require(plain.has_value() && (*plain)->size() == pulled.bytes().size());
    std::vector<std::byte> bytes(pulled.bytes().size());
    require((*plain)->read_at(0, bytes).has_value() && std::ranges::equal(bytes, pulled.bytes()));
  }
  return 0;
}
