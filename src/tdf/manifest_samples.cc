// Prints manifests, one a line, for manifest_schema_test.py.
#include <cstdio>

#include "tdf/manifest_examples.h"

using namespace millrace;
using namespace millrace::tdf;

int main() {
  for (const SegmentHash hash : {SegmentHash::kGmac, SegmentHash::kHs256}) {
    for (const SpecVersion version : {SpecVersion::k422, SpecVersion::k430}) {
      Manifest empty = example_manifest(hash, version);
      empty.segments.clear();
      for (const Manifest& manifest : {example_manifest(hash, version), full_example_manifest(hash, version), empty}) {
        const Result<std::string> json = to_json(manifest);
        if (!json) return 1;
        std::puts(json->c_str());
      }
    }
  }
}
