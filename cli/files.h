// Where the command's bytes come from and go to: files, pipes, devices, standard input and output.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "millrace/stream.h"

namespace millrace::cli {

// Input is an open input. "-" is standard input.
class Input {
 public:
  explicit Input(const std::string& path);

  const std::string& name() const { return name_; }
  int descriptor() const { return fd_.get(); }
  const struct stat& status() const { return status_; }
  // A regular file that is read from its start by position, its size known. An empty one is not (it may be one of
  // /proc, which has contents all the same), nor is a standard input that somebody has read from.
  bool positional() const;
  std::uint64_t size() const { return static_cast<std::uint64_t>(status_.st_size); }
  // source reads it as a stream, once; the Input gives its descriptor away.
  std::unique_ptr<FileSource> source();
  // A file that was written to while it was read gave neither its old nor its new contents: fails when its size has
  // changed, warns when only its time has.
  void check_unchanged() const;

 private:
  std::string name_;
  Fd fd_;
  Fd watch_;  // a duplicate that stays for check_unchanged
  struct stat status_;
};

enum class Overwrite : bool { kNo, kYes };
enum class Content : bool { kBinary, kText };  // kText: whatever the user encrypted; a terminal may show it
// kOwner: a new file can be read by its owner only. kOwnerAlways: so can one that replaces a file that others could
// read.
enum class Privacy : std::uint8_t { kShared, kOwner, kOwnerAlways };

struct OutputOptions {
  Overwrite overwrite = Overwrite::kNo;
  Content content = Content::kBinary;
  Privacy privacy = Privacy::kShared;
  bool sync = false;  // reach the disk before the name appears
};

// Output is a file that gets its name only when it is complete, or standard output ("" or "-"), or a device or FIFO.
// Dropped without commit(), it leaves nothing: the file has no name before (O_TMPFILE), or a temporary one beside the
// target, which signals remove too.
class Output {
 public:
  // Fails (usage) if the target exists without Overwrite::kYes or is the input.
  Output(const std::string& path, const OutputOptions& options, const Input* input);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  const std::string& name() const { return name_; }
  bool is_stdout() const { return stdout_; }
  // A new regular file, which may be written by position.
  bool positional() const { return new_file_; }
  int descriptor() const { return fd_.get(); }
  // reserve asks for disk space that will be needed: a full disk shows at once, and writing is faster.
  void reserve(std::uint64_t size);
  // sink writes it as a stream, once, to the descriptor the Output keeps.
  std::unique_ptr<Sink> sink();
  // commit gives the file its name.
  void commit();

 private:
  void open_new_file();
  // choose_temporary sets temporary_ and tells the signal handlers.
  void choose_temporary();
  // set_mode gives the file the owner and mode of the one it replaces, or those of a new file.
  void set_mode();

  std::string name_;
  std::string target_;     // with links resolved
  std::string temporary_;  // empty when the file has no name yet
  OutputOptions options_;
  Fd fd_;
  bool stdout_ = false;
  bool new_file_ = false;
  std::optional<struct stat> old_;  // the file that is replaced
};

// write_file replaces or creates a small file atomically, with the mode of the old one or `privacy`, synced.
void write_file(const std::string& path, ByteView bytes, Overwrite overwrite, Privacy privacy);
// is_stdout: "" and "-".
inline bool is_stdout(const std::string& path) { return path.empty() || path == "-"; }
// write_output is write_file, or writes text to standard output.
void write_output(const std::string& path, ByteView bytes, Overwrite overwrite, Privacy privacy);

// prepare_process makes the standard descriptors safe (one that the parent closed is never given to a file), and
// restores what a parent may have changed about SIGPIPE.
void prepare_process();
// on_termination_kill names a process group that SIGINT, SIGTERM and SIGHUP are passed on to; 0: none.
void on_termination_kill(int process_group);

}  // namespace millrace::cli
