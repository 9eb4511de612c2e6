#include "silkd/bulk_frame.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "millrace/base64.h"

namespace millrace::silkd {

namespace {

constexpr std::array<BulkForm, 5> kForms = {{
    {Bulk::kDataRequest, Direction::kRequests, R"({"v":1,"op":"data","data":")", "{\"v\":1,\"op\":\"data_end\"}\n",
     kMaxFrame},
    {Bulk::kStdinRequest, Direction::kRequests, R"({"v":1,"op":"stdin","data":")", "{\"v\":1,\"op\":\"stdin_close\"}\n",
     kMaxFrame},
    {Bulk::kDataResponse, Direction::kResponses, R"({"type":"data","data":")", "{\"type\":\"done\"}\n",
     kMaxResponseFrame},
    {Bulk::kStdoutResponse, Direction::kResponses, R"({"type":"stdout","data":")", "", kMaxResponseFrame},
    {Bulk::kStderrResponse, Direction::kResponses, R"({"type":"stderr","data":")", "", kMaxResponseFrame},
}};

}  // namespace

const BulkForm& bulk_form(Bulk kind) {
  const BulkForm& form = kForms[static_cast<std::size_t>(kind)];
  MR_CHECK(form.kind == kind);
  return form;
}

std::size_t max_payload(Bulk kind) {
  const BulkForm& form = bulk_form(kind);
  return (form.max_frame - form.head.size() - kBulkTail.size()) / 4 * 3;
}

std::size_t bulk_frame_size(Bulk kind, std::size_t n) {
  MR_CHECK(n <= max_payload(kind));
  return bulk_form(kind).head.size() + base64_encoded_size(n) + kBulkTail.size() + 1;
}

std::optional<BulkText> find_bulk_text(std::string_view frame, Direction direction) {
  for (const BulkForm& form : kForms) {
    if (form.direction != direction || !frame.starts_with(form.head)) continue;
    const std::string_view rest = frame.substr(form.head.size());
    if (!rest.ends_with(kBulkTail)) return std::nullopt;
    return BulkText{form.kind, rest.substr(0, rest.size() - kBulkTail.size())};
  }
  return std::nullopt;
}

std::size_t begin_bulk_frame(Bulk kind, std::span<char> out) {
  const std::string_view head = bulk_form(kind).head;
  std::ranges::copy(head, out.begin());
  return head.size();
}

std::size_t end_bulk_frame(std::span<char> out, std::size_t at) {
  std::ranges::copy(kBulkTail, out.begin() + static_cast<std::ptrdiff_t>(at));
  at += kBulkTail.size();
  out[at] = '\n';
  return at + 1;
}

}  // namespace millrace::silkd
