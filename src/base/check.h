// MR_CHECK: a broken precondition of ours is a bug, not an Error. Input never reaches it.
#pragma once

namespace millrace {
[[noreturn]] void check_failed(const char* condition, const char* file, int line);
}  // namespace millrace

#define MR_CHECK(cond) ((cond) ? void(0) : ::millrace::check_failed(#cond, __FILE__, __LINE__))
