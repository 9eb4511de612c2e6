// The loop one would write by hand for one machine and one purpose: read segments, seal or open them in place with the
// same AES-GCM as the library, write them, on N threads. No format, no error that is not fatal, nothing configurable:
// what the engine costs is the difference to this. mode=copy leaves out the encryption: what the kernel's read and
// write alone allow.
//
// crc=yes adds what a ZIP entry asks for besides: the CRC-32 of the sealed bytes.
//
// Segments that are small are read and written several at a time, by one call that scatters and gathers, as the engine
// does (src/stream/slab.h says why). Between files threads work at positions; between pipes they take turns.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

#include "cell.h"
#include "crypto/aes_gcm.h"
#include "millrace/checksum.h"

using namespace millrace;

namespace {

constexpr std::size_t kCall = 256 * 1024;  // at least this much per system call

enum Mode : std::size_t { kCopy, kSeal, kOpen };

struct Job {
  Mode mode;
  std::size_t segment;  // sealed
  int in;
  int out;
  bool crc;
  std::shared_ptr<const AesGcm> gcm;

  std::size_t tag() const { return mode == kCopy ? 0 : kGcmTagSize; }
  std::size_t plain() const { return segment - tag(); }
  std::size_t unit_in() const { return mode == kOpen ? segment : plain(); }
  std::size_t unit_out() const { return mode == kSeal ? segment : plain(); }
  std::size_t run() const { return std::max<std::size_t>(1, kCall / segment); }  // segments per call
};

// Slots is the buffer of one thread: room for one run of segments, each in a slot of a whole segment.
class Slots {
 public:
  explicit Slots(const Job& job) : job_(job), vectors_(job.run()) {
    constexpr std::size_t kHugePage = 2 * 1024 * 1024;
    const std::size_t size = job.run() * job.segment;
    const std::size_t unit = size >= kHugePage / 2 ? kHugePage : 4096;
    const std::size_t capacity = (size + unit - 1) / unit * unit;
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(unit, capacity)));
    if (memory_ == nullptr) bench::fail("out of memory");
    if (unit == kHugePage) ::madvise(memory_.get(), capacity, MADV_HUGEPAGE);
  }

  // transfer moves up to `total` bytes, `unit` to a slot, by calls of `call`(vectors, count, done) and returns how
  // many; less only at the end of the input.
  template <class Call>
  std::size_t transfer(std::size_t unit, std::size_t total, Call&& call) {
    std::size_t done = 0;
    while (done < total) {
      std::size_t count = 0;
      for (std::size_t at = done; at < total; ++count) {
        const std::size_t n = std::min(unit - at % unit, total - at);
        vectors_[count] = {memory_.get() + at / unit * job_.segment + at % unit, n};
        at += n;
      }
      const ssize_t n = call(vectors_.data(), static_cast<int>(count), done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) bench::fail(std::strerror(errno));
      if (n == 0) break;
      done += static_cast<std::size_t>(n);
    }
    return done;
  }

  // seal_or_open works on the `size` input bytes in the slots, in place, and returns the size of the output.
  std::size_t seal_or_open(std::uint64_t first, std::size_t size) {
    std::size_t out_size = 0;
    for (std::size_t at = 0; at < size; at += job_.unit_in(), ++first) {
      const std::size_t n = std::min(job_.unit_in(), size - at);
      std::byte* const slot = memory_.get() + at / job_.unit_in() * job_.segment;
      std::array<std::byte, kGcmNonceSize> nonce = {};
      std::memcpy(nonce.data(), &first, sizeof first);
      if (job_.mode == kCopy) {
        out_size += n;
      } else if (job_.mode == kSeal) {
        bench::must(job_.gcm->seal(nonce, {}, {slot, n}, {slot, n + kGcmTagSize}));
        out_size += n + kGcmTagSize;
        if (job_.crc) checksums_ = Crc32::of({slot, n + kGcmTagSize}).value();  // to be combined; that takes no time
      } else {
        if (n < kGcmTagSize) bench::fail("the input was cut");
        bench::must(job_.gcm->open(nonce, {}, {slot, n}, {slot, n - kGcmTagSize}));
        out_size += n - kGcmTagSize;
      }
    }
    return out_size;
  }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  const Job& job_;
  volatile std::uint32_t checksums_ = 0;
  std::unique_ptr<std::byte, Free> memory_;
  std::vector<iovec> vectors_;
};

void file_to_file(const Job& job, std::atomic<std::uint64_t>& next) {
  Slots slots(job);
  for (;;) {
    const std::uint64_t first = next.fetch_add(job.run());
    const auto in_at = static_cast<off_t>(first * job.unit_in());
    const auto out_at = static_cast<off_t>(first * job.unit_out());
    const std::size_t size =
        slots.transfer(job.unit_in(), job.run() * job.unit_in(), [&](const iovec* v, int n, std::size_t done) {
          return ::preadv(job.in, v, n, in_at + static_cast<off_t>(done));
        });
    if (size == 0) return;
    const std::size_t out_size = slots.seal_or_open(first, size);
    const std::size_t written = slots.transfer(job.unit_out(), out_size, [&](const iovec* v, int n, std::size_t done) {
      return ::pwritev(job.out, v, n, out_at + static_cast<off_t>(done));
    });
    if (written != out_size) bench::fail("short write");
  }
}

// Turns lets threads through one after the other, in the order of their numbers.
class Turns {
 public:
  void wait_for(std::uint64_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return turn_ == number; });
  }
  void done() {
    {
      const std::lock_guard lock(mutex_);
      ++turn_;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t turn_ = 0;
};

struct PipeOrder {
  Turns reading;
  Turns writing;
};

void pipe_to_pipe(const Job& job, PipeOrder& order, std::uint64_t thread, std::uint64_t threads) {
  Slots slots(job);
  for (std::uint64_t number = thread;; number += threads) {
    order.reading.wait_for(number);
    const std::size_t size = slots.transfer(job.unit_in(), job.run() * job.unit_in(),
                                            [&](const iovec* v, int n, std::size_t) { return ::readv(job.in, v, n); });
    order.reading.done();
    const std::size_t out_size = slots.seal_or_open(number * job.run(), size);
    order.writing.wait_for(number);
    const std::size_t written = slots.transfer(
        job.unit_out(), out_size, [&](const iovec* v, int n, std::size_t) { return ::writev(job.out, v, n); });
    if (written != out_size) bench::fail("short write");
    order.writing.done();
    if (size == 0) return;  // the end comes again to whoever reads after it
  }
}

int open_or_fail(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (fd < 0) bench::fail(path + ": " + std::strerror(errno));
  return fd;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Options options(argc, argv);
  Job job;
  job.mode = static_cast<Mode>(options.choice("mode", {"copy", "seal", "open"}));
  job.segment = options.number("segment");
  const std::uint64_t threads = options.number("threads");
  job.crc = options.choice("crc", {"no", "yes"}) == 1;
  const std::string in = options.text("in");  // "-": both ends are pipes
  const std::string out = options.text("out");
  options.refuse_others();
  if (job.segment <= kGcmTagSize || job.segment > (std::size_t{1} << 30) || threads == 0)
    bench::fail("segment= or threads= is out of range");
  constexpr std::byte kKey[32] = {std::byte{7}};
  job.gcm = std::make_shared<const AesGcm>(bench::must(AesGcm::create(kKey)));

  std::vector<std::thread> helpers;
  const auto on_all_threads = [&](auto&& work) {
    for (std::uint64_t i = 1; i < threads; ++i) helpers.emplace_back(work, i);
    work(0);
    for (std::thread& helper : helpers) helper.join();
  };
  if (in == "-" && out == "-") {
    job.in = STDIN_FILENO;
    job.out = STDOUT_FILENO;
    ::fcntl(job.out, F_SETPIPE_SZ, 1024 * 1024);  // as the command does
    PipeOrder order;
    on_all_threads([&](std::uint64_t i) { pipe_to_pipe(job, order, i, threads); });
    return 0;
  }
  job.in = open_or_fail(in, O_RDONLY);
  job.out = open_or_fail(out, O_WRONLY | O_CREAT | O_TRUNC);
  struct stat status;
  if (::fstat(job.in, &status) != 0) bench::fail(std::strerror(errno));
  // The exact size of the output, so that the file system lays it out once.
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const std::uint64_t full = size / job.unit_in();
  const std::uint64_t rest = size % job.unit_in();
  std::uint64_t out_size = full * job.unit_out();
  if (rest > 0) out_size += rest + job.unit_out() - job.unit_in();
  if (out_size > 0) ::fallocate(job.out, 0, 0, static_cast<off_t>(out_size));  // where it is not supported, without
  std::atomic<std::uint64_t> next{0};
  on_all_threads([&](std::uint64_t) { file_to_file(job, next); });
}
