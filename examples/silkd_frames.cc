// silkd_frames: a file over a socket, as a client sends it to silkd and an agent reads it. Prints what the agent got.
#include "millrace/silkd_frames.h"

#include <sys/socket.h>

#include <cstdio>
#include <thread>
#include <vector>

using namespace millrace;

static Status client(Sink& socket, ByteView file) {
  silkd::FrameWriter frames(socket);  // may be used from many threads: each frame is one write
  MR_TRY(frames.send(silkd::Request(silkd::request::FsWrite{"/etc/motd", 0644})));
  MemorySource payload(file);  // or a FileSource: its bytes are read once and encoded into the frame
  MR_TRY(frames.send_all(silkd::Bulk::kDataRequest, payload, silkd::Closing::kYes));
  return socket.finish();
}

static Status agent(Source& socket) {
  silkd::FrameReader frames(socket, silkd::Direction::kRequests);
  MR_TRY(const bool first, frames.next());
  if (!first || frames.bulk() || !std::holds_alternative<silkd::request::FsWrite>(frames.request())) {
    return Error{ErrorCode::kMalformed, "fs_write expected"};
  }
  const std::string path = std::get<silkd::request::FsWrite>(frames.request()).path;
  silkd::PayloadSource payload(frames);  // ends at data_end; a stream that is cut before it fails
  NullSink file;
  MR_TRY(const std::uint64_t size, pump(payload, file));
  std::printf("%s: %llu bytes\n", path.c_str(), static_cast<unsigned long long>(size));
  return Ok{};
}

int main() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return std::perror("socketpair"), 1;
  FileSink out{Fd(ends[0])};
  FileSource in{Fd(ends[1])};

  const std::vector<std::byte> file(1000000);
  Status sent = Ok{};
  std::thread sender([&] { sent = client(out, file); });
  const Status received = agent(in);
  sender.join();
  for (const Status& status : {sent, received}) {
    if (!status) return std::fprintf(stderr, "silkd_frames: %s\n", describe(status.error()).c_str()), 1;
  }
  return 0;
}
