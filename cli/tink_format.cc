#include "tink_format.h"

#include "failure.h"

namespace millrace::cli {

namespace {

Report report_of(const tink::StreamInfo& info) {
  Report report;
  report.bytes = info.plain_size;
  report.segments = info.segments;
  report.key_id = info.key_id;
  return report;
}

class TinkSealing final : public Sealing {
 public:
  explicit TinkSealing(const KeyOptions& options) : keys_(options) {}

  void begin(Transfer&) override {}
  Result<std::uint64_t> sealed_size(std::uint64_t plain_size) const override {
    return keys_.aead.encrypted_size(plain_size);
  }
  Status seal_at(const ReadAt& plaintext, const WriteAt& sealed, unsigned threads) override {
    MR_TRY(info_, keys_.aead.encrypt_at(plaintext, sealed, keys_.associated_data, threads));
    return Ok{};
  }
  Result<Source*> seal(Source& plaintext, unsigned threads) override {
    MR_TRY(stream_, keys_.aead.encrypt_source(plaintext, keys_.associated_data, threads));
    return stream_.get();
  }
  Report report() const override { return report_of(stream_ ? stream_->info() : info_); }

 private:
  const TinkKeys keys_;
  std::unique_ptr<tink::StreamSource> stream_;
  tink::StreamInfo info_;
};

class TinkOpening final : public Opening {
 public:
  TinkOpening(Transfer& transfer, const TinkKeys& keys) : transfer_(transfer), keys_(keys) {}

  bool positional() const override { return transfer_.read_at() != nullptr; }
  Result<std::uint64_t> plain_size() override {
    // The end is opened first: a stream that was cut shows at once, and the size of the output is known.
    MR_TRY(info_, keys_.aead.inspect(*transfer_.read_at(), keys_.associated_data));
    return info_.plain_size;
  }
  Status open_at(const WriteAt& plaintext, unsigned threads) override {
    MR_TRY(info_, keys_.aead.decrypt_at(*transfer_.read_at(), plaintext, keys_.associated_data, threads));
    return Ok{};
  }
  Status verify(unsigned threads) override {
    MR_TRY(info_, keys_.aead.verify_at(*transfer_.read_at(), keys_.associated_data, threads));
    return Ok{};
  }
  Result<const ReadAt*> read_at() override {
    MR_TRY(read_at_, keys_.aead.decrypt_read_at(*transfer_.read_at(), keys_.associated_data));
    return read_at_.get();
  }
  Result<Source*> open(unsigned threads) override {
    MR_TRY(stream_, keys_.aead.decrypt_source(transfer_.source(), keys_.associated_data, threads));
    return stream_.get();
  }
  Report report() const override { return report_of(stream_ ? stream_->info() : info_); }

 private:
  Transfer& transfer_;
  const TinkKeys& keys_;
  std::unique_ptr<tink::StreamSource> stream_;
  std::unique_ptr<ReadAt> read_at_;
  tink::StreamInfo info_;
};

}  // namespace

std::unique_ptr<Sealing> seal_tink(const KeyOptions& options) { return std::make_unique<TinkSealing>(options); }

std::unique_ptr<Opening> open_tink(Transfer& transfer, const TinkKeys& keys) {
  return std::make_unique<TinkOpening>(transfer, keys);
}

}  // namespace millrace::cli
