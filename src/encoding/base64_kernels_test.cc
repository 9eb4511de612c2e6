#include "encoding/base64_kernels.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/kernel_choice.h"
#include "encoding/base64_reference.h"

namespace millrace::base64 {
namespace {

using base64_reference::random_bytes;

constexpr Base64Alphabet kAlphabets[] = {Base64Alphabet::kStandard, Base64Alphabet::kUrlSafe};

// Whole groups only, so padding does not matter.
std::string reference_text(ByteView bytes, Base64Alphabet alphabet) {
  return base64_reference::encode(bytes, {alphabet, Base64Padding::kForbidden});
}

std::vector<const Kernel*> runnable_kernels() {
  std::vector<const Kernel*> list;
  for (const Kernel& k : kernels()) {
    if (k.runnable()) list.push_back(&k);
  }
  return list;
}

// Memory of `size` bytes with a page on either side that cannot be touched.
class GuardedPages {
 public:
  explicit GuardedPages(std::size_t size) : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
    inner_ = (size + page_ - 1) / page_ * page_;
    void* p = ::mmap(nullptr, inner_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) std::abort();
    whole_ = static_cast<char*>(p);
    if (::mprotect(whole_ + page_, inner_, PROT_READ | PROT_WRITE) != 0) std::abort();
  }
  GuardedPages(const GuardedPages&) = delete;
  GuardedPages& operator=(const GuardedPages&) = delete;
  ~GuardedPages() { ::munmap(whole_, inner_ + 2 * page_); }

  char* at_front() { return whole_ + page_; }
  char* at_back(std::size_t n) { return whole_ + page_ + inner_ - n; }

 private:
  std::size_t page_;
  std::size_t inner_ = 0;
  char* whole_ = nullptr;
};

std::byte* bytes_at(char* p) { return reinterpret_cast<std::byte*>(p); }

TEST(Base64Kernels, PortableIsLastAndNamesAreUnique) {
  std::set<std::string_view> names;
  for (const Kernel& k : kernels()) EXPECT_TRUE(names.insert(k.name).second) << k.name;
  EXPECT_EQ(kernels().back().name, "portable");
  EXPECT_TRUE(kernels().back().runnable());
}

TEST(Base64Kernels, EveryNumberOfGroupsAtSeveralAlignments) {
  constexpr std::size_t kGroups = 1366;  // 4096 bytes and a little: past the length from which stores are aligned
  constexpr std::size_t kMargin = 64;
  const std::vector<std::byte> plain = random_bytes(3 * kGroups, 1);
  std::vector<std::byte> bytes(3 * kGroups + 2 * kMargin);
  std::vector<char> text(4 * kGroups + 2 * kMargin);
  for (const Base64Alphabet alphabet : kAlphabets) {
    const std::string expected = reference_text(plain, alphabet);
    for (const Kernel* k : runnable_kernels()) {
      for (std::size_t n = 0; n <= kGroups; ++n) {
        for (const std::size_t shift : {std::size_t{0}, std::size_t{1}, std::size_t{4}, n % 64, (n * 37 + 11) % 64}) {
          std::copy_n(plain.begin(), 3 * n, bytes.begin() + static_cast<std::ptrdiff_t>(shift));
          std::fill(text.begin(), text.end(), '!');
          k->encode(bytes.data() + shift, n, text.data() + kMargin - shift, alphabet);
          const std::string_view written(text.data(), text.size());
          ASSERT_EQ(written.substr(kMargin - shift, 4 * n), std::string_view(expected).substr(0, 4 * n))
              << k->name << " " << n << " " << shift;
          ASSERT_EQ(written.find_first_not_of('!'), n == 0 ? written.npos : kMargin - shift);
          ASSERT_EQ(written.find_last_not_of('!'), n == 0 ? written.npos : kMargin - shift + 4 * n - 1);

          std::memcpy(text.data() + shift, expected.data(), 4 * n);
          std::fill(bytes.begin(), bytes.end(), std::byte{0x55});
          ASSERT_EQ(k->decode(text.data() + shift, n, bytes.data() + kMargin - shift, alphabet), n)
              << k->name << " " << n << " " << shift;
          ASSERT_EQ(std::memcmp(bytes.data() + kMargin - shift, plain.data(), 3 * n), 0)
              << k->name << " " << n << " " << shift;
          const auto untouched = [](std::byte b) { return b == std::byte{0x55}; };
          const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(kMargin - shift);
          ASSERT_TRUE(std::all_of(bytes.begin(), begin, untouched));
          ASSERT_TRUE(std::all_of(begin + static_cast<std::ptrdiff_t>(3 * n), bytes.end(), untouched));
        }
      }
    }
  }
}

TEST(Base64Kernels, B07_EveryByteValueAtEveryPositionStopsEveryKernelAtTheSameGroup) {
  // In the first part of a text, of a block, of a masked end; past the groups that align the stores.
  for (const std::size_t groups : {1u, 11u, 70u, 1100u}) {
    const std::vector<std::byte> plain = random_bytes(3 * groups, 2);
    std::vector<std::byte> out(3 * groups);
    for (const Base64Alphabet alphabet : kAlphabets) {
      std::string text = reference_text(plain, alphabet);
      for (const Kernel* k : runnable_kernels()) {
        // Every position of the long text would take too long; a stride that is prime to all vectors visits each place
        // in them.
        for (std::size_t at = 0; at<text.size(); at += groups> 100 ? 37 : 1) {
          const char good = text[at];
          for (unsigned c = 0; c < 256; ++c) {
            text[at] = static_cast<char>(c);
            const bool digit = base64_reference::value(text[at], alphabet) >= 0;
            const std::size_t done = k->decode(text.data(), groups, out.data(), alphabet);
            ASSERT_EQ(done, digit ? groups : at / 4) << k->name << " " << groups << " " << at << " " << c;
            if (!digit) {
              ASSERT_EQ(std::memcmp(out.data(), plain.data(), 3 * done), 0) << k->name << " " << at;
            }
          }
          text[at] = good;
        }
      }
    }
  }
}

TEST(Base64Kernels, EveryGroupOfDigitsMeansTheReferencesBytes) {
  // All pairs of digits in all four places.
  for (const Base64Alphabet alphabet : kAlphabets) {
    std::string text;
    for (unsigned a = 0; a < 64; ++a) {
      for (unsigned b = 0; b < 64; ++b) {
        const char x = base64_reference::digit(a, alphabet), y = base64_reference::digit(b, alphabet);
        text += {x, y, y, x, x, x, y, y};
      }
    }
    const std::vector<std::byte> expected = base64_reference::decode(text, {alphabet, Base64Padding::kForbidden});
    for (const Kernel* k : runnable_kernels()) {
      std::vector<std::byte> out(expected.size());
      ASSERT_EQ(k->decode(text.data(), text.size() / 4, out.data(), alphabet), text.size() / 4) << k->name;
      EXPECT_EQ(out, expected) << k->name;
      std::string back(text.size(), '\0');
      k->encode(expected.data(), text.size() / 4, back.data(), alphabet);
      EXPECT_EQ(back, text) << k->name;
    }
  }
}

TEST(Base64Kernels, NothingIsTouchedBesideTheGroups) {
  GuardedPages bytes(3 * 1300);
  GuardedPages text(4 * 1300);
  const std::vector<std::byte> plain = random_bytes(3 * 1300, 3);
  const std::string expected = reference_text(plain, Base64Alphabet::kStandard);
  for (const Kernel* k : runnable_kernels()) {
    for (std::size_t n = 0; n <= 1300; n += n < 200 ? 1 : 61) {
      for (const bool back : {false, true}) {
        char* const b = back ? bytes.at_back(3 * n) : bytes.at_front();
        char* const t = back ? text.at_back(4 * n) : text.at_front();
        std::memcpy(b, plain.data(), 3 * n);
        k->encode(bytes_at(b), n, t, Base64Alphabet::kStandard);
        ASSERT_EQ(std::string_view(t, 4 * n), std::string_view(expected).substr(0, 4 * n)) << k->name << " " << n;
        std::memset(b, 0, 3 * n);
        ASSERT_EQ(k->decode(t, n, bytes_at(b), Base64Alphabet::kStandard), n) << k->name;
        ASSERT_EQ(std::memcmp(b, plain.data(), 3 * n), 0) << k->name << " " << n;
        if (n == 0) continue;
        t[4 * n - 1] = '*';  // found without looking further
        ASSERT_EQ(k->decode(t, n, bytes_at(b), Base64Alphabet::kStandard), n - 1) << k->name << " " << n;
      }
    }
  }
}

TEST(Base64Kernels, MegabytesPastTheCache) {
  // Long enough for the stores that go past the cache in both directions, at three alignments, with a fault near the
  // end.
  constexpr std::size_t kGroups = (std::size_t{17} << 20) / 3;
  const std::vector<std::byte> plain = random_bytes(3 * kGroups, 4);
  const std::string expected = reference_text(plain, Base64Alphabet::kUrlSafe);
  std::vector<char> text(4 * kGroups + 64);
  std::vector<std::byte> bytes(3 * kGroups + 64);
  for (const Kernel* k : runnable_kernels()) {
    for (const std::size_t shift : {0u, 4u, 9u}) {
      std::fill(text.begin(), text.end(), '!');
      k->encode(plain.data(), kGroups, text.data() + shift, Base64Alphabet::kUrlSafe);
      ASSERT_EQ(std::memcmp(text.data() + shift, expected.data(), expected.size()), 0) << k->name << " " << shift;
      ASSERT_EQ(text[shift + expected.size()], '!');
      std::fill(bytes.begin(), bytes.end(), std::byte{0x55});
      ASSERT_EQ(k->decode(expected.data(), kGroups, bytes.data() + shift, Base64Alphabet::kUrlSafe), kGroups);
      ASSERT_EQ(std::memcmp(bytes.data() + shift, plain.data(), plain.size()), 0) << k->name << " " << shift;
      ASSERT_EQ(bytes[shift + plain.size()], std::byte{0x55});
      text[shift + 4 * (kGroups - 1000)] = '+';
      ASSERT_EQ(k->decode(text.data() + shift, kGroups, bytes.data(), Base64Alphabet::kUrlSafe), kGroups - 1000);
    }
  }
}

TEST(Base64Kernels, AKernelIsForcedByItsName) {
  for (const Kernel* k : runnable_kernels()) EXPECT_EQ(&choose_kernel(kernels(), k->name), k);
  EXPECT_EQ(choose_kernel(kernels(), "no-such-kernel,portable").name, "portable");
}

#if defined(__x86_64__)
// What the system says about the processor, asked by another way than the library's.
std::set<std::string> flags_of_this_machine() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}
#endif

TEST(Base64Kernels, TheBestForThisMachineRuns) {
  std::string expected = "portable";
#if defined(__x86_64__)
  const std::set<std::string> flags = flags_of_this_machine();
  ASSERT_FALSE(flags.empty());
  if (flags.contains("avx2")) expected = "x86-avx2";
  if (flags.contains("avx512bw") && flags.contains("avx512vbmi")) expected = "x86-avx512vbmi";
#elif defined(__aarch64__)
  expected = "arm64-neon";
#endif
  EXPECT_EQ(choose_kernel(kernels(), "").name, expected);
  // In this process the environment may have asked for another one: the test suite is run once for each.
  const char* wanted = std::getenv("MILLRACE_KERNELS");
  if (wanted == nullptr) {
    EXPECT_EQ(base64_kernel_name(), expected);
  } else {
    EXPECT_EQ(base64_kernel_name(), choose_kernel(kernels(), wanted).name);
  }
}

}  // namespace
}  // namespace millrace::base64
