// BulkForm: the bytes around the base64 of a bulk frame. All producers agree on them, so a bulk frame is built and
// recognized by comparing bytes.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "millrace/silkd_frames.h"

namespace millrace::silkd {

struct BulkForm {
  Bulk kind;
  Direction direction;
  std::string_view head;     // up to the first character of the base64
  std::string_view closing;  // the frame that completes such a payload, newline included; empty: there is none
  std::size_t max_frame;     // the cap, newline not counted
};

// What follows the base64.
inline constexpr std::string_view kBulkTail = "\"}";

const BulkForm& bulk_form(Bulk kind);

// BulkText is what is between head and tail of a frame that has those of a bulk frame. Whether it is base64 is for the
// decoder to say.
struct BulkText {
  Bulk kind;
  std::string_view text;
};
std::optional<BulkText> find_bulk_text(std::string_view frame, Direction direction);

// begin_bulk_frame writes the head and returns its length; end_bulk_frame writes tail and newline at `at` and returns
// where the frame ends.
std::size_t begin_bulk_frame(Bulk kind, std::span<char> out);
std::size_t end_bulk_frame(std::span<char> out, std::size_t at);

}  // namespace millrace::silkd
