// Cell: `size` bytes as data frames of `payload` bytes each, from a payload and into a buffer that stay in the cache:
// the loop that the silkd clients were slow in. way= says which part: encode, decode, parse (decoding by the JSON
// parser alone), base64_encode and base64_decode (nothing else), socket (encode, through a Unix socket pair, decode)
// and bare_socket (frames that are there already, read and dropped).
#include <sys/socket.h>

#include <thread>

#include "cell.h"
#include "millrace/base64.h"
#include "millrace/silkd_frames.h"

using namespace millrace;

namespace {

// Lends one frame over and over.
class RepeatedSource final : public Source {
 public:
  RepeatedSource(ByteView frame, std::uint64_t times) : frame_(frame), left_(times) {}
  Result<ByteView> pull(ByteSpan scratch) override {
    if (rest_.empty()) {
      if (left_ == 0) return ByteView();
      --left_;
      rest_ = frame_;
    }
    const ByteView piece = rest_.first(std::min(scratch.size(), rest_.size()));
    rest_ = rest_.subspan(piece.size());
    return piece;
  }

 private:
  ByteView frame_;
  ByteView rest_;
  std::uint64_t left_;
};

void decode_all(Source& source, ByteSpan out) {
  silkd::FrameReader reader(source, silkd::Direction::kRequests);
  while (bench::must(reader.next())) bench::must(reader.payload(out));
}

void drop_all(Source& source, ByteSpan out) {
  while (!bench::must(source.pull(out)).empty()) {
  }
}

// through_socket lets `send` write to one end while `receive` reads the other to its end.
template <class Send, class Receive>
void through_socket(const Send& send, const Receive& receive) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) bench::fail("socketpair");
  FileSource in{Fd(ends[0])};
  FileSink out{Fd(ends[1])};
  std::thread reader([&] { receive(in); });
  send(out);
  bench::must(out.finish());
  reader.join();
}

}  // namespace

int main(int argc, char** argv) {
  bench::Options options(argc, argv);
  const std::vector<std::string> ways = {"encode",        "decode", "parse",      "base64_encode",
                                         "base64_decode", "socket", "bare_socket"};
  const std::string way = ways[options.choice("way", ways)];
  const std::size_t size = options.number("size");
  const std::size_t payload = options.number("payload");
  const double seconds = options.seconds("seconds");
  options.refuse_others();
  if (payload == 0 || size % payload != 0) bench::fail("size is a multiple of payload");
  const std::size_t times = size / payload;

  const bench::Block plain(payload);
  bench::fill_random(plain.bytes());
  const bench::Block out(payload + 2);
  MemorySink frame_sink;
  silkd::FrameWriter frame_writer(frame_sink);
  bench::must(frame_writer.send(silkd::Bulk::kDataRequest, plain.bytes()));
  const ByteView frame = frame_sink.bytes();
  std::string text = base64_encode(plain.bytes());

  NullSink nowhere;
  silkd::FrameWriter writer(nowhere);
  const auto send_all = [&](silkd::FrameWriter& to) {
    for (std::size_t i = 0; i < times; ++i) bench::must(to.send(silkd::Bulk::kDataRequest, plain.bytes()));
  };
  const auto run = [&] {
    if (way == "encode") {
      send_all(writer);
    } else if (way == "decode") {
      RepeatedSource source(frame, times);
      decode_all(source, out.bytes());
    } else if (way == "parse") {
      for (std::size_t i = 0; i < times; ++i) bench::must(silkd::decode_request(frame.first(frame.size() - 1)));
    } else if (way == "base64_encode") {
      for (std::size_t i = 0; i < times; ++i) base64_encode(plain.bytes(), std::span<char>(text));
    } else if (way == "base64_decode") {
      for (std::size_t i = 0; i < times; ++i) bench::must(base64_decode(text, out.bytes()));
    } else if (way == "socket") {
      through_socket(
          [&](Sink& to) {
            silkd::FrameWriter socket(to);
            send_all(socket);
          },
          [&](Source& from) { decode_all(from, out.bytes()); });
    } else {
      const bench::Block buffer(256 * 1024);
      through_socket(
          [&](Sink& to) {
            for (std::size_t i = 0; i < times; ++i) bench::must(to.write(frame));
          },
          [&](Source& from) { drop_all(from, buffer.bytes()); });
    }
  };
  bench::print(bench::measure(seconds, run));
}
