// The verbs: each adds itself to the command line and runs when it was chosen.
#pragma once

#include <CLI/CLI.hpp>

namespace millrace::cli {

void add_encrypt(CLI::App& app);
void add_decrypt(CLI::App& app);
void add_cat(CLI::App& app);
void add_verify(CLI::App& app);
void add_inspect(CLI::App& app);
void add_keyset(CLI::App& app);
void add_kas(CLI::App& app);
void add_sum(CLI::App& app);
void add_bench(CLI::App& app);
void add_frame(CLI::App& app);
void add_unframe(CLI::App& app);

}  // namespace millrace::cli
