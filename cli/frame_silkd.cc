// `frame silkd`: a payload as the frames that upload it. `unframe silkd`: the payload of such frames, or of those that
// an agent answers with.
#include "frame_silkd.h"

#include <fmt/core.h>

#include "failure.h"
#include "millrace/silkd_frames.h"
#include "options.h"
#include "transfer.h"

namespace millrace::cli {

namespace {

struct SilkdOptions {
  TransferOptions transfer;
  ReportOptions report;
  std::string op = "data";
  std::uint64_t chunk = silkd::kDefaultPayload;
};

void frame(const SilkdOptions& options) {
  const silkd::Bulk kind = options.op == "stdin" ? silkd::Bulk::kStdinRequest : silkd::Bulk::kDataRequest;
  if (options.chunk == 0 || options.chunk > silkd::max_payload(kind))
    fail(kExitUsage, fmt::format("--chunk {}: from 1 to {} bytes", options.chunk, silkd::max_payload(kind)));
  Transfer transfer("frame", options.transfer, options.report, Content::kBinary);
  silkd::FrameSource frames(kind, transfer.source(), silkd::Closing::kYes, static_cast<std::size_t>(options.chunk));
  if (transfer.positional_output() && frames.remaining()) transfer.reserve(*frames.remaining());
  Report report;
  report.output_bytes = transfer.pump_to_sink(frames);
  report.bytes = frames.payload_size();
  transfer.finish(report);
}

// Answers begin with their type, requests with the version or the op.
silkd::Direction direction_of(ByteView start) {
  return as_text(start).starts_with(R"({"type)") ? silkd::Direction::kResponses : silkd::Direction::kRequests;
}

// why is what an error alone does not tell: the name that nobody knows, the answer of the agent.
std::string why(const silkd::FrameReader& frames, const silkd::PayloadSource& payload) {
  if (payload.agent_error() != nullptr) return fmt::format("; it says: {}", payload.agent_error()->message);
  if (!frames.unknown_name().empty()) return fmt::format("; it is called {}", frames.unknown_name());
  return {};
}

void unframe(const SilkdOptions& options) {
  Transfer transfer("unframe", options.transfer, options.report, Content::kText);
  silkd::FrameReader frames(transfer.source(), direction_of(transfer.first_bytes(6)));
  silkd::PayloadSource payload(frames);
  Report report;
  try {
    report.bytes = report.output_bytes = transfer.pump_to_sink(payload);
  } catch (Failure& failure) {
    failure.text += why(frames, payload);
    throw;
  }
  const Result<bool> more = frames.next();
  if (!more) transfer.fail_input(more.error(), {});
  if (*more) transfer.fail_input(Error{ErrorCode::kMalformed, "silkd payload: frames behind its end"}, {});
  report.verified = true;
  transfer.finish(report);
}

}  // namespace

void add_frame_silkd(CLI::App& group) {
  CLI::App* verb = group.add_subcommand("silkd", "The frames of an upload to silkd, ended by data_end or stdin_close");
  auto options = std::make_shared<SilkdOptions>();
  verb->add_option("--op", options->op, "data, for fs_write, fs_push and ports, or stdin; default: data")
      ->check(CLI::IsMember({"data", "stdin"}));
  verb->add_option("--chunk", options->chunk, "payload of a frame, up to 6291432 bytes; default: 256KiB")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(false));
  options->transfer.add_to(*verb, true);
  options->report.add_to(*verb);
  verb->footer(
      "Example:\n  millrace frame silkd --chunk 1MiB -o frames a.tar\n  { echo "
      "'{\"v\":1,\"op\":\"fs_write\",\"path\":\"/srv/a.tar\"}'; millrace frame silkd a.tar; } | nc "
      "-U "
      "silkd.sock");
  verb->callback([options] { frame(*options); });
}

void add_unframe_silkd(CLI::App& group) {
  CLI::App* verb = group.add_subcommand("silkd", "The payload of data or stdin frames, or of the answer to fs_read");
  auto options = std::make_shared<SilkdOptions>();
  options->transfer.add_to(*verb, true);
  options->report.add_to(*verb);
  verb->footer(
      "Example:\n  millrace unframe silkd -o a.tar frames\n  echo "
      "'{\"v\":1,\"op\":\"fs_read\",\"path\":\"/srv/a.tar\"}' | nc -NU silkd.sock | millrace unframe "
      "silkd "
      "-o a.tar");
  verb->callback([options] { unframe(*options); });
}

}  // namespace millrace::cli
