// millrace: the command. One file per verb; this one tells the story.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "failure.h"
#include "files.h"
#include "machine.h"
#include "verbs.h"

namespace millrace::cli {

namespace {

// `--range -500` is a range, not an option: the value is joined to its option before parsing.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] == "--") break;
    if (arguments[i] == "--range" && arguments[i + 1].size() > 1 && arguments[i + 1][0] == '-') {
      arguments[i] += '=' + arguments[i + 1];
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
  }
  return {arguments.rbegin(), arguments.rend()};  // as CLI11 wants them
}

int run(int argc, char** argv) {
  CLI::App app("Millrace moves bulk bytes through encryption, checksums and framing, in constant memory.", "millrace");
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text);
  app.footer(
      "millrace VERB --help shows the options of a verb and an example.\n"
      "Exit status: 0 done, 1 environment, 2 usage, 3 malformed or not authentic, 4 denied, 5 try again later.");
  add_encrypt(app);
  add_decrypt(app);
  add_cat(app);
  add_verify(app);
  add_inspect(app);
  add_keyset(app);
  add_kas(app);
  add_sum(app);
  add_bench(app);
  add_frame(app);
  add_unframe(app);
  try {
    app.parse(arguments_of(argc, argv));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {  // --help, --version
      app.exit(e);
      return kExitDone;
    }
    tell(fmt::format("{}; see millrace --help", e.what()));
    return kExitUsage;
  }
  return kExitDone;
}

}  // namespace

}  // namespace millrace::cli

int main(int argc, char** argv) {
  using namespace millrace::cli;
  prepare_process();
  try {
    const int status = run(argc, argv);
    // What went to stdout through stdio (lists, JSON) must have arrived.
    if (status == kExitDone && (std::fflush(stdout) != 0 || std::ferror(stdout))) {
      tell("standard output: write failed");
      return kExitEnvironment;
    }
    return status;
  } catch (const Exit& exit) {
    return std::fflush(stdout) == 0 ? exit.status : static_cast<int>(kExitEnvironment);
  } catch (const Failure& failure) {
    std::fflush(stdout);
    tell(failure.text);
    return failure.exit;
  } catch (const std::exception& e) {
    tell(e.what());
    return kExitEnvironment;
  }
}
