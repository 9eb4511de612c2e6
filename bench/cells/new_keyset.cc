// Prints a fresh keyset of one AES256-GCM-HKDF key with a segment size that no template has.
#include <cstdio>

#include "cell.h"
#include "millrace/tink_keyset.h"

using namespace millrace;

int main(int argc, char** argv) {
  bench::Options options(argc, argv);
  const std::uint64_t segment = options.number("segment");
  options.refuse_others();
  if (segment > UINT32_MAX) bench::fail("segment= is out of range");
  tink::StreamingParams params;
  params.derived_key_size = 32;
  params.ciphertext_segment_size = static_cast<std::uint32_t>(segment);
  const tink::Keyset keyset = bench::must(tink::Keyset::generate({"", params}));
  const SecretBytes json = keyset.to_json();
  if (std::fwrite(json.reveal().data(), 1, json.size(), stdout) != json.size() || std::fflush(stdout) != 0)
    bench::fail("cannot write");
}
