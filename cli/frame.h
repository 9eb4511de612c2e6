// The formats of `frame` and `unframe`: each adds itself to the group.
#pragma once

#include <CLI/CLI.hpp>

namespace millrace::cli {

void add_frame_aws_chunked(CLI::App& frame);
void add_unframe_aws_chunked(CLI::App& unframe);

}  // namespace millrace::cli
