// `frame silkd` and `unframe silkd`; each adds itself to its group.
#pragma once

#include <CLI/CLI.hpp>

namespace millrace::cli {

void add_frame_silkd(CLI::App& frame);
void add_unframe_silkd(CLI::App& unframe);

}  // namespace millrace::cli
