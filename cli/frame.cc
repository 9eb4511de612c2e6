// The groups `frame` and `unframe`: one subcommand for each format.
#include "frame.h"

#include "frame_silkd.h"
#include "verbs.h"

namespace millrace::cli {

void add_frame(CLI::App& app) {
  CLI::App* group = app.add_subcommand("frame", "Put a payload into the framing of a protocol");
  group->require_subcommand(1);
  add_frame_aws_chunked(*group);
  add_frame_silkd(*group);
}

void add_unframe(CLI::App& app) {
  CLI::App* group = app.add_subcommand("unframe", "Verify the framing of a protocol and write the payload");
  group->require_subcommand(1);
  add_unframe_aws_chunked(*group);
  add_unframe_silkd(*group);
}

}  // namespace millrace::cli
