// Traps that other implementations fell into, each through the public interface.
#include <gtest/gtest.h>

#include <thread>

#include "testing/segment_cases.h"
#include "testing/segment_drivers.h"
#include "testing/tink_streams.h"

namespace millrace::tink {
namespace {

using namespace millrace::testing;

const TestKey kGcm{7, gcm_params(16, 64), noise_bytes(16, 11)};
const TestKey kCtr{8, ctr_params(32, 100), noise_bytes(40, 12)};
const Bytes kData = to_bytes(as_bytes("associated"));

Bytes encrypt(const StreamingAead& aead, const Bytes& plain, ByteView data = kData) {
  Bytes out(static_cast<std::size_t>(*aead.encrypted_size(plain.size())));
  EXPECT_EQ(*aead.encrypt(plain, data, out), out.size());
  return out;
}

// Every way to decrypt. `released` is what a stream gave out before its verdict; others give nothing or all.
struct Decrypted {
  std::string way;
  std::optional<Error> error;
  Bytes released;
};

std::vector<Decrypted> decrypt_every_way(const StreamingAead& aead, ByteView stream, ByteView data = kData) {
  std::vector<Decrypted> all;
  for (const unsigned threads : {1u, 2u}) {
    for (const bool knows : {false, true}) {
      TestSource in(stream, {knows, knows ? kUnlimited : 1, knows, {}});
      const Outcome outcome = drain(**aead.decrypt_source(in, data, threads), 1000);
      EXPECT_TRUE(outcome.sticky);
      all.push_back({"source", outcome.error, outcome.bytes});
    }
  }
  TestSink sink;
  const Outcome pushed = push(**aead.decrypt_sink(sink, data), stream, 17, false);
  EXPECT_TRUE(pushed.sticky);
  all.push_back({"sink", pushed.error, sink.bytes()});

  Bytes plain(StreamingAead::max_decrypted_size(stream.size()), std::byte{0xcc});
  const Result<std::size_t> size = aead.decrypt(stream, data, plain);
  if (size) {
    plain.resize(*size);
    all.push_back({"one-shot", {}, plain});
  } else {
    EXPECT_TRUE(is_zero(plain));
    all.push_back({"one-shot", size.error(), {}});
  }

  const MemoryReadAt at(stream);
  const Result<StreamInfo> verified = aead.verify_at(at, data, 2);
  const TestWriteAt out(stream.size());
  const Result<StreamInfo> written = aead.decrypt_at(at, out, data, 2);
  EXPECT_EQ(written.has_value(), verified.has_value());
  if (written) {
    all.push_back(
        {"decrypt_at", {}, to_bytes(ByteView(out.bytes()).first(static_cast<std::size_t>(written->plain_size)))});
  } else {
    all.push_back({"decrypt_at", written.error(), {}});
    EXPECT_TRUE(same(written.error(), verified.error()));
  }
  const auto reader = aead.decrypt_read_at(at, data);
  Status read = Ok{};
  Bytes range(reader ? static_cast<std::size_t>((*reader)->size()) : 0);
  if (reader) read = (*reader)->read_at(0, range);
  if (reader && read) {
    all.push_back({"read_at", {}, range});
  } else {
    EXPECT_TRUE(is_zero(range));
    all.push_back({"read_at", reader ? read.error() : reader.error(), {}});
  }
  return all;
}

void expect_refused(const StreamingAead& aead, ByteView stream, const Bytes& plain, const std::string& what,
                    ByteView data = kData) {
  for (const Decrypted& d : decrypt_every_way(aead, stream, data)) {
    ASSERT_TRUE(d.error) << what << " " << d.way;
    ASSERT_TRUE(d.error->code == ErrorCode::kNotAuthentic || d.error->code == ErrorCode::kMalformed) << what << d.way;
    ASSERT_TRUE(is_prefix(d.released, plain) && d.released.size() < std::max<std::size_t>(1, plain.size())) << what;
  }
}

void expect_decrypts(const StreamingAead& aead, ByteView stream, const Bytes& plain, ByteView data = kData) {
  for (const Decrypted& d : decrypt_every_way(aead, stream, data)) {
    ASSERT_FALSE(d.error) << d.way << " " << describe(*d.error);
    ASSERT_EQ(d.released, plain) << d.way;
  }
}

TEST(TinkStream, s01_CutAtAnyLength) {
  for (const TestKey& key : {kGcm, kCtr}) {
    const StreamingAead aead = make_aead(key);
    const Bytes plain = counter_bytes(150);
    const Bytes stream = encrypt(aead, plain);
    expect_decrypts(aead, stream, plain);
    for (std::size_t size = 0; size < stream.size(); ++size) {
      expect_refused(aead, slice(stream, 0, size), plain, "cut to " + std::to_string(size));
    }
  }
}

TEST(TinkStream, s01_EveryBitOfASmallStream) {
  for (const TestKey& key : {kGcm, kCtr}) {
    const StreamingAead aead = make_aead(key);
    const Bytes plain = counter_bytes(60);
    Bytes stream = encrypt(aead, plain);
    for (std::size_t bit = 0; bit < 8 * stream.size(); ++bit) {
      stream[bit / 8] ^= std::byte{1} << (bit % 8);
      expect_refused(aead, stream, plain, "bit " + std::to_string(bit));
      stream[bit / 8] ^= std::byte{1} << (bit % 8);
    }
  }
}

TEST(TinkStream, s02_BytesBehindAFullFinalSegment) {
  for (const TestKey& key : {kGcm, kCtr}) {
    const StreamingAead aead = make_aead(key);
    const SegmentLayout layout = *layout_of(key.params, 0);
    for (const std::size_t segments : {std::size_t{1}, std::size_t{3}}) {
      const Bytes plain = counter_bytes(layout.plain_capacity(0) + (segments - 1) * layout.plain_capacity(1));
      Bytes stream = encrypt(aead, plain);
      ASSERT_EQ(stream.size(), segments * layout.segment_size());
      for (int extra = 0; extra < 150; ++extra) {
        stream.push_back(std::byte{0x5a});
        expect_refused(aead, stream, plain, "extra " + std::to_string(extra));
      }
    }
  }
}

TEST(TinkStream, s03_AttackListInBothConstructions) {
  for (const TestKey& key : {kGcm, kCtr}) {
    const StreamingAead aead = make_aead(key);
    const SegmentLayout layout = *layout_of(key.params, 0);
    for (const std::size_t size : {layout.plain_capacity(0) + 3 * layout.plain_capacity(1), std::size_t{190}}) {
      const Bytes plain = noise_bytes(size);
      const Bytes stream = encrypt(aead, plain);
      const Bytes header = to_bytes(ByteView(stream).first(layout.header_size()));
      const SegmentFormat format = tink_format(key, 0, header, kData);
      ASSERT_EQ(seal_by_loop(format, plain), stream);
      for (const Attack& attack : attacks(format, stream)) expect_refused(aead, attack.stream, plain, attack.name);
    }
  }
}

TEST(TinkStream, s03_OtherAssociatedDataOrKey) {
  for (const TestKey& key : {kGcm, kCtr}) {
    const StreamingAead aead = make_aead(key);
    const Bytes plain = counter_bytes(200);
    const Bytes stream = encrypt(aead, plain);
    for (const char* data : {"", "a", "associateD", "associated ", "associate"}) {
      for (const Decrypted& d : decrypt_every_way(aead, stream, as_bytes(data))) {
        ASSERT_TRUE(d.error);
        ASSERT_EQ(d.error->code, ErrorCode::kNotAuthentic);
        ASSERT_EQ(d.error->where, kFirstSegmentRefused) << d.way;
        ASSERT_TRUE(d.released.empty());
      }
    }
    TestKey other = key;
    other.ikm[3] ^= std::byte{1};
    expect_refused(make_aead(other), stream, plain, "other key");
    // The same bytes under the other construction.
    TestKey crossed = key;
    crossed.params = key.params.construction == Construction::kAesGcmHkdf
                         ? ctr_params(key.params.derived_key_size, key.params.ciphertext_segment_size)
                         : gcm_params(key.params.derived_key_size, key.params.ciphertext_segment_size);
    expect_refused(make_aead(crossed), stream, plain, "other construction");
    expect_decrypts(aead, encrypt(aead, plain, {}), plain, {});
  }
}

TEST(TinkStream, s04_Lengths) {
  const auto size = [](const char* name, std::size_t plain) {
    const Keyset keyset = *Keyset::generate(*find_template(name));
    const StreamingAead aead = *StreamingAead::create(keyset);
    const Bytes stream = encrypt(aead, counter_bytes(plain));
    EXPECT_EQ(stream.size(), *aead.encrypted_size(plain));
    expect_decrypts(aead, stream, counter_bytes(plain));
    return stream.size();
  };
  EXPECT_EQ(size("AES128_GCM_HKDF_4KB", 0), 40u);
  EXPECT_EQ(size("AES128_GCM_HKDF_4KB", 4056), 4096u);
  EXPECT_EQ(size("AES128_GCM_HKDF_4KB", 8136), 8192u);
  EXPECT_EQ(size("AES256_GCM_HKDF_4KB", 0), 56u);
  EXPECT_EQ(size("AES256_GCM_HKDF_4KB", 4040), 4096u);
  EXPECT_EQ(size("AES256_GCM_HKDF_4KB", 8120), 8192u);
  EXPECT_EQ(size("AES256_CTR_HMAC_SHA256_4KB", 0), 72u);
  EXPECT_EQ(size("AES256_CTR_HMAC_SHA256_4KB", 4024), 4096u);
}

TEST(TinkStream, s05_EmptyPlaintextEndsAtOnce) {
  for (const TestKey& key : {kGcm, kCtr}) {
    const StreamingAead aead = make_aead(key);
    const Bytes stream = encrypt(aead, {});
    EXPECT_EQ(stream.size(), header_size(key.params) + layout_of(key.params, 0)->overhead());
    expect_decrypts(aead, stream, {});
    const MemoryReadAt at(stream);
    const auto reader = *aead.decrypt_read_at(at, kData);
    EXPECT_EQ(reader->size(), 0u);
    EXPECT_TRUE(reader->read_at(0, {}));
    Bytes one(1);
    EXPECT_EQ(reader->read_at(0, one).error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(reader->read_at(1, {}).error().code, ErrorCode::kInvalidArgument);
  }
}

// Lends the same zeros again and again: 2 GiB without 2 GiB of memory.
class ZeroSource final : public Source {
 public:
  explicit ZeroSource(std::uint64_t size) : left_(size), zeros_(std::size_t{1} << 20) {}
  Result<ByteView> pull(ByteSpan scratch) override {
    const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>({scratch.size(), zeros_.size(), left_}));
    left_ -= n;
    return ByteView(zeros_).first(n);
  }
  std::optional<std::uint64_t> remaining() const override { return left_; }

 private:
  std::uint64_t left_;
  Bytes zeros_;
};

TEST(TinkStream, s06_TotalsAbove2GiB) {
  const Keyset keyset = *Keyset::generate(*find_template("AES128_GCM_HKDF_1MB"));
  const StreamingAead aead = *StreamingAead::create(keyset);
  constexpr std::uint64_t kSize = (std::uint64_t{1} << 31) + 12345;
  ZeroSource zeros(kSize);
  const auto sealed = *aead.encrypt_source(zeros, kData);
  const std::uint64_t expected = *aead.encrypted_size(kSize);
  EXPECT_EQ(sealed->remaining(), expected);
  NullSink sink;
  EXPECT_EQ(*pump(*sealed, sink), expected);
  EXPECT_EQ(sink.count(), expected);
  EXPECT_EQ(sealed->remaining(), 0u);
  EXPECT_EQ(sealed->info().plain_size, kSize);
  EXPECT_EQ(sealed->info().segments, 2049u);
}

TEST(TinkStream, s07_ParametersAreCheckedWhenTheKeyIsLoaded) {
  const auto loads = [](const StreamingParams& params, std::size_t ikm = 32, std::uint32_t offset = 0) {
    const Result<Keyset> keyset = Keyset::parse_binary(binary_keyset({{1, params, noise_bytes(ikm)}}, 1));
    return keyset && StreamingAead::create(*keyset, {offset});
  };
  EXPECT_FALSE(loads(gcm_params(16, 40)));
  EXPECT_TRUE(loads(gcm_params(16, 41)));
  EXPECT_FALSE(loads(gcm_params(32, 56)));
  EXPECT_TRUE(loads(gcm_params(32, 57)));
  EXPECT_FALSE(loads(ctr_params(16, 34, 10)));
  EXPECT_TRUE(loads(ctr_params(16, 35, 10)));
  EXPECT_FALSE(loads(ctr_params(16, 4096, 9)));
  EXPECT_FALSE(loads(ctr_params(16, 4096, 33)));
  EXPECT_TRUE(loads(gcm_params(16, 0x7fffffff)));
  EXPECT_FALSE(loads(gcm_params(16, 0x80000000)));
  EXPECT_FALSE(loads(gcm_params(24, 4096)));
  EXPECT_FALSE(loads(gcm_params(32, 4096), 31));
  EXPECT_TRUE(loads(gcm_params(16, 4096), 16));
  EXPECT_TRUE(loads(gcm_params(16, 64), 16, 23));
  EXPECT_FALSE(loads(gcm_params(16, 64), 16, 24));
  EXPECT_FALSE(loads(gcm_params(16, 64), 16, 0xffffffff));
  // A legal segment of 2 GiB costs nothing until it is filled.
  const StreamingAead aead = make_aead({1, gcm_params(16, 0x7fffffff), noise_bytes(16)});
  expect_decrypts(aead, encrypt(aead, counter_bytes(1000)), counter_bytes(1000));
}

TEST(TinkStream, s09_LengthIsProvedByTheLastSegment) {
  const StreamingAead aead = make_aead(kGcm);
  const Bytes plain = counter_bytes(300);
  Bytes stream = encrypt(aead, plain);
  const MemoryReadAt whole(stream);
  EXPECT_EQ(aead.inspect(whole, kData)->plain_size, 300u);
  const MemoryReadAt cut(slice(stream, 0, 128));  // two whole segments
  EXPECT_EQ(aead.inspect(cut, kData).error().code, ErrorCode::kNotAuthentic);
  EXPECT_FALSE(aead.decrypt_read_at(cut, kData));
  stream.back() ^= std::byte{1};
  const Result<StreamInfo> changed = aead.inspect(whole, kData);
  ASSERT_FALSE(changed);
  EXPECT_GT(changed.error().offset, 0u);  // the last segment is at fault, not the key
}

TEST(TinkStream, s10_ManyThreadsUseOneObject) {
  for (const TestKey& key : {kGcm, kCtr}) {
    const StreamingAead aead = make_aead(key);
    const Bytes plain = noise_bytes(5000);
    const Bytes stream = encrypt(aead, plain);
    const MemoryReadAt at(stream);
    const auto reader = *aead.decrypt_read_at(at, kData);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = 0; i < 100; ++i) {
          const std::size_t start = (i * 997 + t * 613) % plain.size();
          Bytes dst(std::min<std::size_t>(300, plain.size() - start));
          if (!reader->read_at(start, dst) || !equal(dst, slice(plain, start, dst.size()))) ++wrong;
        }
        Bytes out(StreamingAead::max_decrypted_size(stream.size()));
        const Bytes own(static_cast<std::size_t>(*aead.encrypted_size(plain.size())));
        const Result<std::size_t> n = aead.decrypt(stream, kData, out);
        if (!n || *n != plain.size() || !is_prefix(plain, out)) ++wrong;
        Bytes sealed(own.size());
        if (!aead.encrypt(plain, kData, sealed)) ++wrong;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
  }
}

// s11 and s12: whatever the reads and writes, the bytes are the same, and a short last read leaves nothing behind.
TEST(TinkStream, s11_s12_ReadsOfAnySizeThroughBothDirections) {
  for (const TestKey& key : {kGcm, kCtr}) {
    const StreamingAead aead = make_aead(key);
    for (const std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{131}, std::size_t{1003}}) {
      const Bytes plain = noise_bytes(size);
      for (const std::size_t step : {std::size_t{1}, std::size_t{2}, std::size_t{63}, std::size_t{64}, kUnlimited}) {
        for (const unsigned threads : {1u, 3u}) {
          for (const bool knows : {false, true}) {
            TestSource in(plain, {false, step, knows, {}});
            const auto encrypting = *aead.encrypt_source(in, kData, threads);
            EXPECT_EQ(encrypting->remaining().has_value(), knows);
            const Outcome sealed = drain(*encrypting, 50);
            ASSERT_TRUE(!sealed.error && sealed.sticky);
            ASSERT_EQ(sealed.bytes.size(), *aead.encrypted_size(size));
            EXPECT_EQ(encrypting->info().plain_size, size);
            TestSource back(sealed.bytes, {false, step, knows, {}});
            const auto decrypting = *aead.decrypt_source(back, kData, threads);
            const Outcome opened = drain(*decrypting, 50);
            ASSERT_TRUE(!opened.error && opened.sticky);
            ASSERT_EQ(opened.bytes, plain);
            EXPECT_EQ(decrypting->info().plain_size, size);
            EXPECT_EQ(decrypting->info().key_id, key.id);
            EXPECT_EQ(decrypting->info().segments, encrypting->info().segments);
          }
        }
      }
    }
  }
}

TEST(TinkStream, s13_ExaminedBytesArePutBack) {
  const StreamingAead aead = make_aead(kGcm);
  const Bytes plain = noise_bytes(500);
  const Bytes stream = encrypt(aead, plain);
  for (const std::size_t examined : {std::size_t{0}, std::size_t{1}, std::size_t{24}, std::size_t{100}}) {
    TestSource pipe(stream, {});
    Bytes first(examined);
    ASSERT_EQ(*read_full(pipe, first), examined);
    PrependSource again(first, pipe);
    const Outcome opened = drain(**aead.decrypt_source(again, kData), 1000);
    EXPECT_FALSE(opened.error);
    EXPECT_EQ(opened.bytes, plain);
  }
}

TEST(TinkStream, s14_FinishTwiceWriteAfterFinishDropWithoutFinish) {
  for (const TestKey& key : {kGcm, kCtr}) {
    const StreamingAead aead = make_aead(key);
    const Bytes plain = noise_bytes(500);
    TestSink whole;
    const Outcome sealed = push(**aead.encrypt_sink(whole, kData), plain, 33, false);  // which tries both
    EXPECT_FALSE(sealed.error);
    EXPECT_TRUE(sealed.sticky);
    expect_decrypts(aead, whole.bytes(), plain);

    for (std::size_t size = 0; size <= plain.size(); ++size) {
      TestSink dropped;
      ASSERT_TRUE((*aead.encrypt_sink(dropped, kData))->write(slice(plain, 0, size)));
      EXPECT_EQ(dropped.finishes(), 0u);
      Bytes out(StreamingAead::max_decrypted_size(dropped.bytes().size()));
      EXPECT_FALSE(aead.decrypt(dropped.bytes(), kData, out));
    }
  }
}

TEST(TinkStream, OneShotIntoLargerBuffers) {
  const StreamingAead aead = make_aead(kCtr);
  const Bytes plain = counter_bytes(333);
  Bytes out(static_cast<std::size_t>(*aead.encrypted_size(333)) + 50, std::byte{0xcc});
  const std::size_t size = *aead.encrypt(plain, kData, out);
  EXPECT_EQ(size, *aead.encrypted_size(333));
  Bytes back(2000, std::byte{0xcc});
  EXPECT_EQ(*aead.decrypt(ByteView(out).first(size), kData, back), 333u);
  EXPECT_TRUE(is_prefix(plain, back));
  out[size - 1] ^= std::byte{1};
  EXPECT_FALSE(aead.decrypt(ByteView(out).first(size), kData, back));
  EXPECT_TRUE(is_zero(back));
}

TEST(TinkStream, EveryStreamHasItsOwnHeader) {
  const StreamingAead aead = make_aead(kGcm);
  const Bytes first = encrypt(aead, counter_bytes(10));
  const Bytes second = encrypt(aead, counter_bytes(10));
  EXPECT_FALSE(equal(slice(first, 1, 16), slice(second, 1, 16)));    // salt
  EXPECT_FALSE(equal(slice(first, 17, 7), slice(second, 17, 7)));    // nonce prefix
  EXPECT_FALSE(equal(slice(first, 24, 26), slice(second, 24, 26)));  // and so everything
}

}  // namespace
}  // namespace millrace::tink
