// One case list, every driver, both directions. The expected bytes come from a plain loop over the cipher.
#include <gtest/gtest.h>

#include <thread>

#include "testing/segment_cases.h"
#include "testing/segment_drivers.h"

namespace millrace {
namespace {

using namespace millrace::testing;

// Tiny segments; one system call's worth of small ones; one that is a batch; one larger than a batch.
std::vector<SegmentFormat> formats() {
  return {toy_format({24, 48, 0, 8, 24}),     toy_format({0, 48, 12, 16, 0}),      toy_format({5, 48, 3, 8, 11}),
          toy_format({1, 10, 0, 8, 1}),       toy_format({24, 4096, 0, 16, 24}),   toy_format({0, 4096, 12, 16, 0}),
          toy_format({24, 65536, 0, 16, 24}), toy_format({0, 300000, 12, 16, 100})};
}

std::vector<SegmentFormat> formats_and_lists() {
  std::vector<SegmentFormat> all = formats();
  for (SegmentFormat& listed : small_listed_formats()) all.push_back(std::move(listed));
  std::vector<std::size_t> growing;  // hundreds of tiny ones before a large one
  for (std::size_t i = 0; i < 400; ++i) growing.push_back(i % 5);
  growing.insert(growing.end(), {300000, 2, 0, 65536, 9});
  all.push_back(listed_toy_format(0, 12, 16, growing));
  all.push_back(listed_toy_format(24, 0, 16, {300000, 70000, 3, 0, 4096, 4096, 262144 - 16, 1, 262144}));
  all.push_back(listed_toy_format(0, 12, 16, {10, 3000000, 5}));  // not believed before it has come
  return all;
}

std::size_t many_segments(const SegmentFormat& format) {
  const std::size_t size = format.layout.segment_size();
  return size <= 256 ? 40 : size <= 4096 ? 70 : size <= 65536 ? 4 : 2;
}

std::vector<Supply> supplies(const SegmentFormat& format) {
  const bool tiny = format.layout.segment_size() <= 256;
  std::vector<Supply> all;
  for (const bool lends : {false, true}) {
    for (const bool knows : {false, true}) {
      all.push_back({lends, kUnlimited, knows});
      if (tiny || lends != knows) all.push_back({lends, tiny ? std::size_t{1} : std::size_t{5001}, knows});
      if (tiny || lends == knows) all.push_back({lends, format.layout.segment_size() + 1, knows});
    }
  }
  return all;
}

// for_each_run calls check with every way to run a driver that makes a difference to it.
template <class Check>
void for_each_run(const Driver& driver, const SegmentFormat& format, const Check& check) {
  if (driver.shape == Shape::kPositions || driver.shape == Shape::kRandomAccess) {
    check(Conditions{});
    return;
  }
  const std::size_t segment = format.layout.segment_size();
  const bool tiny = segment <= 256;
  for (const std::size_t step : steps(format.layout)) {
    if (driver.shape == Shape::kPull) {
      if (driver.threads > 1 && step != segment && step != 17) continue;
      for (const Supply& supply : supplies(format)) {
        if (driver.threads > 1 && !tiny && supply.lends == supply.knows_length) continue;
        check(Conditions{supply, step, {}, {}});
      }
    } else {
      check(Conditions{{}, step, {4 * segment, {}}, {}});
      if (tiny || step == segment) check(Conditions{{}, step, {segment - 1, {}}, {}});
    }
  }
}

TEST(SegmentDrivers, SealEveryCase) {
  for (const SegmentFormat& format : formats()) {
    for (const std::size_t size : plain_sizes(format.layout, many_segments(format))) {
      const Bytes plain = noise_bytes(size);
      const Bytes expected = seal_by_loop(format, plain);
      for (const Driver& driver : seal_drivers()) {
        for_each_run(driver, format, [&](const Conditions& run) {
          SealLog log;
          const ToyCipher cipher(format.layout, toy_key(format.header), &log);
          const Outcome outcome = run_seal(driver, format, cipher, plain, run);
          const auto place = [&] {
            return format.name + "; size " + std::to_string(size) + "; " + driver.text() + "; " + run.supply.text() +
                   "; step " + std::to_string(run.step) + "; scratch " + std::to_string(run.demand.scratch);
          };
          ASSERT_FALSE(outcome.error) << place() << ": " << describe(*outcome.error);
          ASSERT_TRUE(outcome.bytes == expected) << place();
          ASSERT_TRUE(outcome.sticky) << place();
          ASSERT_FALSE(log.repeated()) << place();
        });
      }
    }
  }
}

TEST(SegmentDrivers, OpenEveryCase) {
  for (const SegmentFormat& format : formats_and_lists()) {
    for (const std::size_t size : plain_sizes(format, many_segments(format))) {
      const Bytes plain = noise_bytes(size);
      const Bytes stream = seal_by_loop(format, plain);
      for (const Driver& driver : open_drivers()) {
        for_each_run(driver, format, [&](const Conditions& run) {
          const Outcome outcome = run_open(driver, format, stream, run);
          const auto place = [&] {
            return format.name + "; size " + std::to_string(size) + "; " + driver.text() + "; " + run.supply.text() +
                   "; step " + std::to_string(run.step) + "; scratch " + std::to_string(run.demand.scratch);
          };
          ASSERT_FALSE(outcome.error) << place() << ": " << describe(*outcome.error);
          ASSERT_TRUE(outcome.bytes == plain) << place();
          ASSERT_TRUE(outcome.sticky) << place();
        });
      }
    }
  }
}

TEST(SegmentDrivers, SealingByTheListOfAnotherStreamIsRefused) {
  for (const SegmentFormat& format : small_listed_formats()) {
    const auto cipher = format.cipher();
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, format.listed_size()}) {
      for (const Driver& driver : seal_drivers()) {
        for (const bool knows : {false, true}) {
          const Outcome outcome =
              run_seal(driver, format, *cipher, noise_bytes(size), {{false, kUnlimited, knows, {}}, 1000, {}, {}});
          ASSERT_TRUE(outcome.error) << driver.text();
          EXPECT_EQ(outcome.error->code, ErrorCode::kInvalidArgument) << driver.text();
          EXPECT_TRUE(is_prefix(outcome.bytes, format.header)) << driver.text();
        }
      }
    }
  }
}

TEST(SegmentIntake, DoesNotMakeRoomForALargeSegmentOfALonglessStreamBeforeItComes) {
  const SegmentFormat format = listed_toy_format(0, 12, 16, {10, (std::size_t{1} << 31) - 29, 5});
  const auto cipher = format.cipher();
  Bytes begun(38 + 100);
  ASSERT_TRUE(cipher->seal(0, Last::kNo, noise_bytes(10), ByteSpan(begun).first(38)));
  TestSource in(begun, {});
  SegmentSource opened(SegmentStage(*cipher, Direction::kOpen), {}, in);
  const Outcome outcome = drain(opened, 1000);
  EXPECT_TRUE(outcome.error);
  EXPECT_EQ(outcome.bytes, noise_bytes(10));
  EXPECT_LE(in.largest_scratch(), kStreamBuffer);
}

TEST(SegmentDrivers, RemainingCountsTheHeaderAndEverySegment) {
  const SegmentFormat format = toy_format({24, 48, 0, 8, 24});
  const auto cipher = format.cipher();
  for (const std::size_t size : plain_sizes(format.layout, 4)) {
    const Bytes plain = noise_bytes(size);
    const Bytes stream = seal_by_loop(format, plain);
    MemorySource plain_source(plain);
    SegmentSource sealed(SegmentStage(*cipher, Direction::kSeal), format.header, plain_source);
    EXPECT_EQ(sealed.remaining(), stream.size());
    MemorySource body(ByteView(stream).subspan(24));
    SegmentSource opened(SegmentStage(*cipher, Direction::kOpen), {}, body);
    EXPECT_EQ(opened.remaining(), plain.size());
    TestSource unknown(plain, {});
    SegmentSource open_ended(SegmentStage(*cipher, Direction::kSeal), format.header, unknown);
    EXPECT_EQ(open_ended.remaining(), std::nullopt);
  }
  // Lengths that no stream has are no promise, and neither is one beyond the number of segments.
  const Bytes cut(format.layout.cipher_offset(1) - 24 + 7);
  MemorySource short_body(cut);
  SegmentSource refused(SegmentStage(*cipher, Direction::kOpen), {}, short_body);
  EXPECT_EQ(refused.remaining(), std::nullopt);
  const SegmentFormat limited = toy_format({24, 48, 0, 8, 24, 2});
  const ToyCipher limited_cipher(limited.layout);
  const Bytes plain = noise_bytes(1000);
  MemorySource too_long(plain);
  SegmentSource beyond(SegmentStage(limited_cipher, Direction::kSeal), {}, too_long);
  EXPECT_EQ(beyond.remaining(), std::nullopt);
}

TEST(SegmentDrivers, KnownLengthsAreNotLookedBehind) {
  const SegmentFormat format = toy_format({0, 48, 0, 8, 0});
  const auto cipher = format.cipher();
  const Bytes plain = noise_bytes(120);
  for (const bool knows : {false, true}) {
    TestSource in(plain, {false, kUnlimited, knows});
    SegmentSource sealed(SegmentStage(*cipher, Direction::kSeal), {}, in);
    Bytes scratch(1000);
    while (!sealed.pull(scratch)->empty()) {
    }
    EXPECT_EQ(in.delivered(), 120u);
    EXPECT_EQ(in.ended(), !knows);  // an unknown end must be seen, a known one need not
  }
}

TEST(SegmentDrivers, SmallSegmentsShareLargeReadsAndWrites) {
  for (const SegmentLayout::Params& params :
       {SegmentLayout::Params{24, 4096, 0, 16, 24}, SegmentLayout::Params{0, 4096, 12, 16, 0}}) {
    const SegmentFormat format = toy_format(params);
    const auto cipher = format.cipher();
    const Bytes plain = noise_bytes(2000000);
    for (const bool lends : {false, true}) {
      for (const bool knows : {false, true}) {
        TestSource in(plain, {lends, kUnlimited, knows});
        SegmentSource sealed(SegmentStage(*cipher, Direction::kSeal), format.header, in);
        TestSink out({kStreamBuffer, {}});
        ASSERT_TRUE(pump(sealed, out));
        EXPECT_GE(in.largest_scratch(), kStreamBuffer / 8 * 7) << lends << knows;
        EXPECT_LE(in.pulls(), 12u) << lends << knows;
        EXPECT_LE(out.writes(), lends && !knows ? 24u : 12u) << lends << knows;
      }
    }
  }
}

TEST(SegmentDrivers, NumberOfSegmentsIsLimited) {
  for (const std::uint64_t limit : {1u, 2u, 3u, 9u}) {
    SegmentLayout::Params params{24, 48, 0, 8, 24, limit};
    const SegmentFormat format = toy_format(params);
    params.max_segments = 1000;
    const SegmentFormat unlimited = toy_format(params);
    const std::size_t most = 16 + 40 * static_cast<std::size_t>(limit - 1);
    for (const std::size_t over : {std::size_t{0}, std::size_t{1}, std::size_t{100}}) {
      const Bytes plain = noise_bytes(most + over);
      const Bytes stream = seal_by_loop(unlimited, plain);
      // As many whole segments as the limit allows that are not the last.
      const std::size_t kept_plain = limit == 1 ? 0 : most - 40;
      const std::size_t kept_cipher = 24 + (limit == 1 ? 0 : 24 + 48 * (limit - 2));
      for (const Driver& driver : open_drivers()) {
        for (const bool knows : {false, true}) {
          const Conditions run{{false, kUnlimited, knows}, 48, {}, {}};
          const Outcome opened = run_open(driver, format, stream, run);
          SealLog log;
          const ToyCipher cipher(format.layout, toy_key(format.header), &log);
          const Outcome sealed = driver.shape == Shape::kRandomAccess ? Outcome{stream, opened.error}
                                                                      : run_seal(driver, format, cipher, plain, run);
          ASSERT_LE(log.size(), limit);
          if (over == 0) {
            ASSERT_FALSE(opened.error || sealed.error) << driver.text();
            ASSERT_EQ(opened.bytes, plain) << driver.text();
            ASSERT_EQ(sealed.bytes, stream) << driver.text();
            continue;
          }
          ASSERT_TRUE(opened.error && sealed.error) << driver.text();
          ASSERT_EQ(opened.error->code, ErrorCode::kLimitExceeded) << driver.text();
          ASSERT_EQ(sealed.error->code, ErrorCode::kLimitExceeded) << driver.text();
          ASSERT_TRUE(opened.sticky && sealed.sticky) << driver.text();
          if (!driver.streams()) continue;
          ASSERT_EQ(opened.bytes, to_bytes(slice(plain, 0, kept_plain))) << driver.text();
          ASSERT_EQ(sealed.bytes, to_bytes(slice(stream, 0, kept_cipher))) << driver.text();
        }
      }
    }
  }
}

TEST(SegmentReadAt, EveryRange) {
  for (const SegmentLayout::Params& params :
       {SegmentLayout::Params{24, 48, 0, 8, 24}, SegmentLayout::Params{0, 48, 12, 8, 5}}) {
    const SegmentFormat format = toy_format(params);
    const auto cipher = format.cipher();
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{16}, std::size_t{136}, std::size_t{150}}) {
      const Bytes plain = noise_bytes(size);
      const Bytes stream = seal_by_loop(format, plain);
      const MemoryReadAt in(stream);
      const auto reader = SegmentReadAt::create(*cipher, in);
      ASSERT_TRUE(reader);
      ASSERT_EQ((*reader)->size(), size);
      ASSERT_EQ((*reader)->segment_count(), plain_segments(format.layout, size).size());
      for (std::size_t start = 0; start <= size + 1; ++start) {
        for (std::size_t n = 0; n <= size + 2 - start; ++n) {
          Bytes dst(n, std::byte{0xcc});
          const Status status = (*reader)->read_at(start, dst);
          if (start > size || n > size - start) {
            ASSERT_FALSE(status);
            ASSERT_EQ(status.error().code, ErrorCode::kInvalidArgument);
          } else {
            ASSERT_TRUE(status);
            ASSERT_TRUE(equal(dst, slice(plain, start, n)));
          }
        }
      }
      Bytes dst(1);
      EXPECT_EQ((*reader)->read_at(~std::uint64_t{0}, dst).error().code, ErrorCode::kInvalidArgument);
    }
  }
}

TEST(SegmentReadAt, EveryRangeOfListedSegments) {
  for (const SegmentFormat& format : small_listed_formats()) {
    const auto cipher = format.cipher();
    const std::size_t size = format.listed_size();
    const Bytes plain = noise_bytes(size);
    const Bytes stream = seal_by_loop(format, plain);
    const MemoryReadAt in(stream);
    const auto reader = SegmentReadAt::create(*cipher, in);
    ASSERT_TRUE(reader);
    ASSERT_EQ((*reader)->size(), size);
    ASSERT_EQ((*reader)->segment_count(), format.listed.size());
    for (std::size_t start = 0; start <= size; ++start) {
      for (std::size_t n = 0; n <= size - start; ++n) {
        Bytes dst(n, std::byte{0xcc});
        ASSERT_TRUE((*reader)->read_at(start, dst)) << format.name << " " << start << " " << n;
        ASSERT_TRUE(equal(dst, slice(plain, start, n))) << format.name << " " << start << " " << n;
      }
    }
    Bytes beyond(2);
    EXPECT_EQ((*reader)->read_at(size - 1, beyond).error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(SegmentReadAt, ManyThreadsReadOneObject) {
  const SegmentFormat format = toy_format({24, 4096, 0, 16, 24});
  const auto cipher = format.cipher();
  const Bytes plain = noise_bytes(300000);
  const Bytes stream = seal_by_loop(format, plain);
  const MemoryReadAt in(stream);
  const auto reader = SegmentReadAt::create(*cipher, in);
  ASSERT_TRUE(reader);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::uint64_t x = 88172645463325252u + t;
      for (int i = 0; i < 200; ++i) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        const std::size_t start = static_cast<std::size_t>((x >> 33) % plain.size());
        const std::size_t n = std::min<std::size_t>((x >> 13) % 20000, plain.size() - start);
        Bytes dst(n);
        if (!(*reader)->read_at(start, dst) || !equal(dst, slice(plain, start, n))) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(SegmentReadAt, ZeroesTheDestinationWhenASegmentInTheRangeIsBad) {
  const SegmentFormat format = toy_format({24, 48, 0, 8, 24});
  const auto cipher = format.cipher();
  const Bytes plain = noise_bytes(200);
  Bytes stream = seal_by_loop(format, plain);
  stream[format.layout.cipher_offset(2) + 3] ^= std::byte{1};
  const MemoryReadAt in(stream);
  const auto reader = SegmentReadAt::create(*cipher, in);
  ASSERT_TRUE(reader);
  for (std::size_t start = 0; start < 200; ++start) {
    for (std::size_t n = 1; n <= 200 - start; n += 7) {
      Bytes dst(n, std::byte{0xcc});
      const Status status = (*reader)->read_at(start, dst);
      const bool touches = start < 16 + 80 && start + n > 16 + 40;
      ASSERT_EQ(status.has_value(), !touches);
      if (touches) {
        ASSERT_EQ(status.error().code, ErrorCode::kNotAuthentic);
        ASSERT_TRUE(is_zero(dst));
      } else {
        ASSERT_TRUE(equal(dst, slice(plain, start, n)));
      }
    }
  }
}

TEST(ReadAtSource, YieldsTheRangeAndKeepsItsError) {
  const Bytes bytes = noise_bytes(500);
  const MemoryReadAt in(bytes);
  for (const std::size_t from : {std::size_t{0}, std::size_t{17}, std::size_t{500}}) {
    for (std::size_t to = from; to <= 500; to += 61) {
      ReadAtSource source(in, from, to);
      EXPECT_EQ(source.remaining(), to - from);
      const Outcome outcome = drain(source, 13);
      EXPECT_FALSE(outcome.error);
      EXPECT_EQ(outcome.bytes, to_bytes(slice(bytes, from, to - from)));
      EXPECT_TRUE(outcome.sticky);
    }
  }
  const TestReadAt failing(bytes, 100);
  ReadAtSource source(failing, 10, 200);
  const Outcome outcome = drain(source, 30);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->detail, EIO);
  EXPECT_EQ(outcome.bytes, to_bytes(slice(bytes, 10, 90)));
  EXPECT_TRUE(outcome.sticky);
}

}  // namespace
}  // namespace millrace
