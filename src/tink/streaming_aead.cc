#include <array>
#include <optional>

#include "base/check.h"
#include "millrace/tink.h"
#include "segment/segment_file.h"
#include "segment/segment_sink.h"
#include "segment/segment_source.h"
#include "segment/stream_head.h"
#include "tink/key_choice.h"
#include "tink/stream_cipher.h"

namespace millrace::tink {

struct StreamingAead::State {
  std::vector<UsableKey> keys;
  std::size_t primary = 0;
  std::uint32_t offset = 0;

  const UsableKey& primary_key() const { return keys[primary]; }
  // open_at verifies a whole stream and writes its plaintext when there is a place for it.
  Result<StreamInfo> open_at(const ReadAt& in, const WriteAt* out, ByteView associated_data, unsigned threads) const;
};

namespace {

// A new stream: its header, and the cipher that was derived for it.
struct NewStream {
  std::array<std::byte, kMaxHeaderSize> header_bytes;
  std::size_t header_size = 0;
  std::unique_ptr<const TinkCipher> cipher;

  ByteView header() const { return ByteView(header_bytes).first(header_size); }
  SegmentStage stage() const { return SegmentStage(*cipher, Direction::kSeal); }

  static Result<NewStream> create(const UsableKey& key, std::uint32_t offset, ByteView associated_data) {
    NewStream stream;
    stream.header_size = tink::header_size(key.params);
    const ByteSpan header = ByteSpan(stream.header_bytes).first(stream.header_size);
    MR_TRY(make_header(key.params, header));
    MR_TRY(stream.cipher, TinkCipher::create(key.params, key.ikm.reveal(), offset, header, associated_data));
    return stream;
  }
};

// info_of counts the segments of a stream with `plain_size` bytes of plaintext.
StreamInfo info_of(const UsableKey& key, const SegmentCipher& cipher, std::uint64_t plain_size) {
  const Result<std::uint64_t> segments = cipher.layout().segment_count(plain_size);
  return StreamInfo{key.id, key.params, segments ? *segments : 0, plain_size};
}

// The objects handed out own their cipher; each is the engine's driver with that cipher behind it.
class EncryptSource final : public StreamSource {
 public:
  EncryptSource(const UsableKey& key, NewStream stream, Source& in, unsigned threads)
      : key_(key), stream_(std::move(stream)) {
    if (threads > 1) {
      sealed_ = std::make_unique<ParallelSegmentSource>(stream_.stage(), stream_.header(), in, threads);
    } else if (prefers_pieces(stream_.stage(), in.remaining())) {
      sealed_ = std::make_unique<PieceSource>(stream_.stage(), stream_.header(), in);
    } else {
      sealed_ = std::make_unique<SegmentSource>(stream_.stage(), stream_.header(), in);
    }
  }
  Result<ByteView> pull(ByteSpan scratch) override {
    MR_TRY(const ByteView bytes, sealed_->pull(scratch));
    delivered_ += bytes.size();
    return bytes;
  }
  std::optional<std::uint64_t> remaining() const override { return sealed_->remaining(); }
  StreamInfo info() const override {
    const Result<std::uint64_t> plain = stream_.cipher->layout().plain_size(delivered_);
    return info_of(key_, *stream_.cipher, plain ? *plain : 0);
  }

 private:
  const UsableKey& key_;
  NewStream stream_;
  std::unique_ptr<Source> sealed_;
  std::uint64_t delivered_ = 0;
};

class DecryptSource final : public StreamSource {
 public:
  DecryptSource(KeyChoice choice, Source& in, unsigned threads)
      : choice_(std::move(choice)), opened_(choice_, in, threads) {}
  Result<ByteView> pull(ByteSpan scratch) override {
    MR_TRY(const ByteView bytes, opened_.pull(scratch));
    delivered_ += bytes.size();
    return bytes;
  }
  std::optional<std::uint64_t> remaining() const override { return opened_.remaining(); }
  StreamInfo info() const override {
    if (choice_.chosen() == nullptr || opened_.cipher() == nullptr) return {};
    return info_of(*choice_.chosen(), *opened_.cipher(), delivered_);
  }

 private:
  KeyChoice choice_;
  OpenSource opened_;
  std::uint64_t delivered_ = 0;
};

class EncryptSink final : public Sink {
 public:
  EncryptSink(NewStream stream, Sink& out)
      : stream_(std::move(stream)), sealing_(stream_.stage(), stream_.header(), std::nullopt, out) {}
  ByteSpan scratch() override { return sealing_.scratch(); }
  Status write(ByteView bytes) override { return sealing_.write(bytes); }
  Status finish() override { return sealing_.finish(); }

 private:
  NewStream stream_;
  SegmentSink sealing_;
};

class DecryptSink final : public Sink {
 public:
  DecryptSink(KeyChoice choice, Sink& out) : choice_(std::move(choice)), opening_(choice_, out) {}
  ByteSpan scratch() override { return opening_.scratch(); }
  Status write(ByteView bytes) override { return opening_.write(bytes); }
  Status finish() override { return opening_.finish(); }

 private:
  KeyChoice choice_;
  OpenSink opening_;
};

class DecryptReadAt final : public ReadAt {
 public:
  DecryptReadAt(std::unique_ptr<const SegmentCipher> cipher, std::unique_ptr<SegmentReadAt> reader)
      : cipher_(std::move(cipher)), reader_(std::move(reader)) {}
  Status read_at(std::uint64_t offset, ByteSpan dst) const override { return reader_->read_at(offset, dst); }
  std::uint64_t size() const override { return reader_->size(); }

 private:
  std::unique_ptr<const SegmentCipher> cipher_;
  std::unique_ptr<SegmentReadAt> reader_;
};

}  // namespace

Result<StreamInfo> StreamingAead::State::open_at(const ReadAt& in, const WriteAt* out, ByteView associated_data,
                                                 unsigned threads) const {
  KeyChoice choice(keys, offset, associated_data);
  MR_TRY(const std::unique_ptr<const SegmentCipher> cipher, read_head(choice, in));
  MR_TRY(transform_at(SegmentStage(*cipher, Direction::kOpen), {}, in, out, threads));
  MR_TRY(const std::uint64_t plain_size, cipher->layout().plain_size(in.size()));
  return info_of(*choice.chosen(), *cipher, plain_size);
}

StreamingAead::StreamingAead(std::unique_ptr<State> state) : state_(std::move(state)) {}
StreamingAead::StreamingAead(StreamingAead&&) noexcept = default;
StreamingAead& StreamingAead::operator=(StreamingAead&&) noexcept = default;
StreamingAead::~StreamingAead() = default;

Result<StreamingAead> StreamingAead::create(const Keyset& keyset, StreamingOptions options) {
  MR_TRY(const StreamingKeys keys, keyset.streaming_keys());
  auto state = std::make_unique<State>();
  state->primary = keys.primary;
  state->offset = options.first_segment_offset;
  for (const StreamingKey& key : keys.enabled) {
    MR_TRY(layout_of(key.params, options.first_segment_offset));
    state->keys.push_back({key.id, key.params, SecretBytes::copy_of(key.ikm)});
  }
  return StreamingAead(std::move(state));
}

Result<std::unique_ptr<StreamSource>> StreamingAead::encrypt_source(Source& plaintext, ByteView associated_data,
                                                                    unsigned threads) const {
  MR_TRY(NewStream stream, NewStream::create(state_->primary_key(), state_->offset, associated_data));
  return std::unique_ptr<StreamSource>(new EncryptSource(state_->primary_key(), std::move(stream), plaintext, threads));
}

Result<std::unique_ptr<StreamSource>> StreamingAead::decrypt_source(Source& ciphertext, ByteView associated_data,
                                                                    unsigned threads) const {
  return std::unique_ptr<StreamSource>(
      new DecryptSource(KeyChoice(state_->keys, state_->offset, associated_data), ciphertext, threads));
}

Result<std::unique_ptr<Sink>> StreamingAead::encrypt_sink(Sink& ciphertext, ByteView associated_data) const {
  MR_TRY(NewStream stream, NewStream::create(state_->primary_key(), state_->offset, associated_data));
  return std::unique_ptr<Sink>(new EncryptSink(std::move(stream), ciphertext));
}

Result<std::unique_ptr<Sink>> StreamingAead::decrypt_sink(Sink& plaintext, ByteView associated_data) const {
  return std::unique_ptr<Sink>(new DecryptSink(KeyChoice(state_->keys, state_->offset, associated_data), plaintext));
}

Result<StreamInfo> StreamingAead::encrypt_at(const ReadAt& plaintext, const WriteAt& ciphertext,
                                             ByteView associated_data, unsigned threads) const {
  MR_TRY(const NewStream stream, NewStream::create(state_->primary_key(), state_->offset, associated_data));
  MR_TRY(transform_at(stream.stage(), stream.header(), plaintext, &ciphertext, threads));
  return info_of(state_->primary_key(), *stream.cipher, plaintext.size());
}

Result<StreamInfo> StreamingAead::decrypt_at(const ReadAt& ciphertext, const WriteAt& plaintext,
                                             ByteView associated_data, unsigned threads) const {
  return state_->open_at(ciphertext, &plaintext, associated_data, threads);
}

Result<StreamInfo> StreamingAead::verify_at(const ReadAt& ciphertext, ByteView associated_data,
                                            unsigned threads) const {
  return state_->open_at(ciphertext, nullptr, associated_data, threads);
}

Result<std::unique_ptr<ReadAt>> StreamingAead::decrypt_read_at(const ReadAt& ciphertext,
                                                               ByteView associated_data) const {
  KeyChoice choice(state_->keys, state_->offset, associated_data);
  MR_TRY(std::unique_ptr<const SegmentCipher> cipher, read_head(choice, ciphertext));
  MR_TRY(std::unique_ptr<SegmentReadAt> reader, SegmentReadAt::create(*cipher, ciphertext));
  return std::unique_ptr<ReadAt>(new DecryptReadAt(std::move(cipher), std::move(reader)));
}

Result<StreamInfo> StreamingAead::inspect(const ReadAt& ciphertext, ByteView associated_data) const {
  KeyChoice choice(state_->keys, state_->offset, associated_data);
  MR_TRY(const std::unique_ptr<const SegmentCipher> cipher, read_head(choice, ciphertext));
  MR_TRY(const std::unique_ptr<SegmentReadAt> reader, SegmentReadAt::create(*cipher, ciphertext));
  return StreamInfo{choice.chosen()->id, choice.chosen()->params, reader->segment_count(), reader->size()};
}

Result<StreamInfo> stream_shape(const StreamingParams& params, std::uint64_t cipher_size) {
  MR_TRY(const SegmentLayout layout, layout_of(params, 0));
  MR_TRY(const std::uint64_t segments, layout.segment_count_of_stream(cipher_size));
  MR_TRY(const std::uint64_t plain_size, layout.plain_size(cipher_size));
  return StreamInfo{0, params, segments, plain_size};
}

Result<std::uint64_t> StreamingAead::encrypted_size(std::uint64_t plain_size) const {
  MR_TRY(const SegmentLayout layout, layout_of(state_->primary_key().params, state_->offset));
  return layout.cipher_size(plain_size);
}

Result<std::size_t> StreamingAead::encrypt(ByteView plaintext, ByteView associated_data, ByteSpan out) const {
  const auto seal = [&]() -> Result<std::size_t> {
    MR_TRY(const std::uint64_t size, encrypted_size(plaintext.size()));
    MR_CHECK(out.size() >= size);
    MR_TRY(const NewStream stream, NewStream::create(state_->primary_key(), state_->offset, associated_data));
    MemorySource source(plaintext);
    SegmentSource sealed(stream.stage(), stream.header(), source);
    return read_full(sealed, out.first(static_cast<std::size_t>(size)));
  };
  const Result<std::size_t> written = seal();
  if (!written) secure_zero(out);
  return written;
}

std::size_t StreamingAead::max_decrypted_size(std::size_t cipher_size) {
  constexpr std::size_t kSmallestTag = 10;
  return cipher_size < kMinHeaderSize + kSmallestTag ? 0 : cipher_size - kMinHeaderSize - kSmallestTag;
}

Result<std::size_t> StreamingAead::decrypt(ByteView ciphertext, ByteView associated_data, ByteSpan out) const {
  MR_CHECK(out.size() >= max_decrypted_size(ciphertext.size()));
  KeyChoice choice(state_->keys, state_->offset, associated_data);
  MemorySource source(ciphertext);
  OpenSource opened(choice, source, 1);
  Result<std::size_t> written = read_full(opened, out);
  // A full `out` does not yet mean that the end was reached.
  std::byte beyond[1];
  if (written && *written == out.size()) {
    const Result<ByteView> more = opened.pull(beyond);
    MR_CHECK(!more || more->empty());
    if (!more) written = more.error();
  }
  if (!written) secure_zero(out);
  return written;
}

}  // namespace millrace::tink
