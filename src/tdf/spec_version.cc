#include "tdf/spec_version.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace millrace::tdf {

std::optional<SpecVersion> version_of(std::string_view schema_version) {
  if (schema_version.empty()) return SpecVersion::k422;
  const std::string_view triple = schema_version.substr(0, schema_version.find_first_of("-+"));
  std::array<unsigned, 3> version{};
  const char* at = triple.data();
  const char* const end = at + triple.size();
  for (std::size_t i = 0; i < version.size(); ++i) {
    if (i > 0 && (at == end || *at++ != '.')) return std::nullopt;
    const auto [stop, error] = std::from_chars(at, end, version[i]);
    if (error != std::errc{}) return std::nullopt;
    at = stop;
  }
  if (at != end || version[0] > 4) return std::nullopt;
  return version < std::array<unsigned, 3>{4, 3, 0} ? SpecVersion::k422 : SpecVersion::k430;
}

std::string_view to_text(SpecVersion version) { return version == SpecVersion::k422 ? "4.2.2" : "4.3.0"; }

}  // namespace millrace::tdf
