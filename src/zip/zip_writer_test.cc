// ZipWriter: the bytes of ArchiveBuilder around the bytes that pass, nothing copied, nothing completed after a failure.
#include "zip/zip_writer.h"

#include <gtest/gtest.h>

#include "base/copy.h"
#include "testing/streams.h"
#include "testing/zip.h"

namespace millrace::zip {
namespace {

using namespace millrace::testing;

// What the archive of these two entries is, by the builder alone.
Bytes expected(std::optional<std::uint64_t> size, ByteView payload) {
  ArchiveBuilder builder;
  Bytes zip = *builder.begin("0.payload", size);
  append(zip, payload);
  append(zip, *builder.end(payload.size(), Crc32::of(payload).value()));
  append(zip, *builder.add("0.manifest.json", as_bytes(kDigits)));
  append(zip, as_bytes(kDigits));
  append(zip, *builder.finish());
  return zip;
}

TEST(ZipWriter, WritesTheArchiveOfTheBuilderInPiecesOfAnySize_zip_z08_zip_z09) {
  const Bytes payload = noise_bytes(1000);
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
    for (const std::optional<std::uint64_t> size : {std::optional<std::uint64_t>{}, {1000}}) {
      TestSink out;
      ZipWriter zip(out);
      ASSERT_TRUE(zip.begin("0.payload", size));
      for (std::size_t at = 0; at < payload.size(); at += step) {
        ASSERT_TRUE(zip.write(ByteView(payload).subspan(at, std::min(step, payload.size() - at))));
      }
      ASSERT_TRUE(zip.end());
      ASSERT_TRUE(zip.add("0.manifest.json", as_bytes(kDigits)));
      ASSERT_TRUE(zip.finish());
      EXPECT_EQ(out.bytes(), expected(size, payload));
      EXPECT_EQ(zip.count(), out.bytes().size());
      EXPECT_EQ(out.finishes(), 0u) << "the sink stays open";
    }
  }
}

TEST(ZipWriter, StartsEachEntryWithANewCrc) {
  MemorySink out;
  ZipWriter zip(out);
  for (const char* name : {"a", "b"}) {
    ASSERT_TRUE(zip.begin(name, kDigits.size()));
    ASSERT_TRUE(zip.write(as_bytes(kDigits)));
    ASSERT_TRUE(zip.end());
  }
  ASSERT_TRUE(zip.begin("empty"));
  ASSERT_TRUE(zip.end());
  ASSERT_TRUE(zip.finish());
  const std::size_t entry = 31 + 9 + 16;
  EXPECT_EQ(number_at(out.bytes(), 31 + 9 + 4, 4), kDigitsCrc);
  EXPECT_EQ(number_at(out.bytes(), entry + 31 + 9 + 4, 4), kDigitsCrc);
  EXPECT_EQ(number_at(out.bytes(), 2 * entry + 30 + 5 + 20 + 4, 4), 0u) << "the CRC of nothing";
}

TEST(ZipWriter, LendsTheScratchOfItsSinkSoThatNothingIsCopied) {
  const Bytes payload = noise_bytes(100'000);
  MemorySink out(200'000);
  ZipWriter zip(out);
  ASSERT_TRUE(zip.begin("a"));
  TestSource in(payload, {.step = 5000});
  const std::uint64_t before = copied_bytes;
  EXPECT_EQ(*pump(in, zip), payload.size());
  EXPECT_EQ(copied_bytes, before);
  ASSERT_TRUE(zip.end());
  ASSERT_TRUE(zip.finish());
  EXPECT_TRUE(equal(out.bytes().subspan(30 + 1 + 20, payload.size()), payload));
}

TEST(ZipWriter, RefusesContentsThatAreNotAsLongAsAnnounced_zip_z05) {
  TestSink out;
  ZipWriter longer(out);
  ASSERT_TRUE(longer.begin("a", 10));
  ASSERT_TRUE(longer.write(Bytes(8)));
  const std::size_t written = out.bytes().size();
  EXPECT_EQ(longer.write(Bytes(3)).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(out.bytes().size(), written);
  EXPECT_FALSE(longer.write(Bytes(2)));
  EXPECT_FALSE(longer.end());
  EXPECT_FALSE(longer.finish());

  ZipWriter shorter(out);
  ASSERT_TRUE(shorter.begin("a", 10));
  ASSERT_TRUE(shorter.write(Bytes(9)));
  EXPECT_EQ(shorter.end().error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(shorter.finish());
}

TEST(ZipWriter, KeepsItsFirstErrorAndWritesNothingMore_g4) {
  const Bytes whole = expected(9, as_bytes(kDigits));
  for (std::size_t failing = 0; failing < 6; ++failing) {  // header, contents, descriptor, header, contents, directory
    TestSink out({.fail_at_write = failing});
    ZipWriter zip(out);
    const auto all = [&]() -> Status {
      MR_TRY(zip.begin("0.payload", 9));
      MR_TRY(zip.write(as_bytes(kDigits)));
      MR_TRY(zip.end());
      MR_TRY(zip.add("0.manifest.json", as_bytes(kDigits)));
      return zip.finish();
    };
    const Status status = all();
    ASSERT_FALSE(status) << failing;
    EXPECT_EQ(status.error().code, ErrorCode::kIo);
    EXPECT_EQ(zip.begin("x").error().code, ErrorCode::kIo);
    EXPECT_EQ(zip.write(Bytes(1)).error().code, ErrorCode::kIo);
    EXPECT_EQ(zip.end().error().code, ErrorCode::kIo);
    EXPECT_EQ(zip.add("y", {}).error().code, ErrorCode::kIo);
    EXPECT_EQ(zip.finish().error().code, ErrorCode::kIo);
    EXPECT_FALSE(out.written_after_error());
    EXPECT_TRUE(is_prefix(out.bytes(), whole));
    EXPECT_LT(out.bytes().size(), whole.size());
  }
}

TEST(ZipWriter, RefusesCallsOutOfTurn) {
  const auto refused = [](const Status& s) { return !s && s.error().code == ErrorCode::kInvalidArgument; };
  using Call = Status (*)(ZipWriter&);
  const Call closed[] = {[](ZipWriter& zip) { return zip.write(Bytes(1)); }, [](ZipWriter& zip) { return zip.end(); },
                         [](ZipWriter& zip) { return zip.begin("../a"); }};
  for (const Call call : closed) {
    TestSink out;
    ZipWriter zip(out);
    EXPECT_TRUE(refused(call(zip)));
    EXPECT_TRUE(refused(zip.finish()));
    EXPECT_EQ(out.writes(), 0u);
  }
  const Call open[] = {[](ZipWriter& zip) { return zip.begin("b"); }, [](ZipWriter& zip) { return zip.add("b", {}); },
                       [](ZipWriter& zip) { return zip.finish(); }};
  for (const Call call : open) {
    TestSink out;
    ZipWriter zip(out);
    ASSERT_TRUE(zip.begin("a"));
    EXPECT_TRUE(refused(call(zip)));
    EXPECT_TRUE(refused(zip.end()));
  }
  TestSink out;
  ZipWriter zip(out);
  ASSERT_TRUE(zip.finish());
  EXPECT_TRUE(refused(zip.write(Bytes(1))));
  EXPECT_TRUE(refused(zip.begin("a")));
  EXPECT_TRUE(zip.finish()) << "what is complete stays complete";
  EXPECT_EQ(out.bytes().size(), 22u);
}

}  // namespace
}  // namespace millrace::zip
