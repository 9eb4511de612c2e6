// How the command ends: exit statuses, and the one line that says what failed.
#pragma once

#include <string>
#include <string_view>

#include "millrace/result.h"

namespace millrace::cli {

enum ExitStatus : int {
  kExitDone = 0,
  kExitEnvironment = 1,   // I/O, network
  kExitUsage = 2,         // usage or configuration
  kExitNotAuthentic = 3,  // malformed or not authentic
  kExitDenied = 4,
  kExitTemporary = 5,  // retry later
};

// Failure is thrown by verbs and caught in main, which prints "millrace: TEXT" and exits with `exit`.
struct Failure {
  int exit;
  std::string text;
};

// Exit is thrown by a verb that has said everything itself.
struct Exit {
  int status;
};

[[noreturn]] void fail(int exit, std::string text);
// fail_with ends with the status that belongs to the error. `what` names the file or the step; `hint` says what to do.
[[noreturn]] void fail_with(std::string_view what, const Error& error, std::string_view hint = {});
int exit_status(const Error& error);

// value_or_fail unwraps a Result.
template <class T>
T value_or_fail(Result<T> result, std::string_view what, std::string_view hint = {}) {
  if (!result) fail_with(what, result.error(), hint);
  return *std::move(result);
}
inline void check_or_fail(const Status& status, std::string_view what, std::string_view hint = {}) {
  if (!status) fail_with(what, status.error(), hint);
}

// write_stderr writes `text` as it is. A stderr that cannot be written to (closed, a terminal that went away) is no
// reason to fail: the status tells.
void write_stderr(std::string_view text);
// printable shows control characters as \xNN, so that a name with a line break or an escape sequence stays one line.
std::string printable(std::string_view text);
// tell prints "millrace: TEXT", one line, on stderr.
void tell(std::string_view text);
// warn prints "millrace: warning: TEXT" on stderr.
void warn(std::string_view text);

}  // namespace millrace::cli
