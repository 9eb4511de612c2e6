// Which encoding of hashes a manifest uses, by the version it states.
#pragma once

#include <optional>
#include <string_view>

#include "millrace/tdf_manifest.h"

namespace millrace::tdf {

// version_of reads the text of schemaVersion: k422 for none and for anything before 4.3.0, k430 up to the next major
// version. Nothing for what is no version or a later one. What follows the three numbers ("-beta") does not count.
std::optional<SpecVersion> version_of(std::string_view schema_version);

}  // namespace millrace::tdf
