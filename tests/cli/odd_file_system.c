// Makes the file system look like another one, for the tests of the command: LD_PRELOAD this, and the words in
// ODD_FILE_SYSTEM name what it lacks: "tmpfile" (unnamed files), "noreplace", "link", "mode". "close": a failed write
// shows as late as at the close, as on NFS. "stop": the process stops itself when it reserves space for its output.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int lacks(const char* what) {
  const char* words = getenv("ODD_FILE_SYSTEM");
  return words != NULL && strstr(words, what) != NULL;
}

static int refuse(int number) {
  errno = number;
  return -1;
}

static int open_file(const char* path, int flags, mode_t mode) {
  if ((flags & O_TMPFILE) == O_TMPFILE && lacks("tmpfile")) return refuse(EOPNOTSUPP);
  return openat(AT_FDCWD, path, flags, mode);
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_file(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_file(path, flags, mode);
}

int renameat2(int from_dir, const char* from, int to_dir, const char* to, unsigned flags) {
  if (flags != 0 && lacks("noreplace")) return refuse(EINVAL);
  int (*real)(int, const char*, int, const char*, unsigned) = dlsym(RTLD_NEXT, "renameat2");
  return real(from_dir, from, to_dir, to, flags);
}

int link(const char* from, const char* to) {
  if (lacks("link")) return refuse(EPERM);
  return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int fchmod(int fd, mode_t mode) {
  if (lacks("mode")) return refuse(EPERM);
  int (*real)(int, mode_t) = dlsym(RTLD_NEXT, "fchmod");
  return real(fd, mode);
}

int close(int fd) {
  struct stat st;
  const int fails = lacks("close") && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
                    (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;
  int (*real)(int) = dlsym(RTLD_NEXT, "close");
  const int result = real(fd);
  return fails ? refuse(EDQUOT) : result;
}

static int reserve(int fd, int mode, off_t offset, off_t length) {
  if (lacks("stop")) raise(SIGSTOP);
  int (*real)(int, int, off_t, off_t) = dlsym(RTLD_NEXT, "fallocate");
  return real(fd, mode, offset, length);
}

int fallocate(int fd, int mode, off_t offset, off_t length) { return reserve(fd, mode, offset, length); }
int fallocate64(int fd, int mode, off64_t offset, off64_t length) { return reserve(fd, mode, offset, length); }
