#include "failure.h"

#include <fmt/core.h>

#include <cstdio>

namespace millrace::cli {

void fail(int exit, std::string text) { throw Failure{exit, std::move(text)}; }

int exit_status(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
      return kExitUsage;
    case ErrorCode::kMalformed:
    case ErrorCode::kNotAuthentic:
    case ErrorCode::kLimitExceeded:
      return kExitNotAuthentic;
    case ErrorCode::kIo:
      return kExitEnvironment;
  }
  return kExitEnvironment;
}

void fail_with(std::string_view what, const Error& error, std::string_view hint) {
  fail(exit_status(error), fmt::format("{}: {}{}{}", what, describe(error), hint.empty() ? "" : "; ", hint));
}

void warn(std::string_view text) { fmt::print(stderr, "millrace: warning: {}\n", text); }

}  // namespace millrace::cli
