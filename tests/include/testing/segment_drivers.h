// Every driver of the engine behind one call, for lists of cases and attacks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "segment/segment_file.h"
#include "segment/segment_sink.h"
#include "segment/segment_source.h"
#include "testing/segment_format.h"
#include "testing/streams.h"

namespace millrace::testing {

enum class Shape { kPull, kPushWrite, kPushScratch, kPositions, kRandomAccess };

struct Driver {
  Shape shape;
  unsigned threads = 1;  // of kPull and kPositions

  std::string text() const {
    static constexpr const char* kNames[] = {"pull", "push by write", "push by scratch", "positions", "random access"};
    return std::string(kNames[static_cast<int>(shape)]) + ", threads " + std::to_string(threads);
  }
  bool streams() const { return shape == Shape::kPull || shape == Shape::kPushWrite || shape == Shape::kPushScratch; }
};

inline std::vector<Driver> seal_drivers() {
  return {{Shape::kPull, 1},     {Shape::kPull, 2},      {Shape::kPull, 4},      {Shape::kPushWrite},
          {Shape::kPushScratch}, {Shape::kPositions, 1}, {Shape::kPositions, 2}, {Shape::kPositions, 4}};
}
inline std::vector<Driver> open_drivers() {
  std::vector<Driver> drivers = seal_drivers();
  drivers.push_back({Shape::kRandomAccess});
  return drivers;
}

// Outcome is what came out of a driver. A driver that works by position has released nothing when it failed.
struct Outcome {
  Bytes bytes;
  std::optional<Error> error;
  bool sticky = true;  // the same error again on every later call, nothing more released, input not touched again
};

inline bool same(const Error& a, const Error& b) {
  return a.code == b.code && a.where == b.where && a.offset == b.offset && a.detail == b.detail;
}

// drain pulls `from` to its end or error with a scratch of `step` bytes, then twice more.
inline Outcome drain(Source& from, std::size_t step) {
  Outcome outcome;
  Bytes scratch(std::min<std::size_t>(step, std::size_t{4} << 20));
  for (;;) {
    const std::optional<std::uint64_t> announced = from.remaining();
    const Result<ByteView> got = from.pull(scratch);
    if (!got || got->empty()) {
      if (!got) outcome.error = got.error();
      if (got && announced && *announced != 0) outcome.sticky = false;
      break;
    }
    MR_CHECK(got->size() <= scratch.size());
    append(outcome.bytes, *got);
    if (announced && *announced < got->size()) outcome.sticky = false;
    std::fill(scratch.begin(), scratch.end(), std::byte{0xaa});
  }
  for (int i = 0; i < 2; ++i) {
    const Result<ByteView> again = from.pull(scratch);
    const bool as_before = outcome.error ? !again && same(again.error(), *outcome.error) : again && again->empty();
    if (!as_before) outcome.sticky = false;
  }
  return outcome;
}

// push writes `bytes` in steps and finishes; after an error it tries twice more.
inline Outcome push(Sink& to, ByteView bytes, std::size_t step, bool by_scratch) {
  Outcome outcome;
  const auto note = [&](const Status& status) {
    if (!status) outcome.error = status.error();
    return status.has_value();
  };
  bool good = true;
  while (good && !bytes.empty()) {
    ByteView part = bytes.first(std::min(step, bytes.size()));
    if (by_scratch) {
      const ByteSpan room = to.scratch();
      MR_CHECK(!room.empty());
      part = part.first(std::min(part.size(), room.size()));
      std::copy(part.begin(), part.end(), room.begin());
      good = note(to.write(room.first(part.size())));
    } else {
      Bytes lent = to_bytes(part);  // gone after the call
      good = note(to.write(lent));
      std::fill(lent.begin(), lent.end(), std::byte{0xee});
    }
    bytes = bytes.subspan(part.size());
  }
  if (good) good = note(to.finish());
  const std::byte one[1] = {};
  for (int i = 0; i < 2; ++i) {
    const Status write_again = to.write(one);
    const Status finish_again = to.finish();
    if (good) {
      if (write_again || write_again.error().code != ErrorCode::kInvalidArgument || !finish_again)
        outcome.sticky = false;
    } else if (write_again || finish_again || !same(write_again.error(), *outcome.error) ||
               !same(finish_again.error(), *outcome.error)) {
      outcome.sticky = false;
    }
  }
  return outcome;
}

// Conditions of one run: how the input comes and the output goes.
struct Conditions {
  Supply supply = {};
  std::size_t step = kUnlimited;                        // bytes the consumer pulls, or the producer writes, at once
  Demand demand = {};                                   // of the sink below a push driver
  std::optional<std::uint64_t> position_fails_at = {};  // of reads, for drivers that work by position
};

inline Outcome run_seal(const Driver& driver, const SegmentFormat& format, const SegmentCipher& cipher, ByteView plain,
                        const Conditions& run = {}) {
  const SegmentStage stage(cipher, Direction::kSeal);
  if (driver.shape == Shape::kPull) {
    TestSource in(plain, run.supply);
    Outcome outcome;
    if (driver.threads == 1) {
      SegmentSource sealed(stage, format.header, in);
      outcome = drain(sealed, run.step);
    } else {
      ParallelSegmentSource sealed(stage, format.header, in, driver.threads);
      outcome = drain(sealed, run.step);
    }
    if (in.pulled_after_error() || in.pulled_after_end()) outcome.sticky = false;
    return outcome;
  }
  if (driver.shape == Shape::kPositions) {
    const TestReadAt in(plain, run.position_fails_at);
    const Result<std::uint64_t> size = format.layout.cipher_size(plain.size());
    const TestWriteAt out(size ? *size : 0);
    const Status status = transform_at(stage, format.header, in, &out, driver.threads);
    if (!status) return {{}, status.error()};
    return {out.written() == *size ? out.bytes() : Bytes{}, {}};
  }
  TestSink out(run.demand);
  const std::optional<std::uint64_t> total = run.supply.knows_length ? std::optional(plain.size()) : std::nullopt;
  SegmentSink sealing(stage, format.header, total, out);
  Outcome outcome = push(sealing, plain, run.step, driver.shape == Shape::kPushScratch);
  outcome.bytes = out.bytes();
  if (out.written_after_error() || out.finishes() != 0) outcome.sticky = false;
  return outcome;
}

inline Outcome run_open(const Driver& driver, const SegmentFormat& format, ByteView stream,
                        const Conditions& run = {}) {
  const std::unique_ptr<StreamHead> head = format.head();
  if (driver.shape == Shape::kPull) {
    TestSource in(stream, run.supply);
    Outcome outcome;
    {
      OpenSource opened(*head, in, driver.threads);
      outcome = drain(opened, run.step);
    }
    if (in.pulled_after_error() || in.pulled_after_end()) outcome.sticky = false;
    return outcome;
  }
  if (driver.shape == Shape::kPushWrite || driver.shape == Shape::kPushScratch) {
    TestSink out(run.demand);
    OpenSink opening(*head, out);
    Outcome outcome = push(opening, stream, run.step, driver.shape == Shape::kPushScratch);
    outcome.bytes = out.bytes();
    if (out.written_after_error() || out.finishes() != 0) outcome.sticky = false;
    return outcome;
  }
  const TestReadAt in(stream, run.position_fails_at);
  const auto cipher = read_head(*head, in);
  if (!cipher) return {{}, cipher.error()};
  if (driver.shape == Shape::kPositions) {
    const Result<std::uint64_t> size = (*cipher)->layout().plain_size(stream.size());
    const TestWriteAt out(size ? *size : 0);
    const SegmentStage stage(**cipher, Direction::kOpen);
    const Status status = transform_at(stage, {}, in, &out, driver.threads);
    const Status verified = transform_at(stage, {}, in, nullptr, driver.threads);
    MR_CHECK(status.has_value() == verified.has_value());
    if (!status) return {{}, status.error(), same(status.error(), verified.error())};
    return {out.written() == *size ? out.bytes() : Bytes{}, {}};
  }
  const auto reader = SegmentReadAt::create(**cipher, in);
  if (!reader) return {{}, reader.error()};
  Bytes plain(static_cast<std::size_t>((*reader)->size()), std::byte{0xcc});
  if (const Status status = (*reader)->read_at(0, plain); !status) {
    return {{}, status.error(), is_zero(plain)};
  }
  return {plain, {}};
}

}  // namespace millrace::testing
