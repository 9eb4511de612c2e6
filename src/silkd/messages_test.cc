#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>

#include "millrace/base64.h"
#include "millrace/silkd_messages.h"

namespace millrace::silkd {
namespace {

std::vector<std::string> corpus(const std::string& name) {
  std::ifstream file(std::string(MILLRACE_TEST_VECTORS) + "/silkd/" + name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  EXPECT_FALSE(lines.empty());
  return lines;
}

Result<Request> request_of(std::string_view frame) { return decode_request(as_bytes(frame)); }
Result<Response> response_of(std::string_view frame) { return decode_response(as_bytes(frame)); }

template <class Decode>
std::set<std::string> expect_round_trips(const std::string& file, const Decode& decode) {
  std::set<std::string> names;
  for (const std::string& line : corpus(file)) {
    const auto message = decode(as_bytes(line));
    EXPECT_TRUE(message) << line << ": " << message.error().where;
    if (!message) continue;
    names.insert(std::string(name_of(*message)));
    const Result<std::string> again = encode(*message);
    EXPECT_TRUE(again) << line;
    if (!again) continue;
    EXPECT_EQ(*again, line);
    EXPECT_EQ(nlohmann::json::parse(*again), nlohmann::json::parse(line));
  }
  return names;
}

TEST(SilkdMessages, EveryOpIsReadAndWrittenAsInTheCorpus) {
  const auto names = expect_round_trips("requests.jsonl", [](ByteView line) { return decode_request(line); });
  EXPECT_EQ(names.size(), std::variant_size_v<Request>);
}

TEST(SilkdMessages, EveryTypeIsReadAndWrittenAsInTheCorpus) {
  const auto names = expect_round_trips("responses.jsonl", [](ByteView line) { return decode_response(line); });
  EXPECT_EQ(names.size(), std::variant_size_v<Response>);
}

// The round trips would not notice two fields that are exchanged in both directions.
TEST(SilkdMessages, FieldsGoToTheMembersOfTheirNames) {
  const Result<Request> exec = request_of(
      R"({"v":1,"op":"exec","argv":["a","b"],"cwd":"c","env":{"E":"e"},"user":"u","detach":true,"session":"s"})");
  ASSERT_TRUE(exec);
  const auto& e = std::get<request::Exec>(*exec);
  EXPECT_EQ(e.argv, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(e.cwd, "c");
  EXPECT_EQ(e.env, (Environment{{"E", "e"}}));
  EXPECT_EQ(e.user, "u");
  EXPECT_TRUE(e.detach);
  EXPECT_EQ(e.session, "s");
  const Result<Request> rename = request_of(R"({"op":"fs_rename","from":"f","to":"t"})");
  ASSERT_TRUE(rename);
  EXPECT_EQ(std::get<request::FsRename>(*rename).from, "f");
  EXPECT_EQ(std::get<request::FsRename>(*rename).to, "t");
  const Result<Response> stat =
      response_of(R"({"type":"stat","info":{"kind":"dir","size":1,"mode":2,"mtime_epoch_secs":3}})");
  ASSERT_TRUE(stat);
  const response::FileInfo& info = std::get<response::Stat>(*stat).info;
  EXPECT_EQ(info.kind, FileKind::kDir);
  EXPECT_EQ(info.size, 1u);
  EXPECT_EQ(info.mode, 2u);
  EXPECT_EQ(info.mtime_epoch_secs, 3u);
  const Result<Response> procs = response_of(
      R"({"type":"procs","procs":[{"pid":1,"argv":["x"],"detached":true,"state":"exited","exit_code":-2,"started_at_epoch_secs":3}]})");
  ASSERT_TRUE(procs);
  const response::Proc& proc = std::get<response::Procs>(*procs).procs.at(0);
  EXPECT_EQ(proc.pid, 1u);
  EXPECT_EQ(proc.argv, std::vector<std::string>{"x"});
  EXPECT_TRUE(proc.detached);
  EXPECT_EQ(proc.state, ProcState::kExited);
  EXPECT_EQ(proc.exit_code, -2);
  EXPECT_EQ(proc.started_at_epoch_secs, 3u);
}

TEST(SilkdMessages, P03Base64IsTheStandardAlphabetPaddedAndStrict) {
  const Result<Request> good = request_of(R"({"v":1,"op":"data","data":"+/+/AA=="})");
  ASSERT_TRUE(good);
  EXPECT_EQ(base64_encode(std::get<request::Data>(*good).data), "+/+/AA==");
  for (const char* text : {"-_-_", "AA", "AA=", "AB==", "AAA", "AA==AA==", "=", "A A=", "AA==\\n", "AAAA\\r\\n"}) {
    const Result<Request> bad = request_of(std::string(R"({"v":1,"op":"data","data":")") + text + "\"}");
    ASSERT_FALSE(bad) << text;
    EXPECT_EQ(bad.error().code, ErrorCode::kMalformed);
    EXPECT_EQ(bad.error().where, "data");
  }
}

TEST(SilkdMessages, P05UnknownFieldsAreIgnoredWhateverTheyHold) {
  for (const char* field : {"null", "1e999", "[[[[[[]]]]]]", R"({"op":"exec","data":{"path":3}})", R"("\ud83d\ude00")",
                            "-0.5e-3", "true", R"({"a":1,"a":2})"}) {
    for (const std::string& frame : {std::string(R"({"op":"fs_read","x":)") + field + R"(,"path":"p"})",
                                     std::string(R"({"x":)") + field + R"(,"path":"p","op":"fs_read"})",
                                     std::string(R"({"v":)") + field + R"(,"op":"fs_read","path":"p"})"}) {
      const Result<Request> message = request_of(frame);
      if (std::string_view(field) == "1e999") {
        EXPECT_FALSE(message) << frame;  // the JSON library has no such number
        continue;
      }
      ASSERT_TRUE(message) << frame << ": " << message.error().where;
      EXPECT_EQ(std::get<request::FsRead>(*message).path, "p");
    }
  }
  // In the parts of a message too.
  const Result<Response> entries = response_of(
      R"({"type":"entries","entries":[{"x":[[[1]]],"name":"n","kind":"file","y":{"z":{"name":1}},"size":1}]})");
  ASSERT_TRUE(entries);
  EXPECT_EQ(std::get<response::Entries>(*entries).entries.at(0).name, "n");
}

TEST(SilkdMessages, UnknownNamesAreErrorsThatTellThem) {
  std::string unknown;
  const Result<Request> request = decode_request(as_bytes(R"({"op":"fs_chmod","path":"p"})"), &unknown);
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(request.error().where, "silkd frame: unknown op");
  EXPECT_EQ(unknown, "fs_chmod");
  const Result<Response> response = decode_response(as_bytes(R"({"type":")" + std::string(100, 'x') + "\"}"), &unknown);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().where, "silkd frame: unknown type");
  EXPECT_EQ(unknown, std::string(64, 'x'));
  EXPECT_FALSE(request_of(R"({"op":"done"})"));  // a type is no op
  EXPECT_FALSE(request_of(R"({"op":""})"));
  EXPECT_FALSE(response_of(R"({"type":"exec"})"));
}

TEST(SilkdMessages, P07NothingButDoneIsDone) {
  for (const char* frame : {R"({"type":"ok"})", R"({"done":true})", R"({"ok":true,"type":"ready"})",
                            R"({"type":"Done"})", R"({"type":"done "})", R"({"v":1,"op":"done"})", R"("done")"}) {
    const Result<Response> message = response_of(frame);
    EXPECT_FALSE(message && std::holds_alternative<response::Done>(*message)) << frame;
  }
  EXPECT_TRUE(std::holds_alternative<response::Done>(*response_of(R"({"type":"done"})")));
}

TEST(SilkdMessages, P08ModeIsSentOnlyWhenGivenAndWithin07777) {
  EXPECT_EQ(*encode(Request(request::FsWrite{"p", {}})), R"({"v":1,"op":"fs_write","path":"p"})");
  EXPECT_EQ(*encode(Request(request::FsWrite{"p", 0})), R"({"v":1,"op":"fs_write","path":"p","mode":0})");
  EXPECT_EQ(*encode(Request(request::FsWrite{"p", 07777})), R"({"v":1,"op":"fs_write","path":"p","mode":4095})");
  for (const std::uint32_t mode : {010000u, 0100644u, 0xffffffffu}) {
    const Result<std::string> refused = encode(Request(request::FsWrite{"p", mode}));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(refused.error().where, "mode");
  }
}

TEST(SilkdMessages, P09ErrorKindsAreDifferentValuesAndTheMessageIsPassedOn) {
  std::set<ErrorKind> kinds;
  for (const char* kind : {"bad_request", "not_found", "unimplemented", "internal"}) {
    const Result<Response> message =
        response_of(std::string(R"({"type":"error","kind":")") + kind + R"(","message":"open: \u00fc\n"})");
    ASSERT_TRUE(message);
    const auto& error = std::get<response::Error>(*message);
    kinds.insert(error.kind);
    EXPECT_EQ(error.message, "open: ü\n");
  }
  EXPECT_EQ(kinds.size(), 4u);
  EXPECT_FALSE(response_of(R"({"type":"error","kind":"denied","message":""})"));
  EXPECT_FALSE(response_of(R"({"type":"error","kind":"internal"})"));
}

TEST(SilkdMessages, OrderBlanksAndAbsentOptionalFieldsAreFree) {
  for (const char* frame : {R"({"argv":["a"],"op":"exec"})", "{\"op\":\"exec\",\"argv\":[\"a\"]}\r",
                            " \t{ \"op\" : \"exec\" , \"argv\":[\"a\"] } ",
                            R"({"v":99,"op":"exec","argv":["a"],"cwd":null,"user":null,"session":null})",
                            R"({"\u006fp":"e\u0078ec","argv":["\u0061"],"env":{}})"}) {
    const Result<Request> message = request_of(frame);
    ASSERT_TRUE(message) << frame << message.error().where;
    EXPECT_EQ(*encode(*message), R"({"v":1,"op":"exec","argv":["a"],"detach":false})");
  }
  EXPECT_TRUE(request_of(R"({"op":"kill","pid":1,"signal":null})"));
  EXPECT_TRUE(request_of(R"({"op":"git_clone","url":"u","path":"p","depth":null})"));
  EXPECT_TRUE(request_of(R"({"op":"fs_write","path":"p","mode":null})"));
}

TEST(SilkdMessages, WhatCannotBeMeantIsRefused) {
  const std::string nul(1, '\0');
  for (const std::string& frame : {
           std::string(),
           std::string(" "),
           std::string("\r"),
           std::string("null"),
           std::string("[]"),
           std::string("\"op\""),
           std::string("{}"),
           std::string(R"({"v":1})"),
           std::string(R"({"op":1})"),
           std::string(R"({"op":null})"),
           std::string(R"({"op":["info"]})"),
           std::string(R"({"op":{"op":"info"}})"),
           std::string(R"([{"op":"info"}])"),
           std::string(R"({"x":{"op":"info"}})"),
           std::string(R"({"op":"info"}{})"),
           std::string(R"({"op":"info"} x)"),
           std::string(R"({"op":"info"})") + nul,
           std::string(R"({"op":"info"})") + nul + "junk",
           nul + R"({"op":"info"})",
           std::string("\xef\xbb\xbf") + R"({"op":"info"})",
           std::string(R"({"op":"info")"),
           std::string(R"({"op":"info",})"),
           std::string(R"({'op':'info'})"),
           std::string(R"({"op":"info"}//)"),
           std::string(R"({"op":"info","op":"info"})"),
           std::string(R"({"op":"info","op":"ps"})"),
           std::string(R"({"op":"fs_read","path":"a","path":"b"})"),
           std::string(R"({"op":"fs_read"})"),
           std::string(R"({"op":"fs_read","path":null})"),
           std::string(R"({"op":"fs_read","path":1})"),
           std::string("{\"op\":\"fs_read\",\"path\":\"\xff\"}"),
           std::string("{\"op\":\"fs_read\",\"path\":\"\n\"}"),
           std::string(R"({"op":"fs_read","path":"\ud800"})"),
           std::string(R"({"op":"kill","pid":-1})"),
           std::string(R"({"op":"kill","pid":1.0})"),
           std::string(R"({"op":"kill","pid":1e0})"),
           std::string(R"({"op":"kill","pid":4294967296})"),
           std::string(R"({"op":"kill","pid":"1"})"),
           std::string(R"({"op":"kill","pid":-0})"),
           std::string(R"({"op":"kill","pid":01})"),
           std::string(R"({"op":"kill","pid":1,"signal":2147483648})"),
           std::string(R"({"op":"kill","pid":1,"signal":-2147483649})"),
           std::string(R"({"op":"port_forward","port":65536})"),
           std::string(R"({"op":"fs_write","path":"p","mode":-1})"),
           std::string(R"({"op":"exec","argv":null})"),
           std::string(R"({"op":"exec","argv":[null]})"),
           std::string(R"({"op":"exec","argv":[["a"]]})"),
           std::string(R"({"op":"exec","argv":{"0":"a"}})"),
           std::string(R"({"op":"exec","argv":[],"detach":null})"),
           std::string(R"({"op":"exec","argv":[],"detach":1})"),
           std::string(R"({"op":"exec","argv":[],"env":null})"),
           std::string(R"({"op":"exec","argv":[],"env":[]})"),
           std::string(R"({"op":"exec","argv":[],"env":{"a":1}})"),
           std::string(R"({"op":"exec","argv":[],"env":{"a":"1","a":"2"}})"),
           std::string(R"({"op":"data","data":null})"),
           std::string(R"({"op":"data"})"),
           std::string(R"({"op":"git_branch","path":"p","action":"rename"})"),
           std::string(R"({"op":"fs_replace","files":null,"pattern":"","replacement":""})"),
       }) {
    const Result<Request> message = request_of(frame);
    ASSERT_FALSE(message) << frame;
    EXPECT_EQ(message.error().code, ErrorCode::kMalformed) << frame;
  }
  for (const char* frame :
       {R"({"type":"entries","entries":[{"name":"a","kind":"file"}]})", R"({"type":"entries","entries":[1]})",
        R"({"type":"entries","entries":{"name":"a","kind":"file","size":1}})",
        R"({"type":"entries","entries":[{"name":"a","name":"b","kind":"file","size":1}]})",
        R"({"type":"stat","info":[]})", R"({"type":"procs","procs":3})", R"({"type":"info","procs":[]})",
        R"({"type":"stat","info":{"kind":"socket","size":1,"mode":1,"mtime_epoch_secs":1}})"}) {
    EXPECT_FALSE(response_of(frame)) << frame;
  }
}

TEST(SilkdMessages, WhatJsonCannotSayIsNotWritten) {
  const Result<std::string> bad = encode(Request(request::FsRead{"\xff"}));
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, ErrorCode::kInvalidArgument);
}

TEST(SilkdMessages, P01TheCapHoldsInBothDirectionsAndIsTheResponseCapOneByteLess) {
  const std::size_t around = encode(Request(request::FsRead{}))->size();
  request::FsRead read{std::string(kMaxFrame - around, 'p')};
  const Result<std::string> largest = encode(Request(read));
  ASSERT_TRUE(largest);
  EXPECT_EQ(largest->size(), 8388608u);
  EXPECT_TRUE(decode_request(as_bytes(*largest)));
  read.path += 'p';
  ASSERT_FALSE(encode(Request(read)));
  EXPECT_EQ(encode(Request(read)).error().code, ErrorCode::kLimitExceeded);
  const Result<Request> above = decode_request(as_bytes(*largest + " "));
  ASSERT_FALSE(above);
  EXPECT_EQ(above.error().code, ErrorCode::kLimitExceeded);

  const std::size_t around_response = encode(Response(response::SessionCreated{}))->size();
  response::SessionCreated created{std::string(kMaxFrame - 1 - around_response, 'p')};
  EXPECT_EQ(encode(Response(created))->size(), 8388607u);
  created.id += 'p';
  EXPECT_FALSE(encode(Response(created)));
}

// Without a limit a list of empty texts takes thirty times the frame.
TEST(SilkdMessages, ListsBeyondTheLimitOfValuesAreRefused) {
  const auto frame_of = [](std::size_t n) {
    std::string frame = R"({"op":"git_add","path":"p","files":[""])";
    frame.pop_back();
    for (std::size_t i = 1; i < n; ++i) frame += ",\"\"";
    return frame + "]}";
  };
  const std::size_t most = kMaxFrameValues - 3;  // op, path and the list are values too
  const Result<Request> message = request_of(frame_of(most));
  ASSERT_TRUE(message);
  EXPECT_EQ(std::get<request::GitAdd>(*message).files.size(), most);
  const Result<Request> above = request_of(frame_of(most + 1));
  ASSERT_FALSE(above);
  EXPECT_EQ(above.error().code, ErrorCode::kLimitExceeded);
}

TEST(SilkdMessages, InputFramesAreTheFourOfACallInProgress) {
  std::set<std::string> inputs;
  for (const std::string& line : corpus("requests.jsonl")) {
    const Result<Request> message = request_of(line);
    ASSERT_TRUE(message);
    if (is_input(*message)) inputs.insert(std::string(name_of(*message)));
  }
  EXPECT_EQ(inputs, (std::set<std::string>{"data", "data_end", "stdin", "stdin_close"}));
}

}  // namespace
}  // namespace millrace::silkd
