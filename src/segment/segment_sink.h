// The push driver: a Sink that seals or opens what is written to it and writes the result to another Sink.
#pragma once

#include <optional>

#include "millrace/stream.h"
#include "segment/segment_intake.h"

namespace millrace {

// SegmentSink works on the thread that writes. Bytes built at scratch() and large writes are not copied. Only finish()
// makes the last segment: one that is dropped before leaves a stream that nobody can open as whole. It does not finish
// the sink below, which its owner may have more to write to. Errors are sticky; writing after finish() is an error, and
// finishing twice is harmless.
class SegmentSink final : public Sink {
 public:
  // `header` is written before segment 0. All must outlive this.
  SegmentSink(const SegmentStage& stage, ByteView header, Sink& out)
      : stage_(stage), intake_(stage, std::nullopt), header_(header), out_(out) {}

  ByteSpan scratch() override;
  Status write(ByteView bytes) override;
  Status finish() override;

 private:
  Status write_header();
  Status run_batch();
  Status fail(const Error& error);

  SegmentStage stage_;
  SegmentIntake intake_;
  SegmentBatch batch_;
  ByteView header_;  // not yet written
  Sink& out_;
  std::optional<Error> failed_;
  bool finished_ = false;
};

}  // namespace millrace
