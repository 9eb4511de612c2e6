#include "tdf_format.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "failure.h"
#include "mime_type.h"

namespace millrace::cli {

namespace {

Report report_of(const tdf::Info& info) {
  Report report;
  report.bytes = info.plain_size;
  report.segments = info.segments;
  report.key_id = std::nullopt;
  return report;
}

class TdfSealing final : public Sealing {
 public:
  explicit TdfSealing(const TdfWriteOptions& options) : options_(options.load()) {}

  void begin(Transfer& transfer) override {
    input_name_ = transfer.input_name();
    if (options_.mime_type.empty()) {
      const MimeType found = detect_mime_type(transfer.first_bytes(kMimeSample), input_name_);
      options_.mime_type = found.type;
      note_ = fmt::format("MIME type {}{}{}; --mime-type TYPE says another", found.type,
                          found.found_by.empty() ? "" : ", by ", found.found_by);
    }
    if (options_.targets.size() == 1) kid_ = options_.targets[0].kid;
    mime_type_ = options_.mime_type;
    segment_size_ = options_.segment_size;
    max_manifest_size_ = options_.max_manifest_size;
    Result<tdf::Writer> writer = tdf::Writer::create(std::move(options_));
    if (!writer) explain(writer.error());
    writer_.emplace(value_or_fail(std::move(writer), "--tdf"));
    transfer.explain_with([this](const Error& error) { explain(error); });
  }
  Result<std::uint64_t> sealed_size(std::uint64_t plain_size) const override { return writer_->file_size(plain_size); }
  Status seal_at(const ReadAt& plaintext, const WriteAt& sealed, unsigned threads) override {
    MR_TRY(info_, writer_->write_at(plaintext, sealed, threads));
    return Ok{};
  }
  Result<Source*> seal(Source& plaintext, unsigned threads) override {
    MR_TRY(stream_, writer_->source(plaintext, threads));
    return stream_.get();
  }
  Report report() const override {
    Report report = report_of(info());
    report.kid = kid_;
    report.mime_type = mime_type_;
    return report;
  }
  std::string note() const override {
    std::string text = note_;
    if (const std::uint64_t size = info().segment_size; size != segment_size_) {
      text += fmt::format("{}segments of {} bytes, not {}, for a manifest that all readers take",
                          text.empty() ? "" : "; ", size, segment_size_);
    }
    return text.empty() ? text : fmt::format("note: {}: {}", input_name_, text);
  }

 private:
  tdf::Info info() const { return stream_ ? stream_->info() : info_; }

  void explain(const Error& error) const {
    if (error.code != ErrorCode::kLimitExceeded || !error.where.starts_with("manifest size")) return;
    std::string advice = "the policy, metadata, keys and assertions are too large";
    if (error.detail > 0) {
      const auto size = static_cast<std::uint64_t>(error.detail) * 1024;
      advice = size <= tdf::kMaxPortableSegmentSize
                   ? fmt::format("use --segment-size {}KiB", error.detail)
                   : "no segment size is enough, but --max-manifest-size writes it for readers that take more";
    }
    // The offset is how much plaintext there is, or was when it became too much.
    const std::string with =
        error.offset > 0
            ? fmt::format("with {} segments of {} bytes ",
                          error.offset / segment_size_ + (error.offset % segment_size_ != 0), segment_size_)
            : "";
    fail(kExitUsage, fmt::format("{}: {}the manifest would pass {} bytes, more than readers take; {}", input_name_,
                                 with, max_manifest_size_, advice));
  }

  tdf::WriterOptions options_;  // until begin()
  std::string input_name_;
  std::string kid_;
  std::string mime_type_;
  std::string note_;
  std::uint64_t segment_size_ = 0;
  std::uint64_t max_manifest_size_ = 0;
  std::optional<tdf::Writer> writer_;
  std::unique_ptr<tdf::Writer::FileSource> stream_;
  tdf::Info info_;
};

class TdfOpening final : public Opening {
 public:
  TdfOpening(Transfer& transfer, const TdfKeys& keys) : file_(transfer), reader_(open_reader(transfer, file_, keys)) {}

  bool positional() const override { return true; }
  Result<std::uint64_t> plain_size() override { return reader_.info().plain_size; }
  Status open_at(const WriteAt& plaintext, unsigned threads) override { return reader_.decrypt_at(plaintext, threads); }
  Status verify(unsigned threads) override { return reader_.verify(threads); }
  Result<const ReadAt*> read_at() override {
    MR_TRY(read_at_, reader_.read_at());
    return read_at_.get();
  }
  Result<Source*> open(unsigned threads) override {
    stream_ = reader_.source(threads);
    return stream_.get();
  }
  Report report() const override {
    Report report = report_of(reader_.info());
    const std::vector<tdf::KeyAccessObject>& objects = reader_.manifest().key_access;
    if (objects.size() == 1) report.kid = objects[0].kid;
    return report;
  }

 private:
  const TdfFile file_;
  const tdf::Reader reader_;
  std::unique_ptr<Source> stream_;
  std::unique_ptr<ReadAt> read_at_;
};

// Whether an error is about the shares of the key, rather than about what the whole key opens.
bool is_about_shares(const Error& error) {
  return error.where.find("key") != std::string_view::npos || error.where.find("binding") != std::string_view::npos;
}

// reasons joins what is said of the key access objects that gave nothing: each names its kid and URL.
std::string reasons(const std::vector<tdf::AccessFailure>& failures) {
  constexpr std::size_t kMost = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, failures.size()); ++i) text += "; " + failures[i].explanation;
  if (failures.size() > kMost) text += fmt::format("; and {} more", failures.size() - kMost);
  return text;
}

}  // namespace

std::unique_ptr<Sealing> seal_tdf(const TdfWriteOptions& options) { return std::make_unique<TdfSealing>(options); }

std::unique_ptr<Opening> open_tdf(Transfer& transfer, const TdfKeys& keys) {
  return std::make_unique<TdfOpening>(transfer, keys);
}

TdfFile::TdfFile(Transfer& transfer) : read_at_(transfer.read_at()) {
  if (read_at_ == nullptr) {
    spool_.emplace(transfer);
    read_at_ = &spool_->read_at();
  }
}

tdf::Reader open_reader(Transfer& transfer, const TdfFile& file, const TdfKeys& keys) {
  const tdf::ReaderOptions options = keys.reader_options();
  std::vector<tdf::AccessFailure> failures;
  Result<tdf::Reader> reader = tdf::Reader::open(file.read_at(), keys.access(), options, &failures);
  if (reader) return *std::move(reader);
  fail_limit(transfer, reader.error());
  if (!is_about_shares(reader.error())) transfer.fail_input(reader.error(), {});
  fail(exit_status(reader.error()),
       fmt::format("{}: {}{}", transfer.input_name(), describe(reader.error()), reasons(failures)));
}

void fail_limit(const Transfer& transfer, const Error& error) {
  if (error.code != ErrorCode::kLimitExceeded) return;
  std::string_view hint;
  if (error.where.starts_with("manifest size")) hint = "--max-manifest-size raises the limit";
  if (error.where.ends_with(": segments")) hint = "--max-segments raises the limit";
  if (error.where.ends_with("encryptedSegmentSize")) hint = "--max-segment-size raises the limit";
  fail_with(transfer.input_name(), error, hint);
}

}  // namespace millrace::cli
