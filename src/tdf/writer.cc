#include <utility>

#include "base/check.h"
#include "millrace/tdf.h"
#include "segment/segment_file.h"
#include "segment/segment_sink.h"
#include "segment/segment_source.h"
#include "tdf/new_file.h"

namespace millrace::tdf {

struct Writer::State {
  explicit State(FilePlan from) : plan(std::move(from)) {}
  FilePlan plan;
};

namespace {

// The objects handed out own their file; each is an engine's driver with the tail behind it.
class TdfSink final : public Writer::FileSink {
 public:
  TdfSink(NewFile file, Sink& out, std::optional<std::uint64_t> plain_size) : file_(std::move(file)), out_(out) {
    if (prefers_pieces(file_.stage(), plain_size)) {
      sealing_ = std::make_unique<PieceSink>(file_.stage(), file_.header(), plain_size, out);
    } else {
      sealing_ = std::make_unique<SegmentSink>(file_.stage(), file_.header(), plain_size, out);
    }
  }

  ByteSpan scratch() override { return sealing_->scratch(); }

  Status write(ByteView bytes) override {
    if (failed_) return *failed_;
    if (finished_) return Error{ErrorCode::kInvalidArgument, "write after finish"};
    return keep(sealing_->write(bytes));
  }

  Status finish() override {
    if (failed_) return *failed_;
    if (std::exchange(finished_, true)) return Ok{};
    if (const Status status = sealing_->finish(); !status) return fail(status.error());
    const Result<std::string> tail = file_.tail();
    if (!tail) return fail(tail.error());
    return keep(out_.write(as_bytes(*tail)));
  }

  Info info() const override { return failed_ ? Info{} : file_.info(); }

 private:
  Status keep(const Status& status) {
    if (!status) failed_ = status.error();
    return status;
  }
  Error fail(const Error& error) {
    failed_ = error;
    return error;
  }

  NewFile file_;
  Sink& out_;
  std::unique_ptr<Sink> sealing_;
  bool finished_ = false;
  std::optional<Error> failed_;
};

class TdfSource final : public Writer::FileSource {
 public:
  TdfSource(NewFile file, Source& plaintext, unsigned threads) : file_(std::move(file)), left_(file_.size()) {
    if (threads > 1) {
      sealed_ = std::make_unique<ParallelSegmentSource>(file_.stage(), file_.header(), plaintext, threads);
    } else if (prefers_pieces(file_.stage(), plaintext.remaining())) {
      sealed_ = std::make_unique<PieceSource>(file_.stage(), file_.header(), plaintext);
    } else {
      sealed_ = std::make_unique<SegmentSource>(file_.stage(), file_.header(), plaintext);
    }
  }

  Result<ByteView> pull(ByteSpan scratch) override {
    if (failed_) return *failed_;
    if (sealed_) {
      Result<ByteView> bytes = sealed_->pull(scratch);
      if (!bytes || !bytes->empty()) return counted(bytes);
      sealed_.reset();
      Result<std::string> tail = file_.tail();
      if (!tail) {
        failed_ = tail.error();
        return *failed_;
      }
      tail_ = *std::move(tail);
      rest_.emplace(as_bytes(tail_));
    }
    return counted(rest_->pull(scratch));
  }

  std::optional<std::uint64_t> remaining() const override { return left_; }
  Info info() const override { return failed_ ? Info{} : file_.info(); }

 private:
  Result<ByteView> counted(const Result<ByteView>& bytes) {
    if (!bytes) failed_ = bytes.error();
    if (bytes && left_) *left_ -= bytes->size();
    return bytes;
  }

  NewFile file_;
  std::optional<std::uint64_t> left_;  // of the file
  std::unique_ptr<Source> sealed_;     // until it has ended
  std::string tail_;
  std::optional<MemorySource> rest_;
  std::optional<Error> failed_;
};

}  // namespace

Writer::Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

Result<Writer> Writer::create(WriterOptions options) {
  MR_TRY(FilePlan plan, FilePlan::create(std::move(options)));
  return Writer(std::make_unique<State>(std::move(plan)));
}

Result<std::unique_ptr<Writer::FileSink>> Writer::sink(Sink& out, std::optional<std::uint64_t> plain_size) const {
  MR_TRY(NewFile file, NewFile::create(state_->plan, plain_size));
  return std::unique_ptr<FileSink>(new TdfSink(std::move(file), out, plain_size));
}

Result<std::unique_ptr<Writer::FileSource>> Writer::source(Source& plaintext, unsigned threads) const {
  MR_TRY(NewFile file, NewFile::create(state_->plan, plaintext.remaining()));
  return std::unique_ptr<FileSource>(new TdfSource(std::move(file), plaintext, threads));
}

Result<Info> Writer::write_at(const ReadAt& plaintext, const WriteAt& file, unsigned threads) const {
  MR_TRY(NewFile made, NewFile::create(state_->plan, plaintext.size()));
  MR_TRY(transform_at(made.stage(), made.header(), plaintext, &file, threads));
  MR_TRY(const std::uint64_t payload_end, made.cipher().layout().cipher_size(plaintext.size()));
  MR_TRY(const std::string tail, made.tail());
  MR_TRY(file.write_at(payload_end, as_bytes(tail)));
  return made.info();
}

Result<std::uint64_t> Writer::file_size(std::uint64_t plain_size) const {
  MR_TRY(const Info shape, state_->plan.shape(plain_size));
  return shape.file_size;
}

}  // namespace millrace::tdf
