#include "tdf/json_members.h"

#include "encoding/json_reader.h"

namespace millrace::tdf {

Result<Members> read_members(std::string_view json) {
  constexpr std::string_view kWhere = "JSON object";
  JsonReader in(json, kWhere, {.max_size = json.size(), .max_depth = 16});
  Members members;
  MR_TRY(in.object(kWhere, [&](std::string_view name) -> Status {
    std::optional<std::string>& text = members[std::string(name)];
    MR_TRY(const JsonKind kind, in.kind());
    if (kind != JsonKind::kString) return in.skip();
    return in.text(kWhere, text.emplace());
  }));
  MR_TRY(in.finish());
  return members;
}

const std::string* text_of(const Members& members, std::string_view name) {
  const auto found = members.find(name);
  return found == members.end() || !found->second ? nullptr : &*found->second;
}

}  // namespace millrace::tdf
