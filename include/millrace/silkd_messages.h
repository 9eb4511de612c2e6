// silkd messages: every request and response of silkd's wire protocol as a value (docs/formats/silkd.md).
//
// One frame is one JSON object on one line. A request names itself in "op", a response in "type"; the structs here are
// called after those names. A member called optional in the protocol is left out of the frame when it is empty or not
// set, and may be missing, or null if it is a text or a number, when a frame is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "millrace/bytes.h"
#include "millrace/result.h"

namespace millrace::silkd {

// The largest frame, its newline not counted. The daemon reads this much; its clients count the newline, so a response
// has a byte less.
inline constexpr std::size_t kMaxFrame = std::size_t{8} << 20;
inline constexpr std::size_t kMaxResponseFrame = kMaxFrame - 1;

// Numbers, texts, lists and objects that one frame may hold in the fields we know: a frame of two bytes per element
// would otherwise take a hundred times its size in memory.
inline constexpr std::size_t kMaxFrameValues = std::size_t{1} << 20;

using Environment = std::map<std::string, std::string>;

enum class ErrorKind : std::uint8_t { kBadRequest, kNotFound, kUnimplemented, kInternal };
enum class EventKind : std::uint8_t { kCreated, kModified, kDeleted, kRenamed };
enum class FileKind : std::uint8_t { kFile, kDir, kSymlink, kOther };
enum class BranchAction : std::uint8_t { kList, kCreate, kDelete, kCheckout };
enum class ProcState : std::uint8_t { kRunning, kExited };

namespace request {

struct Info {};
struct Exec {
  std::vector<std::string> argv;
  std::string cwd;   // optional
  Environment env;   // optional
  std::string user;  // optional
  bool detach = false;
  std::string session;  // optional
};
struct Stdin {
  std::vector<std::byte> data;
};
struct StdinClose {};
struct Ps {};
struct Kill {
  std::uint32_t pid = 0;
  std::optional<std::int32_t> signal;  // not set: SIGKILL
};
struct Attach {
  std::uint32_t pid = 0;
};
struct Logs {
  std::uint32_t pid = 0;
};
struct SessionCreate {
  std::string id;   // optional: the daemon makes one up
  std::string cwd;  // optional
  Environment env;  // optional
};
struct SessionList {};
struct SessionRm {
  std::string id;
};
struct FsWrite {
  std::string path;
  std::optional<std::uint32_t> mode;  // at most 07777; not set: an existing file keeps its mode
};
struct FsRead {
  std::string path;
};
struct FsList {
  std::string path;
};
struct FsStat {
  std::string path;
};
struct FsMkdir {
  std::string path;
  bool parents = false;
};
struct FsRm {
  std::string path;
  bool recursive = false;
};
struct FsRename {
  std::string from, to;
};
struct FsPush {
  std::string dest;
};
struct FsPull {
  std::string path;
};
struct FsFind {
  std::string path, pattern;
  std::string glob;  // optional
};
struct FsReplace {
  std::vector<std::string> files;
  std::string pattern, replacement;
};
struct FsWatch {
  std::string path;
  bool recursive = false;
};
struct PtyOpen {
  std::uint16_t cols = 0, rows = 0;
  std::string cwd;   // optional
  Environment env;   // optional
  std::string user;  // optional
};
struct PtyResize {
  std::uint32_t pid = 0;
  std::uint16_t cols = 0, rows = 0;
};
struct PortForward {
  std::uint16_t port = 0;
};
struct Data {
  std::vector<std::byte> data;
};
struct DataEnd {};
struct GitClone {
  std::string url, path;
  std::string branch;                  // optional
  std::optional<std::uint32_t> depth;  // optional
  std::string auth;                    // optional
};
struct GitStatus {
  std::string path;
};
struct GitAdd {
  std::string path;
  std::vector<std::string> files;
};
struct GitCommit {
  std::string path, message;
  std::string author;  // "Name <mail>"
};
struct GitPush {
  std::string path;
  std::string auth;  // optional
};
struct GitPull {
  std::string path;
  std::string auth;  // optional
};
struct GitBranch {
  std::string path;
  BranchAction action = BranchAction::kList;
  std::string name;  // optional
};
struct LspStart {
  std::string language;
  std::string root;  // optional
};
struct LspRequest {
  std::string server_id;
};
struct LspStop {
  std::string server_id;
};

}  // namespace request

namespace response {

struct Started {
  std::uint32_t pid = 0;
};
struct Stdout {
  std::vector<std::byte> data;
};
struct Stderr {
  std::vector<std::byte> data;
};
struct Exit {
  std::int32_t code = 0;
};
struct Done {};
struct Ready {};
struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  std::string message;  // for people; programs look at the kind
};
struct Info {
  std::string version;
  std::uint32_t proto = 0;  // 2: a connection serves one call after another
  std::uint64_t uptime_secs = 0;
  std::uint64_t procs = 0, sessions = 0;  // how many
};
struct Proc {
  std::uint32_t pid = 0;
  std::vector<std::string> argv;
  bool detached = false;
  ProcState state = ProcState::kRunning;
  std::optional<std::int32_t> exit_code;
  std::uint64_t started_at_epoch_secs = 0;
};
struct Procs {
  std::vector<Proc> procs;
};
struct Data {
  std::vector<std::byte> data;
};
struct Entry {
  std::string name;
  FileKind kind = FileKind::kFile;
  std::uint64_t size = 0;
};
struct Entries {
  std::vector<Entry> entries;
};
struct FileInfo {
  FileKind kind = FileKind::kFile;
  std::uint64_t size = 0;
  std::uint32_t mode = 0;
  std::uint64_t mtime_epoch_secs = 0;
};
struct Stat {
  FileInfo info;
};
struct SessionCreated {
  std::string id;
};
struct Sessions {
  std::vector<std::string> sessions;
};
struct Match {
  std::string file;
  std::uint64_t line = 0;  // from 1
  std::string content;
};
struct Replaced {
  std::string file;
  std::uint64_t replacements = 0;
};
struct Event {
  EventKind kind = EventKind::kCreated;
  std::string path;
};
struct GitFile {
  std::string path, staged, unstaged;
};
struct GitStatusResult {
  std::string branch;
  std::uint32_t ahead = 0, behind = 0;
  std::vector<GitFile> files;
  bool truncated = false;  // in the frame only when true
};
struct GitCommitResult {
  std::string hash;
};
struct GitBranches {
  std::string current;
  std::vector<std::string> branches;
};
struct LspStarted {
  std::string server_id;
};

}  // namespace response

using Request =
    std::variant<request::Info, request::Exec, request::Stdin, request::StdinClose, request::Ps, request::Kill,
                 request::Attach, request::Logs, request::SessionCreate, request::SessionList, request::SessionRm,
                 request::FsWrite, request::FsRead, request::FsList, request::FsStat, request::FsMkdir, request::FsRm,
                 request::FsRename, request::FsPush, request::FsPull, request::FsFind, request::FsReplace,
                 request::FsWatch, request::PtyOpen, request::PtyResize, request::PortForward, request::Data,
                 request::DataEnd, request::GitClone, request::GitStatus, request::GitAdd, request::GitCommit,
                 request::GitPush, request::GitPull, request::GitBranch, request::LspStart, request::LspRequest,
                 request::LspStop>;

using Response =
    std::variant<response::Started, response::Stdout, response::Stderr, response::Exit, response::Done, response::Ready,
                 response::Error, response::Info, response::Procs, response::Data, response::Entries, response::Stat,
                 response::SessionCreated, response::Sessions, response::Match, response::Replaced, response::Event,
                 response::GitStatusResult, response::GitCommitResult, response::GitBranches, response::LspStarted>;

// name_of is the "op" or "type": "fs_write", "git_status_result".
std::string_view name_of(const Request& message);
std::string_view name_of(const Response& message);
// is_input tells the frames that belong to a call in progress (stdin, stdin_close, data, data_end) from those that
// begin one.
bool is_input(const Request& message);

// encode writes one frame, without its newline: the name first, then the fields in the order above, no blanks, UTF-8
// as it is. kInvalidArgument: a text that is not UTF-8, a mode above 07777. kLimitExceeded: larger than the cap.
Result<std::string> encode(const Request& message);
Result<std::string> encode(const Response& message);

// decode_request and decode_response read one frame, without its newline. Fields that are not known are skipped with
// all they hold, whatever it is. kMalformed: no JSON object, a field missing, twice, or with a value that it cannot
// have (`where` is its name), a name that is not known: then `unknown`, if not null, is set to it, cut to 64 bytes.
// kLimitExceeded: more than kMaxFrame bytes or kMaxFrameValues values.
Result<Request> decode_request(ByteView frame, std::string* unknown = nullptr);
Result<Response> decode_response(ByteView frame, std::string* unknown = nullptr);

}  // namespace millrace::silkd
