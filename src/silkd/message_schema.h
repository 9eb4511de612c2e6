// The tables of the protocol: for each message its name and its fields, in the order they are written. One description
// serves writing, reading and the choice of what is kept while a frame is parsed.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "millrace/silkd_messages.h"

namespace millrace::silkd {

enum class Presence : std::uint8_t {
  kRequired,  // always written, must be there
  kFlag,      // always written, may be missing
  kOptional,  // left out when empty, false or not set; may be missing, or null if a text or a number
};

template <class Message, class Value>
struct Field {
  std::string_view name;  // a literal: errors point at it
  Value Message::*member;
  Presence presence;
};

template <class... Fields>
struct MessageSchema {
  std::string_view name;
  std::tuple<Fields...> fields;
};

template <class Message, class Value>
constexpr Field<Message, Value> required(std::string_view name, Value Message::*member) {
  return {name, member, Presence::kRequired};
}
template <class Message>
constexpr Field<Message, bool> flag(std::string_view name, bool Message::*member) {
  return {name, member, Presence::kFlag};
}
template <class Message, class Value>
constexpr Field<Message, Value> optional(std::string_view name, Value Message::*member) {
  return {name, member, Presence::kOptional};
}
template <class... Fields>
constexpr MessageSchema<Fields...> schema(std::string_view name, Fields... fields) {
  return {name, {fields...}};
}

// kSchema<M> of a message; that of a part of a message has no name.
template <class Message>
inline constexpr int kSchema = 0;

template <>
inline constexpr auto kSchema<request::Info> = schema("info");
template <>
inline constexpr auto kSchema<request::Exec> = schema("exec", required("argv", &request::Exec::argv),
                                                      optional("cwd", &request::Exec::cwd),
                                                      optional("env", &request::Exec::env),
                                                      optional("user", &request::Exec::user),
                                                      flag("detach", &request::Exec::detach),
                                                      optional("session", &request::Exec::session));
template <>
inline constexpr auto kSchema<request::Stdin> = schema("stdin", required("data", &request::Stdin::data));
template <>
inline constexpr auto kSchema<request::StdinClose> = schema("stdin_close");
template <>
inline constexpr auto kSchema<request::Ps> = schema("ps");
template <>
inline constexpr auto kSchema<request::Kill> = schema("kill", required("pid", &request::Kill::pid),
                                                      optional("signal", &request::Kill::signal));
template <>
inline constexpr auto kSchema<request::Attach> = schema("attach", required("pid", &request::Attach::pid));
template <>
inline constexpr auto kSchema<request::Logs> = schema("logs", required("pid", &request::Logs::pid));
template <>
inline constexpr auto kSchema<request::SessionCreate> = schema("session_create",
                                                               optional("id", &request::SessionCreate::id),
                                                               optional("cwd", &request::SessionCreate::cwd),
                                                               optional("env", &request::SessionCreate::env));
template <>
inline constexpr auto kSchema<request::SessionList> = schema("session_list");
template <>
inline constexpr auto kSchema<request::SessionRm> = schema("session_rm", required("id", &request::SessionRm::id));
template <>
inline constexpr auto kSchema<request::FsWrite> = schema("fs_write", required("path", &request::FsWrite::path),
                                                         optional("mode", &request::FsWrite::mode));
template <>
inline constexpr auto kSchema<request::FsRead> = schema("fs_read", required("path", &request::FsRead::path));
template <>
inline constexpr auto kSchema<request::FsList> = schema("fs_list", required("path", &request::FsList::path));
template <>
inline constexpr auto kSchema<request::FsStat> = schema("fs_stat", required("path", &request::FsStat::path));
template <>
inline constexpr auto kSchema<request::FsMkdir> = schema("fs_mkdir", required("path", &request::FsMkdir::path),
                                                         flag("parents", &request::FsMkdir::parents));
template <>
inline constexpr auto kSchema<request::FsRm> = schema("fs_rm", required("path", &request::FsRm::path),
                                                      flag("recursive", &request::FsRm::recursive));
template <>
inline constexpr auto kSchema<request::FsRename> = schema("fs_rename", required("from", &request::FsRename::from),
                                                          required("to", &request::FsRename::to));
template <>
inline constexpr auto kSchema<request::FsPush> = schema("fs_push", required("dest", &request::FsPush::dest));
template <>
inline constexpr auto kSchema<request::FsPull> = schema("fs_pull", required("path", &request::FsPull::path));
template <>
inline constexpr auto kSchema<request::FsFind> = schema("fs_find", required("path", &request::FsFind::path),
                                                        required("pattern", &request::FsFind::pattern),
                                                        optional("glob", &request::FsFind::glob));
template <>
inline constexpr auto kSchema<request::FsReplace> = schema("fs_replace", required("files", &request::FsReplace::files),
                                                           required("pattern", &request::FsReplace::pattern),
                                                           required("replacement", &request::FsReplace::replacement));
template <>
inline constexpr auto kSchema<request::FsWatch> = schema("fs_watch", required("path", &request::FsWatch::path),
                                                         flag("recursive", &request::FsWatch::recursive));
template <>
inline constexpr auto kSchema<request::PtyOpen> = schema("pty_open", required("cols", &request::PtyOpen::cols),
                                                         required("rows", &request::PtyOpen::rows),
                                                         optional("cwd", &request::PtyOpen::cwd),
                                                         optional("env", &request::PtyOpen::env),
                                                         optional("user", &request::PtyOpen::user));
template <>
inline constexpr auto kSchema<request::PtyResize> = schema("pty_resize", required("pid", &request::PtyResize::pid),
                                                           required("cols", &request::PtyResize::cols),
                                                           required("rows", &request::PtyResize::rows));
template <>
inline constexpr auto kSchema<request::PortForward> = schema("port_forward",
                                                             required("port", &request::PortForward::port));
template <>
inline constexpr auto kSchema<request::Data> = schema("data", required("data", &request::Data::data));
template <>
inline constexpr auto kSchema<request::DataEnd> = schema("data_end");
template <>
inline constexpr auto kSchema<request::GitClone> = schema("git_clone", required("url", &request::GitClone::url),
                                                          required("path", &request::GitClone::path),
                                                          optional("branch", &request::GitClone::branch),
                                                          optional("depth", &request::GitClone::depth),
                                                          optional("auth", &request::GitClone::auth));
template <>
inline constexpr auto kSchema<request::GitStatus> = schema("git_status", required("path", &request::GitStatus::path));
template <>
inline constexpr auto kSchema<request::GitAdd> = schema("git_add", required("path", &request::GitAdd::path),
                                                        required("files", &request::GitAdd::files));
template <>
inline constexpr auto kSchema<request::GitCommit> = schema("git_commit", required("path", &request::GitCommit::path),
                                                           required("message", &request::GitCommit::message),
                                                           required("author", &request::GitCommit::author));
template <>
inline constexpr auto kSchema<request::GitPush> = schema("git_push", required("path", &request::GitPush::path),
                                                         optional("auth", &request::GitPush::auth));
template <>
inline constexpr auto kSchema<request::GitPull> = schema("git_pull", required("path", &request::GitPull::path),
                                                         optional("auth", &request::GitPull::auth));
template <>
inline constexpr auto kSchema<request::GitBranch> = schema("git_branch", required("path", &request::GitBranch::path),
                                                           required("action", &request::GitBranch::action),
                                                           optional("name", &request::GitBranch::name));
template <>
inline constexpr auto kSchema<request::LspStart> = schema("lsp_start",
                                                          required("language", &request::LspStart::language),
                                                          optional("root", &request::LspStart::root));
template <>
inline constexpr auto kSchema<request::LspRequest> = schema("lsp_request",
                                                            required("server_id", &request::LspRequest::server_id));
template <>
inline constexpr auto kSchema<request::LspStop> = schema("lsp_stop",
                                                         required("server_id", &request::LspStop::server_id));

template <>
inline constexpr auto kSchema<response::Started> = schema("started", required("pid", &response::Started::pid));
template <>
inline constexpr auto kSchema<response::Stdout> = schema("stdout", required("data", &response::Stdout::data));
template <>
inline constexpr auto kSchema<response::Stderr> = schema("stderr", required("data", &response::Stderr::data));
template <>
inline constexpr auto kSchema<response::Exit> = schema("exit", required("code", &response::Exit::code));
template <>
inline constexpr auto kSchema<response::Done> = schema("done");
template <>
inline constexpr auto kSchema<response::Ready> = schema("ready");
template <>
inline constexpr auto kSchema<response::Error> = schema("error", required("kind", &response::Error::kind),
                                                        required("message", &response::Error::message));
template <>
inline constexpr auto kSchema<response::Info> = schema("info", required("version", &response::Info::version),
                                                       required("proto", &response::Info::proto),
                                                       required("uptime_secs", &response::Info::uptime_secs),
                                                       required("procs", &response::Info::procs),
                                                       required("sessions", &response::Info::sessions));
template <>
inline constexpr auto kSchema<response::Proc> =
    schema("", required("pid", &response::Proc::pid), required("argv", &response::Proc::argv),
           required("detached", &response::Proc::detached), required("state", &response::Proc::state),
           optional("exit_code", &response::Proc::exit_code),
           required("started_at_epoch_secs", &response::Proc::started_at_epoch_secs));
template <>
inline constexpr auto kSchema<response::Procs> = schema("procs", required("procs", &response::Procs::procs));
template <>
inline constexpr auto kSchema<response::Data> = schema("data", required("data", &response::Data::data));
template <>
inline constexpr auto kSchema<response::Entry> = schema("", required("name", &response::Entry::name),
                                                        required("kind", &response::Entry::kind),
                                                        required("size", &response::Entry::size));
template <>
inline constexpr auto kSchema<response::Entries> = schema("entries", required("entries", &response::Entries::entries));
template <>
inline constexpr auto kSchema<response::FileInfo> = schema(
    "", required("kind", &response::FileInfo::kind), required("size", &response::FileInfo::size),
    required("mode", &response::FileInfo::mode), required("mtime_epoch_secs", &response::FileInfo::mtime_epoch_secs));
template <>
inline constexpr auto kSchema<response::Stat> = schema("stat", required("info", &response::Stat::info));
template <>
inline constexpr auto kSchema<response::SessionCreated> = schema("session_created",
                                                                 required("id", &response::SessionCreated::id));
template <>
inline constexpr auto kSchema<response::Sessions> = schema("sessions",
                                                           required("sessions", &response::Sessions::sessions));
template <>
inline constexpr auto kSchema<response::Match> = schema("match", required("file", &response::Match::file),
                                                        required("line", &response::Match::line),
                                                        required("content", &response::Match::content));
template <>
inline constexpr auto kSchema<response::Replaced> = schema("replaced", required("file", &response::Replaced::file),
                                                           required("replacements", &response::Replaced::replacements));
template <>
inline constexpr auto kSchema<response::Event> = schema("event", required("kind", &response::Event::kind),
                                                        required("path", &response::Event::path));
template <>
inline constexpr auto kSchema<response::GitFile> = schema("", required("path", &response::GitFile::path),
                                                          required("staged", &response::GitFile::staged),
                                                          required("unstaged", &response::GitFile::unstaged));
template <>
inline constexpr auto kSchema<response::GitStatusResult> = schema(
    "git_status_result", required("branch", &response::GitStatusResult::branch),
    required("ahead", &response::GitStatusResult::ahead), required("behind", &response::GitStatusResult::behind),
    required("files", &response::GitStatusResult::files), optional("truncated", &response::GitStatusResult::truncated));
template <>
inline constexpr auto kSchema<response::GitCommitResult> = schema("git_commit_result",
                                                                  required("hash", &response::GitCommitResult::hash));
template <>
inline constexpr auto kSchema<response::GitBranches> = schema("git_branches",
                                                              required("current", &response::GitBranches::current),
                                                              required("branches", &response::GitBranches::branches));
template <>
inline constexpr auto kSchema<response::LspStarted> = schema("lsp_started",
                                                             required("server_id", &response::LspStarted::server_id));

// The names of the enumerations, in the order of their values.
template <class Enum>
inline constexpr std::array<std::string_view, 0> kEnumNames = {};
template <>
inline constexpr std::array<std::string_view, 4> kEnumNames<ErrorKind> = {"bad_request", "not_found", "unimplemented",
                                                                          "internal"};
template <>
inline constexpr std::array<std::string_view, 4> kEnumNames<EventKind> = {"created", "modified", "deleted", "renamed"};
template <>
inline constexpr std::array<std::string_view, 4> kEnumNames<FileKind> = {"file", "dir", "symlink", "other"};
template <>
inline constexpr std::array<std::string_view, 4> kEnumNames<BranchAction> = {"list", "create", "delete", "checkout"};
template <>
inline constexpr std::array<std::string_view, 2> kEnumNames<ProcState> = {"running", "exited"};

}  // namespace millrace::silkd
