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

void write_stderr(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stderr) != text.size()) std::clearerr(stderr);
  std::fflush(stderr);
}

std::string printable(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7f) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += c;
    }
  }
  return shown;
}

void tell(std::string_view text) { write_stderr(fmt::format("millrace: {}\n", printable(text))); }

void warn(std::string_view text) { tell(fmt::format("warning: {}", text)); }

}  // namespace millrace::cli
