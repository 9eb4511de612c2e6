#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>

#include "millrace/digest.h"
#include "stream/slab.h"

namespace millrace {

namespace {

// Ranges are at least this large: a combination costs microseconds, so one for each 16 MiB is nothing. There are no
// more than kMaxRanges, so that memory does not grow with the file.
constexpr std::uint64_t kRange = 16 * 1024 * 1024;
constexpr std::uint64_t kMaxRanges = 4096;
// One read. It stays in the second-level cache until the digests have seen it.
constexpr std::size_t kRead = kStreamBuffer;

Result<std::vector<Digest>> create_all(std::span<const DigestAlgorithm> algorithms) {
  std::vector<Digest> digests;
  for (const DigestAlgorithm algorithm : algorithms) {
    MR_TRY(Digest digest, Digest::create(algorithm));
    digests.push_back(std::move(digest));
  }
  return digests;
}

Status finish_all(std::span<Digest> digests, std::span<DigestValue> values) {
  for (std::size_t i = 0; i < digests.size(); ++i) {
    MR_TRY(digests[i].finish(values[i].bytes));
    values[i].size = digests[i].size();
  }
  return Ok{};
}

Status digest_range(const ReadAt& in, std::uint64_t from, std::uint64_t to, std::span<Digest> digests, Slab& buffer) {
  ReadAtSource range(in, from, to);
  DigestSource digesting(range, digests);
  for (;;) {
    MR_TRY(const ByteView bytes, digesting.pull(buffer.bytes()));
    if (bytes.empty()) return Ok{};
  }
}

}  // namespace

Result<std::vector<DigestValue>> digest_read_at(const ReadAt& in, std::span<const DigestAlgorithm> algorithms,
                                                unsigned threads) {
  const bool combines = std::all_of(algorithms.begin(), algorithms.end(), digest_combines);
  // What does not combine is one range, read by one thread.
  const std::uint64_t range =
      combines ? std::max(kRange, in.size() / kMaxRanges + 1) : std::max<std::uint64_t>(1, in.size());
  const std::uint64_t count = std::max<std::uint64_t>(1, in.size() / range + (in.size() % range != 0));

  std::vector<std::vector<DigestValue>> of_range(static_cast<std::size_t>(count));
  std::atomic<std::uint64_t> next{0};
  std::mutex mutex;
  std::optional<Error> failed;
  std::uint64_t failed_range = 0;
  const auto work = [&] {
    Slab buffer = Slab::acquire(kRead);
    std::uint64_t i = 0;
    const auto one_after_another = [&]() -> Status {
      MR_TRY(std::vector<Digest> digests, create_all(algorithms));
      while ((i = next.fetch_add(1)) < count) {
        MR_TRY(digest_range(in, i * range, std::min(in.size(), (i + 1) * range), digests, buffer));
        auto& values = of_range[static_cast<std::size_t>(i)];
        values.resize(algorithms.size());
        MR_TRY(finish_all(digests, values));
      }
      return Ok{};
    };
    if (const Status status = one_after_another(); !status) {
      next = count;  // nobody needs to begin another range
      const std::lock_guard lock(mutex);
      // Of several failures the first in the input is told, as if it had been read from its start.
      if (!failed || i < failed_range) {
        failed = status.error();
        failed_range = i;
      }
    }
  };
  std::vector<std::thread> helpers;
  try {
    for (std::uint64_t i = 1; i < std::min<std::uint64_t>(threads, count); ++i) helpers.emplace_back(work);
  } catch (const std::system_error&) {
    // No more threads for this process: those that there are do the work.
  }
  work();
  for (std::thread& helper : helpers) helper.join();
  if (failed) return *failed;

  std::vector<DigestValue> total = of_range[0];
  for (std::uint64_t i = 1; i < count; ++i) {
    const std::uint64_t size = std::min(in.size(), (i + 1) * range) - i * range;
    for (std::size_t a = 0; a < algorithms.size(); ++a) {
      MR_TRY(combine_digests(algorithms[a], ByteSpan(total[a].bytes).first(total[a].size),
                             of_range[static_cast<std::size_t>(i)][a].view(), size));
    }
  }
  return total;
}

}  // namespace millrace
