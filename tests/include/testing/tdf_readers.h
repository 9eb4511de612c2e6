// Every way to read a TDF file behind one call, for lists of files and attacks.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "millrace/tdf.h"
#include "testing/segment_drivers.h"
#include "testing/tdf_vectors.h"

namespace millrace::testing {

inline Bytes vector_bytes(const std::string& name) { return to_bytes(as_bytes(read_vector(name))); }

// access_with has one private key of the vectors.
inline tdf::LocalKeyAccess access_with(const std::string& key_file) {
  tdf::LocalKeyAccess access;
  MR_CHECK(access.add(vector_bytes(key_file)).has_value());
  return access;
}

// TdfRead is what one way to read a file gave out, and its verdict.
struct TdfRead {
  std::string way;
  std::optional<Error> error;
  Bytes released;
};

inline std::vector<TdfRead> read_every_way(ByteView file, const tdf::KeyAccess& keys,
                                           const tdf::ReaderOptions& options = {}) {
  const MemoryReadAt in(file);
  const Result<tdf::Reader> reader = tdf::Reader::open(in, keys, options);
  if (!reader) return {{"open", reader.error(), {}}};
  std::vector<TdfRead> all;
  for (const unsigned threads : {1u, 3u}) {
    const std::string with = std::string(", threads ") + std::to_string(threads);
    for (const std::size_t step : {std::size_t{7}, kUnlimited}) {
      const std::unique_ptr<Source> source = reader->source(threads);
      EXPECT_EQ(source->remaining(), reader->info().plain_size);
      const Outcome outcome = drain(*source, step);
      EXPECT_TRUE(outcome.sticky);
      all.push_back({std::string("source") + with + ", step " + std::to_string(step), outcome.error, outcome.bytes});
    }
    const TestWriteAt out(static_cast<std::size_t>(reader->info().plain_size));
    const Status written = reader->decrypt_at(out, threads);
    const Status verified = reader->verify(threads);
    EXPECT_EQ(written.has_value(), verified.has_value());
    if (written) {
      EXPECT_EQ(out.written(), reader->info().plain_size);
      all.push_back({std::string("decrypt_at") + with, {}, out.bytes()});
    } else {
      EXPECT_TRUE(same(written.error(), verified.error()));
      all.push_back({std::string("decrypt_at") + with, written.error(), {}});
    }
  }
  const Result<std::unique_ptr<ReadAt>> plain = reader->read_at();
  if (!plain) {
    all.push_back({"read_at", plain.error(), {}});
    return all;
  }
  Bytes bytes(static_cast<std::size_t>((*plain)->size()), std::byte{0xcc});
  const Status read = (*plain)->read_at(0, bytes);
  if (read) {
    all.push_back({"read_at", {}, bytes});
  } else {
    EXPECT_TRUE(is_zero(bytes));
    all.push_back({"read_at", read.error(), {}});
  }
  return all;
}

inline void expect_reads(ByteView file, const tdf::KeyAccess& keys, const Bytes& plain, const std::string& what,
                         const tdf::ReaderOptions& options = {}) {
  for (const TdfRead& read : read_every_way(file, keys, options)) {
    ASSERT_FALSE(read.error) << what << "; " << read.way << ": " << describe(*read.error);
    ASSERT_TRUE(read.released == plain) << what << "; " << read.way;
  }
}

// expect_refused asks that no way gives out anything but a beginning of `plain`, and that all fail with `code`. It
// returns the error of the first.
inline Error expect_refused(ByteView file, const tdf::KeyAccess& keys, ErrorCode code, const Bytes& plain,
                            const std::string& what, const tdf::ReaderOptions& options = {}) {
  const std::vector<TdfRead> reads = read_every_way(file, keys, options);
  for (const TdfRead& read : reads) {
    EXPECT_TRUE(read.error) << what << "; " << read.way;
    if (!read.error) continue;
    EXPECT_EQ(read.error->code, code) << what << "; " << read.way << ": " << describe(*read.error);
    EXPECT_TRUE(is_prefix(read.released, plain)) << what << "; " << read.way;
    EXPECT_TRUE(plain.empty() || read.released.size() < plain.size()) << what << "; " << read.way;
  }
  return reads.front().error.value_or(Error{});
}

}  // namespace millrace::testing
