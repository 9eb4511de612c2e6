#include "millrace/digest.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/copy.h"
#include "millrace/base64.h"
#include "millrace/checksum.h"

namespace millrace {
namespace {

nlohmann::json vectors(const char* name) {
  std::ifstream file(std::string(MILLRACE_TEST_VECTORS "/checksum/") + name);
  return nlohmann::json::parse(file);
}

std::string hex(ByteView bytes) {
  std::string out;
  for (const std::byte b : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    out += kDigits[static_cast<std::size_t>(b) >> 4];
    out += kDigits[static_cast<std::size_t>(b) & 15];
  }
  return out;
}

std::string finished(Digest& digest) {
  std::byte out[kMaxDigestSize];
  const auto bytes = digest.finish(out);
  return bytes ? hex(*bytes) : "failed";
}

Digest make(DigestAlgorithm algorithm) {
  auto digest = Digest::create(algorithm);
  if (!digest) std::abort();
  return *std::move(digest);
}

std::vector<Digest> make_all() {
  std::vector<Digest> out;
  for (const DigestAlgorithm algorithm : digest_algorithms()) out.push_back(make(algorithm));
  return out;
}

// message builds the input that a case describes.
std::string message(const nlohmann::json& test) {
  const std::string kind = test.at("input_kind");
  const std::string input = test.at("input");
  const std::size_t length = test.at("length");
  std::string out;
  if (kind == "utf8") out = input;
  if (kind == "repeat") out.assign(length, static_cast<char>(std::stoi(input.substr(0, 2), nullptr, 16)));
  if (kind == "range") {
    while (out.size() < length) out += static_cast<char>(out.size() % 256);
  }
  EXPECT_EQ(out.size(), length);
  return out;
}

// Trap R08 and all other values in the form of S3.
TEST(Digest, EveryVectorInOneCallAndInPieces) {
  const auto file = vectors("checksums.json");
  std::size_t checked = 0;
  for (const auto& test : file.at("cases")) {
    const std::string text = message(test);
    for (const auto& [name, digest_values] : test.at("digests").items()) {
      const auto algorithm = parse_digest_name(name);
      ASSERT_TRUE(algorithm) << name;
      EXPECT_EQ(digest_name(*algorithm), name);
      Digest digest = make(*algorithm);
      EXPECT_EQ(digest.algorithm(), *algorithm);
      const std::string want = digest_values.at("hex");
      EXPECT_EQ(want.size(), 2 * digest.size());
      digest.update(as_bytes(text));
      std::byte out[kMaxDigestSize];
      const auto bytes = digest.finish(out);
      ASSERT_TRUE(bytes);
      EXPECT_EQ(hex(*bytes), want) << name << " of " << test.at("name");
      EXPECT_EQ(base64_encode(*bytes), digest_values.at("base64")) << name << " of " << test.at("name");
      for (const std::size_t step : {std::size_t{1}, std::size_t{17}, std::size_t{4096}}) {  // finish() began anew
        if (text.size() > 100000 * step) continue;
        for (std::size_t i = 0; i < text.size(); i += step)
          digest.update(as_bytes(text).subspan(i, std::min(step, text.size() - i)));
        EXPECT_EQ(finished(digest), want) << name << " of " << test.at("name") << " by " << step;
      }
      ++checked;
    }
  }
  EXPECT_EQ(checked, 100u);
}

TEST(Digest, ResetForgets) {
  for (Digest& digest : make_all()) {
    const std::string empty = finished(digest);
    digest.update(as_bytes("something"));
    digest.reset();
    EXPECT_EQ(finished(digest), empty) << digest_name(digest.algorithm());
    digest.update({});
    EXPECT_EQ(finished(digest), empty);
    digest.update(as_bytes("something"));
    EXPECT_NE(finished(digest), empty);
  }
}

TEST(Digest, NamesAndSizes) {
  const struct {
    std::string_view name;
    DigestAlgorithm algorithm;
    std::size_t size;
  } known[] = {{"crc32", DigestAlgorithm::kCrc32, 4},
               {"crc32c", DigestAlgorithm::kCrc32c, 4},
               {"crc64nvme", DigestAlgorithm::kCrc64Nvme, 8},
               {"sha1", DigestAlgorithm::kSha1, 20},
               {"sha256", DigestAlgorithm::kSha256, 32},
               {"sha512", DigestAlgorithm::kSha512, 64},
               {"md5", DigestAlgorithm::kMd5, 16},
               {"xxhash3", DigestAlgorithm::kXxh3, 8},
               {"xxh3", DigestAlgorithm::kXxh3, 8},
               {"xxhash64", DigestAlgorithm::kXxh64, 8},
               {"xxh64", DigestAlgorithm::kXxh64, 8},
               {"xxhash128", DigestAlgorithm::kXxh128, 16},
               {"xxh128", DigestAlgorithm::kXxh128, 16},
               {"CRC64NVME", DigestAlgorithm::kCrc64Nvme, 8},
               {"SHA256", DigestAlgorithm::kSha256, 32}};
  for (const auto& entry : known) {
    EXPECT_EQ(parse_digest_name(entry.name), entry.algorithm) << entry.name;
    EXPECT_EQ(digest_size(entry.algorithm), entry.size) << entry.name;
  }
  for (const std::string_view unknown : {"", " ", "crc", "crc32 ", "crc64", "sha-256", "sha25", "sha2566", "xxh"}) {
    EXPECT_EQ(parse_digest_name(unknown), std::nullopt) << unknown;
  }
  EXPECT_EQ(digest_algorithms().size(), 10u);
  for (const DigestAlgorithm algorithm : digest_algorithms()) {
    EXPECT_EQ(parse_digest_name(digest_name(algorithm)), algorithm);
    EXPECT_LE(digest_size(algorithm), kMaxDigestSize);
  }
}

template <class Crc>
void check_combine(const nlohmann::json& values, std::uint64_t length) {
  const auto number = [&](const char* key) {
    return Crc(static_cast<typename Crc::Value>(std::stoull(values.at(key).get<std::string>(), nullptr, 16)));
  };
  EXPECT_EQ(number("a").combine(number("b"), length), number("ab"));
}

std::vector<std::byte> generated(std::uint32_t seed, std::size_t n) {
  std::vector<std::byte> out(n);
  std::uint32_t x = seed;
  for (std::byte& b : out) {
    x = (x * 1103515245 + 12345) & 0x7fffffff;
    b = static_cast<std::byte>(x >> 16);
  }
  return out;
}

TEST(Digest, EveryVectorOfCombine) {
  const auto file = vectors("crc-combine.json");
  ASSERT_EQ(file.at("cases").size(), 11u);
  for (const auto& test : file.at("cases")) {
    const auto a = generated(test.at("lcg_seed_a"), test.at("len_a"));
    const auto b = generated(test.at("lcg_seed_b"), test.at("len_b"));
    check_combine<Crc32>(test.at("crc32"), b.size());
    check_combine<Crc32c>(test.at("crc32c"), b.size());
    check_combine<Crc64Nvme>(test.at("crc64nvme"), b.size());
    for (const DigestAlgorithm algorithm : digest_algorithms()) {
      if (!digest_combines(algorithm)) continue;
      Digest digest = make(algorithm);
      std::byte first[8];
      std::byte second[8];
      const ByteSpan of_a(first, digest.size());
      const ByteSpan of_b(second, digest.size());
      digest.update(a);
      ASSERT_TRUE(digest.finish(of_a));
      digest.update(b);
      ASSERT_TRUE(digest.finish(of_b));
      const auto& values = test.at(std::string(digest_name(algorithm)));
      EXPECT_EQ(hex(of_a), values.at("a"));
      EXPECT_EQ(hex(of_b), values.at("b"));
      ASSERT_TRUE(combine_digests(algorithm, of_a, of_b, b.size()));
      EXPECT_EQ(hex(of_a), values.at("ab"));
    }
  }
}

TEST(Digest, WhatDoesNotCombineIsRefused) {
  std::byte a[64] = {};
  const std::byte b[64] = {};
  std::size_t combining = 0;
  for (const DigestAlgorithm algorithm : digest_algorithms()) {
    const std::size_t size = digest_size(algorithm);
    const auto status = combine_digests(algorithm, ByteSpan(a, size), ByteView(b, size), 1);
    EXPECT_EQ(status.has_value(), digest_combines(algorithm)) << digest_name(algorithm);
    if (status) ++combining;
    for (const std::size_t wrong : {size - 1, std::size_t{0}}) {
      EXPECT_EQ(combine_digests(algorithm, ByteSpan(a, wrong), ByteView(b, size), 1).error().code,
                ErrorCode::kInvalidArgument);
      EXPECT_EQ(combine_digests(algorithm, ByteSpan(a, size), ByteView(b, wrong), 1).error().code,
                ErrorCode::kInvalidArgument);
    }
  }
  EXPECT_EQ(combining, 3u);
}

// ErraticSource fills or lends, in turn, and fails after its bytes if it is told to.
class ErraticSource final : public Source {
 public:
  ErraticSource(ByteView bytes, bool fails) : left_(bytes), fails_(fails) {}
  Result<ByteView> pull(ByteSpan scratch) override {
    if (left_.empty() && fails_) return Error{ErrorCode::kIo, "erratic"};
    const ByteView out =
        left_.first(std::min({left_.size(), scratch.size(), std::size_t{1} + (turn_ * 7919) % 150000}));
    left_ = left_.subspan(out.size());
    if (turn_++ % 2 == 0) return out;
    std::copy(out.begin(), out.end(), scratch.begin());
    return ByteView(scratch.first(out.size()));
  }
  std::optional<std::uint64_t> remaining() const override { return left_.size(); }

 private:
  ByteView left_;
  bool fails_;
  std::size_t turn_ = 0;
};

class FailingSink final : public Sink {
 public:
  ByteSpan scratch() override { return scratch_; }
  Status write(ByteView) override { return Error{ErrorCode::kIo, "full"}; }
  Status finish() override { return Error{ErrorCode::kIo, "full"}; }

 private:
  std::byte scratch_[16];
};

TEST(DigestStream, SeveralDigestsOfOnePassThroughSourceAndSink) {
  const auto bytes = generated(5, 1'000'003);
  for (const std::size_t step : {std::size_t{1000}, std::size_t{65536}, std::size_t{1} << 20}) {
    ErraticSource inner(bytes, false);
    auto on_source = make_all();
    DigestSource source(inner, on_source);
    EXPECT_EQ(source.remaining(), bytes.size());
    MemorySink memory(bytes.size());
    auto on_sink = make_all();
    DigestSink sink(memory, on_sink);
    std::vector<std::byte> scratch(step);
    for (;;) {
      const auto got = source.pull(scratch);
      ASSERT_TRUE(got);
      if (got->empty()) break;
      ASSERT_TRUE(sink.write(*got));
    }
    EXPECT_EQ(source.remaining(), 0u);
    ASSERT_TRUE(sink.finish());
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), memory.bytes().begin(), memory.bytes().end()));
    auto in_one_call = make_all();
    for (std::size_t i = 0; i < in_one_call.size(); ++i) {
      in_one_call[i].update(bytes);
      const std::string want = finished(in_one_call[i]);
      EXPECT_EQ(finished(on_source[i]), want) << digest_name(in_one_call[i].algorithm());
      EXPECT_EQ(finished(on_sink[i]), want) << digest_name(in_one_call[i].algorithm());
    }
  }
}

TEST(DigestStream, NoByteIsCopied) {
  const auto bytes = generated(6, 300'000);
  Digest one = make(DigestAlgorithm::kCrc32);
  Digest other = make(DigestAlgorithm::kCrc32);
  MemorySource memory(bytes);
  DigestSource source(memory, one);
  NullSink null;
  DigestSink sink(null, other);
  const std::uint64_t before = copied_bytes.load();
  const auto moved = pump(source, sink);
  ASSERT_TRUE(moved);
  EXPECT_EQ(*moved, bytes.size());
  EXPECT_EQ(copied_bytes.load(), before);
  EXPECT_EQ(sink.scratch().data(), null.scratch().data());
  EXPECT_EQ(finished(one), hex(Crc32::of(bytes).to_big_endian()));
  EXPECT_EQ(finished(other), hex(Crc32::of(bytes).to_big_endian()));
}

TEST(DigestStream, ErrorsPassThrough) {
  const auto bytes = generated(7, 10);
  Digest digest = make(DigestAlgorithm::kSha256);
  ErraticSource inner(bytes, true);
  DigestSource source(inner, digest);
  std::byte scratch[64];
  for (int i = 0; i < 100; ++i) {
    if (const auto got = source.pull(scratch); !got) {
      EXPECT_EQ(got.error().where, "erratic");
      FailingSink full;
      DigestSink sink(full, digest);
      EXPECT_EQ(sink.write(bytes).error().where, "full");
      EXPECT_EQ(sink.finish().error().where, "full");
      return;
    }
  }
  FAIL() << "the source's error did not arrive";
}

}  // namespace
}  // namespace millrace
