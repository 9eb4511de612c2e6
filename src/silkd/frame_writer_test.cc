// FrameSource and FrameWriter: bytes on the wire.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <mutex>
#include <thread>

#include "testing/silkd.h"
#include "testing/streams.h"

namespace millrace::silkd {
namespace {

using namespace millrace::testing;

using Sizes = std::initializer_list<std::size_t>;

std::string text_of(ByteView bytes) { return std::string(as_text(bytes)); }

// Every call of write() by itself.
class CallSink final : public Sink {
 public:
  ByteSpan scratch() override { return {}; }
  Status write(ByteView bytes) override {
    calls.push_back(text_of(bytes));
    return Ok{};
  }
  Status finish() override { return Ok{}; }
  std::vector<std::string> calls;
};

std::string all_of(Source& source, std::size_t step) {
  std::string text;
  Bytes scratch(step);
  for (;;) {
    const Result<ByteView> bytes = source.pull(scratch);
    EXPECT_TRUE(bytes);
    if (!bytes || bytes->empty()) return text;
    EXPECT_LE(bytes->size(), step);
    text += as_text(*bytes);
  }
}

std::vector<std::size_t> lengths() {
  std::vector<std::size_t> all;
  for (std::size_t n = 0; n <= 200; ++n) all.push_back(n);
  for (const std::size_t around : Sizes{4096, 32768, 65536, 262144, 300 * 1024}) {
    for (std::size_t n = around - 2; n <= around + 2; ++n) all.push_back(static_cast<std::size_t>(n));
  }
  return all;
}

// Buffer reuse: after the largest frame come smaller and smaller ones, whose bytes must not be the old ones.
TEST(SilkdFrameWriter, BulkFramesAreThoseOfTheJsonLibraryForEveryLengthAlsoAfterLargerOnes) {
  for (const Bulk kind : kBulkKinds) {
    CallSink sink;
    FrameWriter writer(sink);
    std::vector<std::size_t> sizes = lengths();
    sizes.insert(sizes.end(), sizes.rbegin(), sizes.rend());
    for (const std::size_t n : sizes) {
      const Bytes payload = noise_bytes(n, n + 1);
      ASSERT_TRUE(writer.send(kind, payload));
      ASSERT_TRUE(sink.calls.back() == json_frame(kind, payload)) << n;
      ASSERT_EQ(sink.calls.back().size(), bulk_frame_size(kind, n));
    }
  }
}

TEST(SilkdFrameWriter, BulkFramesAreThoseOfTheMessages) {
  const Bytes payload = {std::byte{0}, std::byte{0xff}, std::byte{'<'}, std::byte{'"'}};
  for (const ByteView bytes : {ByteView(payload), ByteView()}) {
    const Bytes data = to_bytes(bytes);
    EXPECT_EQ(json_frame(Bulk::kDataRequest, bytes), *encode(Request(request::Data{data})) + '\n');
    EXPECT_EQ(json_frame(Bulk::kStdinRequest, bytes), *encode(Request(request::Stdin{data})) + '\n');
    EXPECT_EQ(json_frame(Bulk::kDataResponse, bytes), *encode(Response(response::Data{data})) + '\n');
    EXPECT_EQ(json_frame(Bulk::kStdoutResponse, bytes), *encode(Response(response::Stdout{data})) + '\n');
    EXPECT_EQ(json_frame(Bulk::kStderrResponse, bytes), *encode(Response(response::Stderr{data})) + '\n');
  }
}

TEST(SilkdFrameWriter, P01LargestPayloadsAreExactAndOneByteMoreIsNotSent) {
  EXPECT_EQ(max_payload(Bulk::kDataRequest), 6291432u);
  EXPECT_EQ(max_payload(Bulk::kStdinRequest), 6291432u);
  EXPECT_EQ(max_payload(Bulk::kDataResponse), 6291435u);
  EXPECT_EQ(max_payload(Bulk::kStdoutResponse), 6291435u);
  EXPECT_EQ(kDefaultPayload, 262144u);
  EXPECT_EQ(bulk_frame_size(Bulk::kDataRequest, 262144), 349557u + 1);
  const Bytes payload = noise_bytes(6291436);
  for (const Bulk kind : kBulkKinds) {
    CallSink sink;
    FrameWriter writer(sink);
    const std::size_t most = max_payload(kind);
    ASSERT_TRUE(writer.send(kind, slice(payload, 0, most)));
    const std::size_t cap = direction_of(kind) == Direction::kRequests ? 8388608 : 8388607;
    EXPECT_LE(sink.calls.at(0).size() - 1, cap);
    EXPECT_GT(sink.calls.at(0).size() - 1 + 4, cap);
    const Status above = writer.send(kind, slice(payload, 0, most + 1));
    ASSERT_FALSE(above);
    EXPECT_EQ(above.error().code, ErrorCode::kLimitExceeded);
    EXPECT_EQ(sink.calls.size(), 1u);
    EXPECT_TRUE(writer.send(kind, {}));  // not the writer's last word
  }
}

TEST(SilkdFrameWriter, AMessageIsOneWriteAndWhatCannotBeEncodedIsNone) {
  CallSink sink;
  FrameWriter writer(sink);
  ASSERT_TRUE(writer.send(Request(request::FsWrite{"p", 0644})));
  ASSERT_TRUE(writer.send(Response(response::Done{})));
  EXPECT_FALSE(writer.send(Request(request::FsRead{"\xff"})));
  EXPECT_EQ(sink.calls, (std::vector<std::string>{"{\"v\":1,\"op\":\"fs_write\",\"path\":\"p\",\"mode\":420}\n",
                                                  "{\"type\":\"done\"}\n"}));
}

TEST(SilkdFrameWriter, TheFirstErrorOfTheSinkIsTheLastWord) {
  TestSink sink({.fail_at_write = 1});
  FrameWriter writer(sink);
  const Bytes payload = noise_bytes(10);
  ASSERT_TRUE(writer.send(Bulk::kDataRequest, payload));
  const Status failed = writer.send(Bulk::kDataRequest, payload);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().where, "test sink");
  MemorySource source(payload);
  EXPECT_FALSE(writer.send(Request(request::DataEnd{})));
  EXPECT_FALSE(writer.send_all(Bulk::kDataRequest, source, Closing::kYes));
  EXPECT_FALSE(sink.written_after_error());
}

std::string expected_frames(Bulk kind, ByteView payload, std::size_t size, bool closed) {
  std::string text;
  for (std::size_t at = 0; at < payload.size(); at += size) {
    text += json_frame(kind, payload.subspan(at, std::min(size, payload.size() - at)));
  }
  static constexpr const char* kClosing[] = {"{\"v\":1,\"op\":\"data_end\"}\n", "{\"v\":1,\"op\":\"stdin_close\"}\n",
                                             "{\"type\":\"done\"}\n"};
  return closed ? text + kClosing[static_cast<std::size_t>(kind)] : text;
}

TEST(SilkdFrameSource, FramesDependOnThePayloadAloneNotOnItsPiecesOrOnThoseOfTheConsumer) {
  for (const Bulk kind : {Bulk::kDataRequest, Bulk::kStdinRequest, Bulk::kDataResponse}) {
    for (const std::size_t size : Sizes{1, 2, 3, 64, 1000}) {
      for (const std::size_t n : Sizes{0, 1, 2, 3, 63, 64, 65, 128, 999, 1000, 1001, 2500}) {
        const Bytes payload = noise_bytes(n, n + size);
        const std::string expected = expected_frames(kind, payload, size, true);
        for (const bool lends : {false, true}) {
          for (const bool knows : {false, true}) {
            for (const std::size_t step : {std::size_t{1}, std::size_t{7}, kUnlimited}) {
              TestSource source(payload, {.lends = lends, .step = step, .knows_length = knows});
              FrameSource frames(kind, source, Closing::kYes, size);
              EXPECT_EQ(frames.remaining(), knows ? std::optional<std::uint64_t>(expected.size()) : std::nullopt);
              ASSERT_EQ(all_of(frames, step == 7 ? 13 : 1 << 20), expected);
              EXPECT_EQ(frames.remaining(), std::uint64_t{0});
              EXPECT_EQ(frames.payload_size(), n);
              EXPECT_TRUE(source.ended());
              EXPECT_FALSE(source.pulled_after_end());
              Bytes one(1);
              EXPECT_TRUE(frames.pull(one)->empty());
            }
          }
        }
      }
    }
  }
}

TEST(SilkdFrameSource, RemainingIsTrueAtEveryStep) {
  const Bytes payload = noise_bytes(1000);
  MemorySource source(payload);
  FrameSource frames(Bulk::kStdinRequest, source, Closing::kYes, 300);
  std::uint64_t left = *frames.remaining();
  Bytes scratch(11);
  for (;;) {
    const Result<ByteView> bytes = frames.pull(scratch);
    ASSERT_TRUE(bytes);
    left -= bytes->size();
    ASSERT_EQ(frames.remaining(), left);
    if (bytes->empty()) break;
  }
  EXPECT_EQ(left, 0u);
}

TEST(SilkdFrameSource, P02AContentIsCutIntoPiecesOf256KiB) {
  const Bytes payload = noise_bytes(600 * 1024);
  MemorySource source(payload);
  FrameSource frames(Bulk::kDataRequest, source, Closing::kNo);
  std::vector<std::size_t> sizes;
  for (;;) {
    const Result<ByteView> frame = frames.frame();
    ASSERT_TRUE(frame);
    if (frame->empty()) break;
    EXPECT_EQ(as_text(*frame).find('\n'), frame->size() - 1);
    sizes.push_back(frame->size());
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{349558, 349558, bulk_frame_size(Bulk::kDataRequest, 90112)}));
}

TEST(SilkdFrameSource, P04AnEmptyFileHasNoDataFrame) {
  for (const bool knows : {false, true}) {
    TestSource source({}, {.knows_length = knows});
    FrameSource frames(Bulk::kDataRequest, source, Closing::kYes);
    EXPECT_EQ(all_of(frames, 100), "{\"v\":1,\"op\":\"data_end\"}\n");
  }
}

TEST(SilkdFrameSource, P06APayloadThatFailsIsNotClosed) {
  const Bytes payload = noise_bytes(100);
  for (const std::size_t at : Sizes{0, 1, 50, 99, 100}) {
    TestSource source(payload, {.step = 9, .fail_at = at});
    CallSink sink;
    FrameWriter writer(sink);
    const Result<std::uint64_t> sent = writer.send_all(Bulk::kDataRequest, source, Closing::kYes, 10);
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().where, "test source");
    EXPECT_EQ(sink.calls.size(), at / 10);
    for (const std::string& frame : sink.calls) EXPECT_EQ(frame.find("data_end"), std::string::npos);
    EXPECT_TRUE(writer.send(Request(request::Info{})));  // the connection itself is good
  }
  TestSource source(payload, {.fail_at = 50});
  FrameSource frames(Bulk::kDataRequest, source, Closing::kYes, 10);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(frames.frame());
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(frames.frame());
  EXPECT_FALSE(source.pulled_after_error());
}

// Several threads send payloads and messages over one socket; frames arrive whole, and those of a thread in its order.
TEST(SilkdFrameWriter, FramesOfConcurrentSendersDoNotMix) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  FileSource in{Fd(ends[0])};
  FileSink out{Fd(ends[1])};
  FrameWriter writer(out);
  constexpr std::size_t kSenders = 4, kRounds = 40;
  std::vector<std::thread> senders;
  for (std::size_t sender = 0; sender < kSenders; ++sender) {
    senders.emplace_back([&, sender] {
      for (std::size_t round = 0; round < kRounds; ++round) {
        Bytes payload = noise_bytes(3000 * (sender + 1) + round, 1);
        payload[0] = static_cast<std::byte>(sender);
        payload[1] = static_cast<std::byte>(round);
        if (round % 8 == 5) {
          MemorySource source(payload);
          EXPECT_TRUE(writer.send_all(Bulk::kStdinRequest, source, Closing::kNo, payload.size()));
        } else {
          EXPECT_TRUE(writer.send(Bulk::kStdinRequest, payload));
        }
        EXPECT_TRUE(writer.send(Request(request::Kill{static_cast<std::uint32_t>(sender), {}})));
      }
    });
  }
  std::thread closer([&] {
    for (std::thread& sender : senders) sender.join();
    EXPECT_TRUE(out.finish());
  });

  FrameReader reader(in, Direction::kRequests);
  std::size_t next[kSenders] = {};
  std::size_t kills = 0;
  for (;;) {
    const Result<bool> more = reader.next();
    EXPECT_TRUE(more);
    if (!more || !*more) break;
    if (!reader.bulk()) {
      kills += std::holds_alternative<request::Kill>(reader.request());
      continue;
    }
    Bytes payload(reader.payload_capacity());
    const Result<std::size_t> size = reader.payload(payload);
    EXPECT_TRUE(size);
    if (!size) break;
    payload.resize(*size);
    const auto sender = std::to_integer<std::size_t>(payload[0]);
    EXPECT_LT(sender, kSenders);
    EXPECT_EQ(std::to_integer<std::size_t>(payload[1]), next[sender]);
    Bytes expected = noise_bytes(3000 * (sender + 1) + next[sender]++, 1);
    expected[0] = payload[0];
    expected[1] = payload[1];
    EXPECT_TRUE(payload == expected);
  }
  NullSink rest;  // behind a frame that was refused: no sender must wait for ever
  EXPECT_TRUE(pump(in, rest));
  closer.join();
  for (const std::size_t rounds : next) EXPECT_EQ(rounds, kRounds);
  EXPECT_EQ(kills, kSenders * kRounds);
}

}  // namespace
}  // namespace millrace::silkd
