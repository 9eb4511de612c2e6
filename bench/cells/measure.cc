// measure FD COMMAND...: runs a command and writes its wall time, CPU time and peak memory to the descriptor FD.
//
// A process inherits the peak of the one that starts it (the kernel keeps the larger of both at exec), so the harness,
// an interpreter of tens of MiB, cannot start a command and see its peak. This program is small, and stays small.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

extern char** environ;

namespace {

double now() {
  timespec t;
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; }

}  // namespace

int main(int argc, char** argv) {
  const int result = argc > 2 ? std::atoi(argv[1]) : 0;
  if (result <= 2 || ::fcntl(result, F_SETFD, FD_CLOEXEC) != 0) {
    std::fprintf(stderr, "usage: measure FD COMMAND...\n");
    return 2;
  }
  const double start = now();
  pid_t child = 0;
  if (const int error = ::posix_spawnp(&child, argv[2], nullptr, nullptr, argv + 2, environ); error != 0) {
    std::fprintf(stderr, "measure: %s: %s\n", argv[2], std::strerror(error));
    return 127;
  }
  int status = 0;
  rusage usage;
  if (::wait4(child, &status, 0, &usage) != child) return 127;
  const double wall = now() - start;
  ::dprintf(result, "{\"seconds\": %.6f, \"cpu_seconds\": %.6f, \"peak_rss\": %lld}\n", wall,
            seconds(usage.ru_utime) + seconds(usage.ru_stime), static_cast<long long>(usage.ru_maxrss) * 1024);
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  return WEXITSTATUS(status);
}
