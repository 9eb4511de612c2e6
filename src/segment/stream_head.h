// StreamHead: finding out from the first bytes of a stream what opens the rest of it.
#pragma once

#include <memory>
#include <optional>

#include "millrace/stream.h"
#include "segment/segment_cipher.h"
#include "segment/segment_sink.h"
#include "stream/slab.h"

namespace millrace {

// StreamHead is what a format knows about the beginning of its streams: it asks for as many bytes as it takes to choose
// the cipher (the header, and for several candidate keys a first segment), and no more.
class StreamHead {
 public:
  struct Verdict {
    std::size_t need = 0;                         // at least this many bytes must be seen first; or
    std::unique_ptr<const SegmentCipher> cipher;  // what opens the stream
  };
  virtual ~StreamHead() = default;
  // examine looks at the bytes from the start of the stream; `ended` says that there are no more. It returns a cipher,
  // or a need above head.size() when not ended. Errors: kNotAuthentic, kMalformed.
  virtual Result<Verdict> examine(ByteView head, bool ended) = 0;
};

// StreamStart is a stream whose head has been examined.
struct StreamStart {
  std::unique_ptr<const SegmentCipher> cipher;
  Slab head;             // what was read
  std::size_t size = 0;  // of it
  // The bytes behind the header that were read along with it; they come first.
  ByteView rest() const { return ByteView(head.bytes().first(size)).subspan(cipher->layout().header_size()); }
};

Result<StreamStart> read_head(StreamHead& head, Source& from);
Result<std::unique_ptr<const SegmentCipher>> read_head(StreamHead& head, const ReadAt& from);

// OpenSource opens the stream of `in`. Nothing is read before the first pull. threads > 1 works on as many segments at
// once (ParallelSegmentSource). All must outlive it.
class OpenSource final : public Source {
 public:
  OpenSource(StreamHead& head, Source& in, unsigned threads) : head_(head), in_(in), threads_(threads) {}
  Result<ByteView> pull(ByteSpan scratch) override;
  std::optional<std::uint64_t> remaining() const override { return opened_ ? opened_->remaining() : std::nullopt; }
  // The cipher that opens the stream; null before the first pull.
  const SegmentCipher* cipher() const { return start_.cipher.get(); }

 private:
  StreamHead& head_;
  Source& in_;
  unsigned threads_;
  StreamStart start_;
  std::optional<PrependSource> body_;
  std::unique_ptr<Source> opened_;
  std::optional<Error> failed_;
};

// OpenSink opens the stream that is written to it and writes verified plaintext to `out`. finish() is where a stream
// that was cut is found out: without it, nothing is known about the end. All must outlive it.
class OpenSink final : public Sink {
 public:
  OpenSink(StreamHead& head, Sink& out) : head_(head), out_(out) {}
  ByteSpan scratch() override;
  Status write(ByteView bytes) override;
  Status finish() override;

 private:
  Status examine(bool ended);
  void grow();
  Status fail(const Error& error);

  StreamHead& head_;
  Sink& out_;
  StreamStart start_;     // head and size are used until the verdict
  std::size_t need_ = 1;  // bytes wanted for the next examination
  std::optional<SegmentSink> body_;
  std::optional<Error> failed_;
};

}  // namespace millrace
