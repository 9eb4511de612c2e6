// What writing and opening cost in memory: flat in the segment size when sealing, and no more for a hostile table than
// for a real one. A program of its own: it counts every allocation.
#include <gtest/gtest.h>

#include "millrace/base64.h"
#include "millrace/tdf.h"
#include "testing/live_memory.h"
#include "testing/tdf_files.h"
#include "testing/tdf_readers.h"
#include "testing/unstored.h"

namespace millrace::tdf {
namespace {

using namespace millrace::testing;

constexpr std::uint64_t kInput = 40 << 20;
constexpr std::size_t kBudget = 2 << 20;

TEST(TdfMemory, SealingIsFlatInTheSegmentSize) {
  for (const SegmentHash hash : {SegmentHash::kGmac, SegmentHash::kHs256}) {
    for (const std::uint64_t segment_size : {std::uint64_t{4} << 20, std::uint64_t{256} << 20}) {
      WriterOptions options;
      options.targets.push_back({"https://kas.example.com", "e1",
                                 *KasPublicKey::parse(vector_bytes("keys/sample-ec-secp256r1-01-public.pem"))});
      options.segment_size = segment_size;
      options.portable = false;
      options.segment_hash = hash;
      const Writer writer = *Writer::create(std::move(options));
      EXPECT_LT(cost([&] {
                  NullSink out;
                  const auto sink = *writer.sink(out);
                  Zeros in(kInput, false);
                  ASSERT_EQ(*pump(in, *sink), kInput);
                  ASSERT_TRUE(sink->finish());
                  ASSERT_EQ(sink->info().plain_size, kInput);
                }),
                kBudget)
          << "sink, " << segment_size;
      EXPECT_LT(cost([&] {
                  NullSink out;
                  Zeros in(kInput, false);
                  const auto source = *writer.source(in);
                  ASSERT_TRUE(pump(*source, out));
                  ASSERT_EQ(source->info().plain_size, kInput);
                }),
                kBudget)
          << "source, " << segment_size;
      EXPECT_LT(cost([&] {
                  const CountingWriteAt out;
                  ASSERT_TRUE(writer.write_at(Zeros(kInput), out, 2));
                  ASSERT_EQ(out.count(), *writer.file_size(kInput));
                }),
                2 * kBudget)
          << "positions, " << segment_size;
    }
  }
}

TEST(TdfMemory, t05_SizesThatAreOnlyClaimedCostNothing) {
  OracleFile file({noise_bytes(100), noise_bytes(100)}, {});
  for (nlohmann::json& segment : file.table()) {
    segment["segmentSize"] = (16 << 20) - 28;
    segment["encryptedSegmentSize"] = 16 << 20;
  }
  const Bytes bytes = file.file();
  const MemoryReadAt in(bytes);
  EXPECT_LT(cost([&] { EXPECT_FALSE(Reader::open(in, ShareAccess())); }), std::size_t{1} << 20);
}

TEST(TdfMemory, OpeningTakesOneSegmentForEachThread) {
  constexpr std::size_t kSegment = std::size_t{1} << 20;
  const OracleFile file({noise_bytes(kSegment), noise_bytes(kSegment), noise_bytes(kSegment), noise_bytes(kSegment),
                         noise_bytes(kSegment), noise_bytes(kSegment)},
                        {}, kSegment);
  const Bytes bytes = file.file();
  const MemoryReadAt in(bytes);
  const Reader reader = *Reader::open(in, ShareAccess());
  const CountingWriteAt out;
  EXPECT_LT(cost([&] { EXPECT_TRUE(reader.decrypt_at(out, 2)); }), 3 * kSegment);
  EXPECT_LT(cost([&] {
              NullSink sink;
              EXPECT_EQ(*pump(*reader.source(), sink), 6 * kSegment);
            }),
            3 * kSegment);
}

}  // namespace
}  // namespace millrace::tdf
