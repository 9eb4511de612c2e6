#include "files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/endian.h"
#include "crypto/random.h"
#include "failure.h"

namespace millrace::cli {

namespace {

[[noreturn]] void fail_errno(const std::string& name, std::string_view step, int number) {
  fail_with(name, Error{ErrorCode::kIo, step, 0, number});
}

bool same_file(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

// rename_unless_exists fails with EEXIST, in one step, when `to` exists.
bool rename_unless_exists(const char* from, const char* to) {
  if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  // A file system without that flag: a link fails on an existing name just the same.
  if (::link(from, to) == 0) {
    ::unlink(from);
    return true;
  }
  if (errno == EEXIST) return false;
  // And one without links: an empty file holds the name for a moment.
  const Fd holder(::open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!holder.valid()) return false;
  if (::rename(from, to) == 0) return true;
  const int error = errno;
  ::unlink(to);
  errno = error;
  return false;
}

// What a signal has to undo. The handler may run at any time, so this is fixed memory.
char pending_temporary[PATH_MAX];
std::atomic<bool> temporary_exists{false};
std::atomic<int> kill_group{0};

extern "C" void terminate_cleanly(int signal_number) {
  if (temporary_exists.load()) ::unlink(pending_temporary);
  if (const int group = kill_group.load(); group > 0) ::kill(-group, signal_number);
  ::signal(signal_number, SIG_DFL);
  ::raise(signal_number);  // the parent sees a death by this signal: 130, 143, 129
}

// TextOnlySink refuses to show binary data on a terminal.
class TextOnlySink final : public Sink {
 public:
  TextOnlySink(std::unique_ptr<Sink> inner, std::string name) : inner_(std::move(inner)), name_(std::move(name)) {}
  ByteSpan scratch() override { return inner_->scratch(); }
  Status write(ByteView bytes) override {
    const bool binary = std::any_of(bytes.begin(), bytes.end(), [](std::byte b) {
      const auto c = static_cast<unsigned char>(b);
      return (c < 0x20 && std::strchr("\t\n\r\f\b\x1b", c) == nullptr) || c == 0 || c == 0x7f;
    });
    if (binary) fail(kExitUsage, "the output is binary and would go to a terminal; use -o FILE or a pipe");
    return inner_->write(bytes);
  }
  Status finish() override { return inner_->finish(); }

 private:
  std::unique_ptr<Sink> inner_;
  std::string name_;
};

}  // namespace

void prepare_process() {
  for (const int fd : {0, 1, 2}) {
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
      // Opened the wrong way round: using it fails with EBADF, as it should, and no file can get this number.
      const int placeholder = ::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
      if (placeholder >= 0 && placeholder != fd) ::close(placeholder);
    }
  }
  ::signal(SIGPIPE, SIG_DFL);  // a reader that goes away ends us at once and quietly
  ::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error like a full disk, with a message
  struct sigaction action = {};
  action.sa_handler = terminate_cleanly;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old;
    // What the parent ignores (nohup) stays ignored.
    if (::sigaction(number, nullptr, &old) == 0 && old.sa_handler != SIG_IGN) ::sigaction(number, &action, nullptr);
  }
}

void on_termination_kill(int process_group) { kill_group = process_group; }

Input::Input(const std::string& path) : name_(path) {
  if (path.empty() || path == "-") {
    name_ = "standard input";
    fd_ = Fd(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
    if (!fd_.valid()) fail_errno(name_, "open", errno);
  } else {
    fd_ = value_or_fail(open_for_reading(path), path);
  }
  watch_ = Fd(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 3));
  if (::fstat(fd_.get(), &status_) != 0) fail_errno(name_, "open", errno);
  if (S_ISDIR(status_.st_mode)) fail_errno(name_, "open", EISDIR);
}

bool Input::positional() const {
  return S_ISREG(status_.st_mode) && status_.st_size > 0 && ::lseek(fd_.get(), 0, SEEK_CUR) == 0;
}

std::unique_ptr<FileSource> Input::source() { return std::make_unique<FileSource>(std::move(fd_)); }

void Input::check_unchanged() const {
  struct stat now;
  if (!S_ISREG(status_.st_mode) || status_.st_size == 0 || ::fstat(watch_.get(), &now) != 0) return;
  if (now.st_size != status_.st_size) {
    fail(kExitEnvironment,
         fmt::format("{}: the input changed while it was read (from {} to {} bytes); run again when it is at rest",
                     name_, status_.st_size, now.st_size));
  }
  if (now.st_mtim.tv_sec != status_.st_mtim.tv_sec || now.st_mtim.tv_nsec != status_.st_mtim.tv_nsec) {
    warn(fmt::format("{}: the input was written to while it was read", name_));
  }
}

Output::Output(const std::string& path, const OutputOptions& options, const Input* input) : options_(options) {
  struct stat st;
  if (path.empty() || path == "-") {
    name_ = "standard output";
    stdout_ = true;
    fd_ = Fd(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    if (!fd_.valid() || ::fstat(fd_.get(), &st) != 0) fail_errno(name_, "open", errno);
    if (input != nullptr && S_ISREG(st.st_mode) && same_file(st, input->status())) {
      fail(kExitUsage, "input and output are the same file");
    }
    if (path.empty() && options_.content == Content::kBinary && ::isatty(fd_.get())) {
      fail(kExitUsage, "the output is binary and would go to a terminal; use -o FILE or a pipe (-o - to insist)");
    }
    return;
  }

  name_ = path;
  target_ = path;
  if (::stat(path.c_str(), &st) == 0) {
    if (S_ISDIR(st.st_mode)) fail_errno(name_, "open for writing", EISDIR);
    if (input != nullptr && same_file(st, input->status()) && S_ISREG(st.st_mode)) {
      fail(kExitUsage, fmt::format("{}: input and output are the same file", name_));
    }
    if (!S_ISREG(st.st_mode)) {  // a device, FIFO or socket: nothing is replaced, so nothing needs force
      fd_ = Fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
      if (!fd_.valid()) fail_errno(name_, "open for writing", errno);
      struct stat standard;  // /dev/stdout is standard output by another name
      stdout_ = ::fstat(STDOUT_FILENO, &standard) == 0 && same_file(st, standard);
      return;
    }
    if (options_.overwrite == Overwrite::kNo) {
      fail(kExitUsage, fmt::format("{}: the file exists; use --force to replace it", name_));
    }
    old_ = st;
    // Through a link, the file it points to is replaced, not the link.
    if (char* resolved = ::realpath(path.c_str(), nullptr)) {
      target_ = resolved;
      std::free(resolved);
    }
  } else if (struct stat link; ::lstat(path.c_str(), &link) == 0 && options_.overwrite == Overwrite::kNo) {
    fail(kExitUsage, fmt::format("{}: a link to a missing file; use --force to replace it", name_));
  }
  open_new_file();
}

void Output::choose_temporary() {
  std::byte random[8];
  check_or_fail(random_bytes(random), "temporary name");
  // Beside the target, hidden, and short enough however long the target's own name is.
  const std::string base = target_.substr(target_.rfind('/') + 1);
  const std::string name =
      fmt::format("{}/.{}.{:016x}.part", directory_of(target_), base.substr(0, 200), load_be<std::uint64_t>(random));
  if (name.size() >= sizeof pending_temporary) fail_errno(name_, "create", ENAMETOOLONG);
  std::memcpy(pending_temporary, name.c_str(), name.size() + 1);
  temporary_exists = true;  // before it does: removing what is not there does no harm
  temporary_ = name;
}

void Output::open_new_file() {
  const std::string directory = directory_of(target_);
  // 0600 until it is complete: no one else reads half a file, whatever it will be in the end.
  // (Naming it later goes through /proc.)
  const bool can_name = ::access("/proc/self/fd", X_OK) == 0;
  fd_ = Fd(can_name ? ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1);
  if (!fd_.valid()) {
    const int reason = can_name ? errno : EOPNOTSUPP;
    if (reason != EOPNOTSUPP && reason != EISDIR && reason != EINVAL && reason != ENOENT)
      fail_errno(name_, "create", reason);
    // No unnamed files on this file system: a temporary name beside the target.
    choose_temporary();
    fd_ = Fd(::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd_.valid()) {
      const int error = errno;
      temporary_exists = false;
      temporary_.clear();
      fail_errno(name_, "create", error);
    }
  }
  new_file_ = true;
}

Output::~Output() {
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  temporary_exists = false;
}

void Output::reserve(std::uint64_t size) {
  if (!new_file_ || size == 0 || size > static_cast<std::uint64_t>(LLONG_MAX)) return;
  // Where it is not supported nothing is lost; a full disk is told now instead of at the end.
  if (::fallocate(fd_.get(), 0, 0, static_cast<off_t>(size)) != 0 &&
      (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
    fail_errno(name_, "reserve space", errno);
  }
}

std::unique_ptr<Sink> Output::sink() {
  Fd copy(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 3));
  if (!copy.valid()) fail_errno(name_, "open for writing", errno);
  const bool terminal = stdout_ && options_.content == Content::kText && ::isatty(copy.get());
  // A pipe that takes a MiB lets both ends work longer between two switches; where it is refused, 64 KiB will do.
  ::fcntl(copy.get(), F_SETPIPE_SZ, 1024 * 1024);
  std::unique_ptr<Sink> sink = std::make_unique<FileSink>(std::move(copy));
  if (terminal) return std::make_unique<TextOnlySink>(std::move(sink), name_);
  return sink;
}

void Output::set_mode() {
  struct stat now;
  if (::fstat(fd_.get(), &now) != 0) fail_errno(name_, "set mode", errno);
  mode_t mode;
  if (old_) {
    mode = old_->st_mode & 0777;  // not setuid: these are not the contents somebody gave it for
    if (options_.privacy == Privacy::kOwnerAlways) mode &= static_cast<mode_t>(S_IRWXU);
    if ((now.st_uid != old_->st_uid || now.st_gid != old_->st_gid) &&
        ::fchown(fd_.get(), old_->st_uid, old_->st_gid) != 0 &&
        ::fchown(fd_.get(), static_cast<uid_t>(-1), old_->st_gid) != 0) {
      mode &= ~static_cast<mode_t>(S_IRWXG);  // what one group could do is not for another
    }
  } else {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    mode = (options_.privacy == Privacy::kShared ? 0666 : 0600) & ~mask;
  }
  if (::fchmod(fd_.get(), mode) == 0) return;
  // FAT and its like have no modes and refuse them even to the owner of a file.
  if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS) fail_errno(name_, "set mode", errno);
  if ((now.st_mode & 0777 & ~mode) != 0)
    warn(fmt::format("{}: this file system keeps no modes; others may be able to read the file", name_));
}

void Output::commit() {
  if (!new_file_) return;
  set_mode();
  if (options_.sync && ::fsync(fd_.get()) != 0) fail_errno(name_, "sync", errno);
  // Network file systems report a failed write as late as at a close, so there is one before the file gets its name.
  Fd copy(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 3));
  if (!copy.valid() || (::close(copy.release()) != 0 && errno != EINTR)) fail_errno(name_, "close", errno);

  const std::string unnamed = fmt::format("/proc/self/fd/{}", fd_.get());
  if (temporary_.empty()) {
    // Giving the file its name never replaces another: the check and the creation are one step.
    if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, target_.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      new_file_ = false;
    } else if (errno != EEXIST) {
      fail_errno(name_, "create", errno);
    } else if (options_.overwrite == Overwrite::kNo) {
      fail(kExitUsage, fmt::format("{}: the file exists by now; use --force to replace it", name_));
    } else {
      // To replace a file it needs a name of its own for a moment.
      choose_temporary();
      if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) != 0)
        fail_errno(name_, "create", errno);
    }
  }
  if (!temporary_.empty()) {
    const bool renamed = options_.overwrite == Overwrite::kYes
                             ? ::rename(temporary_.c_str(), target_.c_str()) == 0
                             : rename_unless_exists(temporary_.c_str(), target_.c_str());
    if (!renamed) {
      if (errno == EEXIST)
        fail(kExitUsage, fmt::format("{}: the file exists by now; use --force to replace it", name_));
      fail_errno(name_, "rename", errno);
    }
    temporary_exists = false;
    temporary_.clear();
    new_file_ = false;
  }
  if (options_.sync) {
    const Fd opened(::open(directory_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!opened.valid() || ::fsync(opened.get()) != 0) fail_errno(name_, "sync directory", errno);
  }
}

void write_file(const std::string& path, ByteView bytes, Overwrite overwrite, Privacy privacy) {
  OutputOptions options;
  options.overwrite = overwrite;
  options.content = Content::kText;
  options.privacy = privacy;
  options.sync = true;
  Output output(path, options, nullptr);
  const std::unique_ptr<Sink> sink = output.sink();
  check_or_fail(sink->write(bytes), output.name());
  check_or_fail(sink->finish(), output.name());
  output.commit();
}

void write_output(const std::string& path, ByteView bytes, Overwrite overwrite, Privacy privacy) {
  if (!is_stdout(path)) return write_file(path, bytes, overwrite, privacy);
  OutputOptions to_stdout;
  to_stdout.content = Content::kText;
  Output output("-", to_stdout, nullptr);
  const std::unique_ptr<Sink> sink = output.sink();
  check_or_fail(sink->write(bytes), output.name());
  check_or_fail(sink->finish(), output.name());
}

}  // namespace millrace::cli
