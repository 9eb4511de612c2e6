// The entries of the archive. The specification's text calls the second one manifest.json; no one writes or reads that.
#pragma once

#include <string_view>

namespace millrace::tdf {

inline constexpr std::string_view kPayloadName = "0.payload";
inline constexpr std::string_view kManifestName = "0.manifest.json";

}  // namespace millrace::tdf
