#include "producer.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "failure.h"
#include "files.h"

namespace millrace::cli {

ProducerSource::ProducerSource(std::string command) : command_(std::move(command)) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail_with("--producer", Error{ErrorCode::kIo, "pipe", 0, errno});
  Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  ::fcntl(ends[0], F_SETPIPE_SZ, 1024 * 1024);  // fewer switches between the two; 64 KiB where it is refused
  process_ = ::fork();
  if (process_ < 0) fail_with("--producer", Error{ErrorCode::kIo, "fork", 0, errno});
  if (process_ == 0) {
    ::setpgid(0, 0);
    // Our handlers are not for the child. What we ignore (SIGHUP under nohup) it goes on ignoring.
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction now;
      if (::sigaction(number, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) ::signal(number, SIG_DFL);
    }
    ::signal(SIGXFSZ, SIG_DFL);
    ::dup2(write_end.get(), STDOUT_FILENO);
    ::execl("/bin/sh", "sh", "-c", command_.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::setpgid(process_, process_);
  on_termination_kill(process_);
  output_ = std::make_unique<FileSource>(std::move(read_end));
}

ProducerSource::~ProducerSource() {
  if (process_ < 0) return;
  on_termination_kill(0);
  ::kill(-process_, SIGTERM);
  output_.reset();  // a command that ignores the signal must not wait for us to read while we wait for its end
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<ByteView> ProducerSource::pull(ByteSpan scratch) {
  if (failed_) return *failed_;
  MR_TRY(const ByteView bytes, output_->pull(scratch));
  if (!bytes.empty() || process_ < 0) return bytes;
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0) {
    if (errno != EINTR) {
      failed_ = Error{ErrorCode::kIo, "wait for the producer", 0, errno};
      return *failed_;
    }
  }
  process_ = -1;
  on_termination_kill(0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return ByteView{};
  failure_ = WIFEXITED(status) ? fmt::format("exited with status {}", WEXITSTATUS(status))
                               : fmt::format("was ended by signal {}", WTERMSIG(status));
  failed_ = Error{ErrorCode::kIo, "producer"};
  return *failed_;
}

}  // namespace millrace::cli
