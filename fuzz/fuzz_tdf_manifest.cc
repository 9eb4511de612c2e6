// Any bytes as a manifest; what can be written again must be read back as itself.
#include <cstdlib>

#include "millrace/tdf_manifest.h"

using namespace millrace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<tdf::Manifest> manifest = tdf::parse_manifest({reinterpret_cast<const std::byte*>(data), size});
  if (!manifest) return 0;
  (void)tdf::policy_of(*manifest);
  const Result<std::string> json = tdf::to_json(*manifest);
  if (!json) return 0;  // damaged hashes, sizes of old files
  tdf::ManifestLimits limits;
  limits.max_size = json->size();  // \u escapes make a text longer
  const Result<tdf::Manifest> again = tdf::parse_manifest(as_bytes(*json), limits);
  if (!again || *tdf::to_json(*again) != *json) std::abort();
  return 0;
}
