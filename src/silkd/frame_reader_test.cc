// FrameReader and PayloadSource: any pieces, the cap, what is refused.
#include <gtest/gtest.h>

#include "base/copy.h"
#include "testing/silkd.h"
#include "testing/streams.h"

namespace millrace::silkd {
namespace {

using namespace millrace::testing;

using Sizes = std::initializer_list<std::size_t>;

ReadFrames read_all(std::string_view stream, Direction direction, const Supply& supply = {},
                    bool take_payloads = true) {
  TestSource source(as_bytes(stream), supply);
  FrameReader reader(source, direction);
  ReadFrames result = read_frames(reader, take_payloads);
  // The last word is said again.
  const Result<bool> again = reader.next();
  EXPECT_EQ(again.has_value(), !result.error.has_value());
  EXPECT_TRUE(again ? !*again : again.error().where == result.error.value_or(Error{}).where);
  EXPECT_FALSE(source.pulled_after_error());
  return result;
}

std::string bulk_text(Bulk kind, ByteView payload) {
  return std::to_string(static_cast<int>(kind)) + ":" + std::string(as_text(payload));
}

TEST(SilkdFrameReader, P05EverySplitOfSomeFramesGivesTheSameFrames) {
  const Bytes payload = noise_bytes(20);
  const std::string stream = "{\"v\":1,\"op\":\"fs_write\",\"path\":\"p\"}\n" +
                             json_frame(Bulk::kDataRequest, payload) + "{\"data\":\"AAE=\",\"op\":\"data\"}\r\n" +
                             json_frame(Bulk::kDataRequest, {}) + "{\"op\":\"data_end\"}";
  const std::vector<std::string> expected = {R"({"v":1,"op":"fs_write","path":"p"})",
                                             bulk_text(Bulk::kDataRequest, payload),
                                             bulk_text(Bulk::kDataRequest, Bytes{std::byte{0}, std::byte{1}}),
                                             bulk_text(Bulk::kDataRequest, {}), R"({"v":1,"op":"data_end"})"};
  for (const bool lends : {false, true}) {
    for (const std::string& end : {std::string(), std::string("\n")}) {
      const std::string whole = stream + end;
      for (std::size_t first = 1; first < whole.size(); ++first) {  // two cuts: after `first` and in its middle
        TestSource a(as_bytes(std::string_view(whole).substr(0, first)), {.lends = lends, .step = (first + 1) / 2});
        TestSource b(as_bytes(std::string_view(whole).substr(first)), {.lends = lends});
        class Both final : public Source {
         public:
          Both(Source& one, Source& other) : one_(one), other_(other) {}
          Result<ByteView> pull(ByteSpan scratch) override {
            MR_TRY(const ByteView bytes, one_.pull(scratch));
            return bytes.empty() ? other_.pull(scratch) : bytes;
          }

         private:
          Source& one_;
          Source& other_;
        } both(a, b);
        FrameReader reader(both, Direction::kRequests);
        const ReadFrames got = read_frames(reader);
        ASSERT_FALSE(got.error) << first;
        ASSERT_EQ(got.frames, expected) << first;
      }
      for (std::size_t step = 1; step <= 70; ++step) {
        ASSERT_EQ(read_all(whole, Direction::kRequests, {.lends = lends, .step = step}).frames, expected) << step;
      }
    }
  }
}

TEST(SilkdFrameReader, FramesOfAllSizesInEveryWayTheyCanArrive) {
  for (const Bulk kind : kBulkKinds) {
    std::string stream;
    std::vector<std::string> expected;
    for (const std::size_t n : Sizes{0, 1, 5, 40000, 49151, 100000, 3, 262144, 400000, 2, 1000000, 262144, 262144, 7}) {
      const Bytes payload = noise_bytes(n, n + 3);
      stream += json_frame(kind, payload);
      expected.push_back(bulk_text(kind, payload));
    }
    for (const bool lends : {false, true}) {
      for (const std::size_t step : {std::size_t{1000}, std::size_t{65536}, std::size_t{99991}, kUnlimited}) {
        const ReadFrames got = read_all(stream, direction_of(kind), {.lends = lends, .step = step});
        ASSERT_FALSE(got.error);
        ASSERT_TRUE(got.frames == expected) << step;
        const ReadFrames untaken = read_all(stream, direction_of(kind), {.lends = lends, .step = step}, false);
        ASSERT_FALSE(untaken.error);
        ASSERT_EQ(untaken.frames.size(), expected.size());
      }
    }
  }
}

TEST(SilkdFrameReader, BulkFramesGoTheFastWayAndOthersThroughTheParserToTheSameEnd) {
  for (const char* frame :
       {R"({"v":1,"op":"data","data":"QUJD"})", R"({"op":"data","data":"QUJD"})",
        R"({"data":"QUJD","op":"data","v":1})", R"({"v":1,"op":"data","data":"\u0051UJD"})",
        R"({"v":1, "op":"data","data":"QUJD"})", R"({"v":1,"op":"data","data":"QUJD","x":"AAAA"})",
        R"({"v":1,"op":"data","data":"QUJD","x":{"data":"AAAA"}})",
        R"({"x":{"op":"stdin","data":"AAAA"},"op":"data","data":"QUJD"})", R"( {"v":1,"op":"data","data":"QUJD"})",
        R"({"v":1,"op":"data","data":"QUJD"} )", "{\"v\":1,\"op\":\"data\",\"data\":\"QUJD\"}\r"}) {
    const ReadFrames got = read_all(frame, Direction::kRequests);
    ASSERT_FALSE(got.error) << frame << ": " << got.error->where;
    EXPECT_EQ(got.frames, std::vector<std::string>{"0:ABC"}) << frame;
    EXPECT_FALSE(read_all(frame, Direction::kRequests, {}, false).error) << frame;
  }
}

// Whether the payload is taken or not.
void expect_refused(std::string_view frame, Direction direction) {
  for (const bool take : {true, false}) {
    const ReadFrames got = read_all(frame, direction, {}, take);
    ASSERT_TRUE(got.error) << frame;
    EXPECT_EQ(got.error->code, ErrorCode::kMalformed) << frame;
  }
}

TEST(SilkdFrameReader, LinesThatMustBeRefused) {
  for (const char* frame : {R"({"type":"data","data":"QUJD"}x)",
                            R"({"type":"data","data":"QUJD"}})",
                            R"({"type":"data","data":"QUJD"} x)",
                            R"({"type":"data","data":"QUJD")",
                            R"({"type":"data","data":"QUJD)",
                            R"({"type":"data"},"data":"QUJD"})",
                            R"({"type":"data"x,"data":"QUJD"})",
                            R"({"type":"data""data":"QUJD"})",
                            R"({"type":"data":,"data":"QUJD"})",
                            R"({"type":"data",:"data":"QUJD"})",
                            R"({"type":"data",x"data":"QUJD"})",
                            R"({"type":"data","data":QUJD"})",
                            R"({"type":"data","data":"QUJD" "x"})",
                            R"({"type":"data","data":"QUJ"})",
                            R"({"type":"data","data":"QU=D"})",
                            R"({"type":"data","data":"QUJD\n"})",
                            R"({"type":"data","data":"QUJD\u000a"})",
                            R"({"type":"data","data":"QUJD","data":"QUJD"})",
                            R"({"type":"data","data":"QUJD","type":"stdout"})",
                            R"({"type":"data","data":"QUJD","type":"data"})",
                            R"({"type":"data","data":"QUJD", "data":"QUJD"})",
                            "{\"type\":\"data\",\"data\":\"QU\nJD\"}",
                            "{\"type\":\"data\",\"data\":\"QU\r\nJD\"}",
                            "{\"type\":\"data\",\"data\":\"QUJD\r\"}",
                            "{\"type\":\"data\",\"data\":\"QUJD\t\"}",
                            "\n",
                            "{\"type\":\"done\"}\n\n",
                            "\r\n",
                            R"({"v":1,"op":"data","data":"QUJD"})"}) {
    expect_refused(frame, Direction::kResponses);
  }
  expect_refused(std::string_view("{\"type\":\"data\",\"data\":\"QUJD\"}\0", 30), Direction::kResponses);
  expect_refused(std::string_view("{\"type\":\"done\"}\0junk", 20), Direction::kResponses);
  expect_refused(std::string_view("{\"type\":\"data\",\"data\":\"QU\0D\"}", 29), Direction::kResponses);
  for (const char* accepted :
       {R"({"x":{"data":"AAAA"},"type":"data","data":"QUJD"})", R"({"data":"QUJD","type":"data"})"}) {
    EXPECT_EQ(read_all(accepted, Direction::kResponses).frames, std::vector<std::string>{"2:ABC"});
  }
}

TEST(SilkdFrameReader, ErrorsTellTheFrameAndTheNameThatIsNotKnown) {
  const std::string good = json_frame(Bulk::kDataRequest, noise_bytes(10));
  const std::string stream = good + "{\"op\":\"fs_chmod\"}\n" + good;
  MemorySource memory(as_bytes(stream));
  FrameReader reader(memory, Direction::kRequests);
  const ReadFrames got = read_frames(reader);
  EXPECT_EQ(got.frames.size(), 1u);
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->where, "silkd frame: unknown op");
  EXPECT_EQ(got.error->offset, good.size());
  EXPECT_EQ(reader.unknown_name(), "fs_chmod");
}

TEST(SilkdFrameReader, OutputIsZeroedWhenAPayloadIsRefused) {
  const std::string stream = "{\"type\":\"data\",\"data\":\"QUJDREVG*UJD\"}\n";
  MemorySource source(as_bytes(stream));
  FrameReader reader(source, Direction::kResponses);
  ASSERT_TRUE(*reader.next());
  Bytes out(reader.payload_capacity(), std::byte{7});
  EXPECT_FALSE(reader.payload(out));
  EXPECT_TRUE(is_zero(out));
  EXPECT_FALSE(reader.next());
}

TEST(SilkdFrameReader, ErrorsOfTheInputArePassedOnAndStay) {
  const std::string stream = json_frame(Bulk::kDataRequest, noise_bytes(100));
  for (const std::size_t at : {std::size_t{0}, std::size_t{50}, stream.size()}) {
    const ReadFrames got = read_all(stream, Direction::kRequests, {.step = 30, .fail_at = at});
    ASSERT_TRUE(got.error);
    EXPECT_EQ(got.error->where, "test source");
    EXPECT_EQ(got.error->offset, at);
    EXPECT_EQ(got.frames.size(), at == stream.size() ? 1u : 0u);
  }
}

// A source of one endless line, which counts what was asked of it.
class EndlessLine final : public Source {
 public:
  Result<ByteView> pull(ByteSpan scratch) override {
    std::fill(scratch.begin(), scratch.end(), std::byte{' '});
    given += scratch.size();
    return ByteView(scratch);
  }
  std::uint64_t given = 0;
};

TEST(SilkdFrameReader, P05AFrameAboveTheCapIsRefusedBeforeItIsBuffered) {
  EndlessLine line;
  FrameReader reader(line, Direction::kRequests);
  const Result<bool> more = reader.next();
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::kLimitExceeded);
  EXPECT_LE(line.given, kMaxFrame + 1);
}

TEST(SilkdFrameReader, P01TheCapIsExactHoweverTheFrameArrivesAndEnds) {
  for (const char* end : {"", "\n", "\n{\"op\":\"info\"}\n"}) {
    for (const std::size_t over : Sizes{0, 1}) {
      const std::string frame = "{\"op\":\"info\"" + std::string(kMaxFrame - 13 + over, ' ') + "}";
      ASSERT_EQ(frame.size(), kMaxFrame + over);
      const std::string stream = "{\"op\":\"ps\"}\n" + frame + end;
      for (const bool lends : {false, true}) {
        for (const std::size_t step : {std::size_t{1} << 20, kUnlimited}) {
          const ReadFrames got = read_all(stream, Direction::kRequests, {.lends = lends, .step = step});
          EXPECT_EQ(got.error.has_value(), over == 1);
          EXPECT_EQ(got.frames.size(), over == 1 ? 1u : end[0] != 0 && end[1] != 0 ? 3u : 2u);
          if (got.error) {
            EXPECT_EQ(got.error->code, ErrorCode::kLimitExceeded);
            EXPECT_EQ(got.error->offset, 12u);
          }
        }
      }
    }
  }
  // The largest bulk frame of a client.
  const Bytes payload = noise_bytes(max_payload(Bulk::kDataRequest));
  EXPECT_EQ(read_all(json_frame(Bulk::kDataRequest, payload), Direction::kRequests).frames,
            std::vector<std::string>{bulk_text(Bulk::kDataRequest, payload)});
}

// One byte at a time, a frame of n bytes costs n looks, not n * n: a search from its start at each byte would look at
// 2 * 10^12 bytes and not end.
TEST(SilkdFrameReader, AFrameInPiecesOfOneByteTakesLinearTime) {
  const Bytes payload = noise_bytes(1500000);
  EXPECT_EQ(read_all(json_frame(Bulk::kDataRequest, payload), Direction::kRequests, {.step = 1}).frames,
            std::vector<std::string>{bulk_text(Bulk::kDataRequest, payload)});
}

// What would be costly to build is not built: nesting and long lists in fields that nobody knows.
TEST(SilkdFrameReader, HostileFieldsCostNoMoreThanTheirText) {
  const std::size_t n = 2'000'000;
  const std::string deep = "{\"x\":" + std::string(n, '[') + std::string(n, ']') + ",\"op\":\"info\"}\n";
  std::string wide = "{\"op\":\"info\",\"x\":[0";
  for (std::size_t i = 0; i < n; ++i) wide += ",0";
  wide += "]}\n";
  EXPECT_EQ(read_all(deep + wide, Direction::kRequests).frames.size(), 2u);
  expect_refused("{\"x\":" + std::string(n, '['), Direction::kRequests);
}

struct PayloadEnd {
  std::string bytes;
  std::optional<Error> error;
};
PayloadEnd payload_of(FrameReader& reader, std::size_t step) {
  PayloadSource source(reader);
  PayloadEnd end;
  Bytes scratch(step);
  for (;;) {
    const Result<ByteView> bytes = source.pull(scratch);
    if (!bytes) {
      end.error = bytes.error();
      EXPECT_FALSE(source.pull(scratch));
      return end;
    }
    if (bytes->empty()) {
      EXPECT_TRUE(source.pull(scratch)->empty());
      return end;
    }
    EXPECT_LE(bytes->size(), step);
    end.bytes += as_text(*bytes);
  }
}

TEST(SilkdPayloadSource, GivesBackWhatFrameSourceWasGivenForEveryStep) {
  for (const Bulk kind : {Bulk::kDataRequest, Bulk::kStdinRequest, Bulk::kDataResponse}) {
    for (const std::size_t n : Sizes{0, 1, 99, 100, 101, 1000, 100000}) {
      for (const std::size_t size : {std::size_t{100}, kDefaultPayload}) {
        const Bytes payload = noise_bytes(n, n);
        for (const std::size_t step : Sizes{1, 50, 99, 100, 101, 1 << 20}) {
          if (step == 1 && n > 1000) continue;
          MemorySource memory(payload);
          FrameSource frames(kind, memory, Closing::kYes, size);
          FrameReader reader(frames, direction_of(kind));
          const PayloadEnd end = payload_of(reader, step);
          ASSERT_FALSE(end.error) << end.error->where;
          ASSERT_TRUE(end.bytes == as_text(payload));
          EXPECT_FALSE(*reader.next());
        }
      }
    }
  }
}

TEST(SilkdPayloadSource, AnythingElseThanAClosedPayloadOfOneKindIsRefused) {
  const std::string data = json_frame(Bulk::kDataRequest, noise_bytes(5));
  const std::string input = json_frame(Bulk::kStdinRequest, noise_bytes(5));
  const std::string end = "{\"v\":1,\"op\":\"data_end\"}\n", close = "{\"v\":1,\"op\":\"stdin_close\"}\n";
  for (const std::string& stream :
       {std::string(), data, data + data, data + input + end, input + data + close, data + close, input + end,
        data + "{\"op\":\"info\"}\n" + end, data + data.substr(0, 30)}) {
    MemorySource memory(as_bytes(stream));
    FrameReader reader(memory, Direction::kRequests);
    const PayloadEnd got = payload_of(reader, 100);
    ASSERT_TRUE(got.error) << stream;
    EXPECT_EQ(got.error->code, ErrorCode::kMalformed);
  }
  for (const Bulk kind : {Bulk::kStdoutResponse, Bulk::kStderrResponse}) {
    const std::string stream = json_frame(kind, noise_bytes(5)) + "{\"type\":\"done\"}\n";
    MemorySource memory(as_bytes(stream));
    FrameReader reader(memory, Direction::kResponses);
    EXPECT_TRUE(payload_of(reader, 100).error);
  }
}

TEST(SilkdPayloadSource, P09AnErrorInMidStreamFailsAndCanBeLookedAt) {
  const std::string stream = json_frame(Bulk::kDataResponse, noise_bytes(5)) +
                             "{\"type\":\"error\",\"kind\":\"internal\",\"message\":\"read: Input/output error\"}\n";
  MemorySource memory(as_bytes(stream));
  FrameReader reader(memory, Direction::kResponses);
  PayloadSource payload(reader);
  Bytes scratch(100);
  ASSERT_TRUE(payload.pull(scratch));
  EXPECT_EQ(payload.agent_error(), nullptr);
  const Result<ByteView> failed = payload.pull(scratch);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kMalformed);
  ASSERT_NE(payload.agent_error(), nullptr);
  EXPECT_EQ(payload.agent_error()->kind, ErrorKind::kInternal);
  EXPECT_EQ(payload.agent_error()->message, "read: Input/output error");
}

TEST(SilkdPayloadSource, StopsAtTheClosingFrameAndLeavesTheRestToTheReader) {
  const std::string stream = json_frame(Bulk::kDataRequest, noise_bytes(5)) +
                             "{\"op\":\"data_end\"}\n{\"op\":\"info\"}\n{\"op\":\"stdin_close\"}\n";
  MemorySource memory(as_bytes(stream));
  FrameReader reader(memory, Direction::kRequests);
  EXPECT_FALSE(payload_of(reader, 100).error);
  ASSERT_TRUE(*reader.next());
  EXPECT_TRUE(std::holds_alternative<request::Info>(reader.request()));
  EXPECT_FALSE(payload_of(reader, 100).error);  // a payload without frames
}

}  // namespace
}  // namespace millrace::silkd
