// Any bytes as a policy; what can be written again must be read back as itself.
#include <cstdlib>

#include "millrace/tdf_manifest.h"

using namespace millrace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<tdf::Policy> policy = tdf::parse_policy({reinterpret_cast<const std::byte*>(data), size});
  if (!policy) return 0;
  const Result<std::string> json = tdf::to_json(*policy);
  if (!json) return 0;  // no UUID, or an attribute that is no FQN
  const Result<tdf::Policy> again = tdf::parse_policy(as_bytes(*json));
  if (!again || *tdf::to_json(*again) != *json) std::abort();
  return 0;
}
