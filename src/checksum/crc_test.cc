// Every kernel that runs on this machine against the bitwise reference; which kernel is chosen; combine. Needs
// GoogleTest only, because it is also built for other processors (scripts/arm64).
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/kernel_choice.h"
#include "checksum/crc_kernels.h"
#include "checksum/crc_reference.h"

namespace millrace {
namespace {

constexpr std::uint64_t kStarts[] = {0, 1, 0x12345678, ~std::uint64_t{0}};

std::vector<std::byte> random_bytes(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(n);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

template <class Crc>
std::vector<crc::Kernel<Crc>> runnable() {
  std::vector<crc::Kernel<Crc>> out;
  for (const auto& kernel : crc::kernels<Crc>()) {
    if (kernel.runnable()) out.push_back(kernel);
  }
  return out;
}

// prefixes returns the CRCs, continued from `start`, of the first 0, 1, 2, ... bytes.
template <class Crc>
std::vector<typename Crc::Value> prefixes(std::uint64_t start, ByteView bytes) {
  std::vector<typename Crc::Value> out{static_cast<typename Crc::Value>(start)};
  for (const std::byte b : bytes) out.push_back(crc_reference::next<Crc>(out.back(), b));
  return out;
}

template <class Crc>
class CrcTest : public testing::Test {};
using Crcs = testing::Types<Crc32, Crc32c, Crc64Nvme>;
TYPED_TEST_SUITE(CrcTest, Crcs);

TYPED_TEST(CrcTest, TheReferenceAndEveryKernelGiveThePublishedCheckValue) {
  const ByteView message = as_bytes("123456789");
  constexpr auto kCheck = crc_reference::Definition<TypeParam>::kCheck;
  EXPECT_EQ(crc_reference::extend<TypeParam>(0, message), kCheck);
  for (const auto& kernel : runnable<TypeParam>()) EXPECT_EQ(kernel.extend(0, message), kCheck) << kernel.name;
  EXPECT_EQ(TypeParam::of(message).value(), kCheck);
}

// Trap R01. Up to 300 bytes with every start value; above, the start value changes from length to length.
TYPED_TEST(CrcTest, EveryLengthAtEveryAlignment) {
  using Word = typename TypeParam::Value;
  constexpr std::size_t kLongest = 4096;
  const std::vector<std::byte> storage = random_bytes(kLongest + 128, 1);
  const std::size_t to_line = (64 - reinterpret_cast<std::uintptr_t>(storage.data()) % 64) % 64;
  for (std::size_t alignment = 0; alignment < 64; ++alignment) {
    const ByteView bytes = ByteView(storage).subspan(to_line + alignment, kLongest);
    std::vector<Word> want[4];
    for (std::size_t s = 0; s < 4; ++s) want[s] = prefixes<TypeParam>(kStarts[s], bytes);
    for (const auto& kernel : runnable<TypeParam>()) {
      for (std::size_t n = 0; n <= kLongest; ++n) {
        for (std::size_t s = n <= 300 ? 0 : (n + alignment) % 4; s < 4; s += n <= 300 ? 1 : 4) {
          ASSERT_EQ(kernel.extend(want[s][0], bytes.first(n)), want[s][n])
              << kernel.name << " length " << n << " alignment " << alignment << " start " << want[s][0];
        }
      }
    }
  }
}

TYPED_TEST(CrcTest, LongMessages) {
  const std::vector<std::byte> bytes = random_bytes(3 << 20, 2);
  const auto want = prefixes<TypeParam>(0x87654321, bytes);
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = round == 0 ? bytes.size() : random() % (round % 10 == 0 ? bytes.size() : 30000);
    const std::size_t at = random() % (bytes.size() - n + 1);
    for (const auto& kernel : runnable<TypeParam>()) {
      ASSERT_EQ(kernel.extend(want[at], ByteView(bytes).subspan(at, n)), want[at + n])
          << kernel.name << " length " << n << " at " << at;
    }
  }
}

// Trap R02.
TYPED_TEST(CrcTest, EverySplitGivesTheSame) {
  const std::vector<std::byte> bytes = random_bytes(300, 4);
  const auto want = crc_reference::extend<TypeParam>(5, bytes);
  for (const auto& kernel : runnable<TypeParam>()) {
    for (std::size_t i = 0; i <= bytes.size(); ++i) {
      for (std::size_t j = i; j <= bytes.size(); ++j) {
        auto crc = kernel.extend(5, ByteView(bytes).first(i));
        crc = kernel.extend(crc, ByteView(bytes).subspan(i, j - i));
        ASSERT_EQ(kernel.extend(crc, ByteView(bytes).subspan(j)), want) << kernel.name << " at " << i << ", " << j;
      }
    }
  }
}

// Pages is readable memory between two pages that are not, so that one byte too far is a crash.
class Pages {
 public:
  explicit Pages(std::size_t pages) : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))), size_(pages * page_) {
    void* mapped = ::mmap(nullptr, size_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) std::abort();
    first_ = static_cast<std::byte*>(mapped) + page_;
    if (::mprotect(first_, size_, PROT_READ | PROT_WRITE) != 0) std::abort();
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { ::munmap(first_ - page_, size_ + 2 * page_); }
  ByteSpan bytes() const { return {first_, size_}; }

 private:
  std::size_t page_;
  std::size_t size_;
  std::byte* first_;
};

// Trap R03.
TYPED_TEST(CrcTest, NoByteOutsideIsRead) {
  const Pages pages(1);
  const std::vector<std::byte> random = random_bytes(pages.bytes().size(), 6);
  std::copy(random.begin(), random.end(), pages.bytes().begin());
  const std::size_t longest = std::min<std::size_t>(pages.bytes().size(), 1500);
  const auto want = prefixes<TypeParam>(7, pages.bytes().first(longest));
  for (std::size_t n = 0; n <= longest; ++n) {
    const ByteView last = pages.bytes().last(n);
    const auto want_last = crc_reference::extend<TypeParam>(7, last);
    for (const auto& kernel : runnable<TypeParam>()) {
      ASSERT_EQ(kernel.extend(7, pages.bytes().first(n)), want[n]) << kernel.name << " length " << n;
      ASSERT_EQ(kernel.extend(7, last), want_last) << kernel.name << " length " << n;
    }
  }
}

// Trap R06. Zeros from memory that nobody wrote, which the system shows as one page again and again, with a few bytes
// of another value at both ends.
TYPED_TEST(CrcTest, MoreThanFourGibibytesInOneCall) {
  using Word = typename TypeParam::Value;
  constexpr std::uint64_t kSize = (std::uint64_t{1} << 32) + 77;
  void* mapped = ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  ::madvise(mapped, kSize, MADV_HUGEPAGE);
  const ByteSpan bytes(static_cast<std::byte*>(mapped), kSize);
  bytes.front() = std::byte{0x5a};
  bytes.back() = std::byte{0xa5};
  Word want = crc_reference::next<TypeParam>(9, bytes.front());
  want = crc_reference::append_zeros<TypeParam>(want, kSize - 2);
  want = crc_reference::next<TypeParam>(want, bytes.back());
  EXPECT_EQ(TypeParam(9).extend(bytes).value(), want);
  ::munmap(mapped, kSize);
}

TYPED_TEST(CrcTest, CombineIsTheCrcOfTheConcatenation) {
  const std::vector<std::byte> bytes = random_bytes(2000, 10);
  std::mt19937_64 random(11);
  for (int round = 0; round < 500; ++round) {
    const std::size_t n = random() % (bytes.size() + 1);
    const std::size_t split = random() % (n + 1);
    const ByteView a = ByteView(bytes).first(split);
    const ByteView b = ByteView(bytes).subspan(split, n - split);
    const TypeParam start(static_cast<typename TypeParam::Value>(random()));
    const TypeParam joined =
        TypeParam(crc_reference::extend<TypeParam>(start.value(), a)).combine(TypeParam::of(b), b.size());
    ASSERT_EQ(joined.value(), crc_reference::extend<TypeParam>(start.value(), ByteView(bytes).first(n)))
        << split << " of " << n;
  }
}

// Trap R07.
TYPED_TEST(CrcTest, CombineWithEveryLength) {
  const TypeParam a = TypeParam::of(as_bytes("the first part"));
  EXPECT_EQ(a.combine(TypeParam(), 0), a);
  EXPECT_EQ(TypeParam().combine(a, 14), a);
  for (const std::uint64_t n :
       {std::uint64_t{1}, std::uint64_t{0x7fffffff}, std::uint64_t{0x80000000}, std::uint64_t{0xffffffff},
        std::uint64_t{1} << 32, std::uint64_t{5} << 30, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    const TypeParam zeros(crc_reference::append_zeros<TypeParam>(0, n));
    EXPECT_EQ(a.combine(zeros, n).value(), crc_reference::append_zeros<TypeParam>(a.value(), n)) << n;
  }
}

TYPED_TEST(CrcTest, BigEndianBytesAreTheValueFromItsTop) {
  const auto bytes = TypeParam(static_cast<typename TypeParam::Value>(0x0102030405060708)).to_big_endian();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(bytes[bytes.size() - 1 - i], static_cast<std::byte>(8 - i));
  }
}

TYPED_TEST(CrcTest, KernelsAreNamedOnceAndThePortableOneIsTheLast) {
  const auto kernels = crc::kernels<TypeParam>();
  ASSERT_FALSE(kernels.empty());
  EXPECT_EQ(kernels.back().name, "portable");
  EXPECT_TRUE(kernels.back().runnable());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(kernels[i].name, kernels[j].name);
  }
}

// best_here says which kernel this processor deserves, from a source that our detection does not use.
template <class Crc>
std::string best_here() {
#if defined(__x86_64__)
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::set<std::string> flags;
  for (std::string line; flags.empty() && std::getline(cpuinfo, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    for (std::string word; words >> word;) flags.insert(word);
  }
  const auto has = [&](const char* flag) { return flags.contains(flag); };
  if (has("vpclmulqdq") && has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl") &&
      has("avx512vbmi")) {
    return std::is_same_v<Crc, Crc32c> && has("sse4_2") ? "x86-vpclmul512-crc32q" : "x86-vpclmul512";
  }
  if (has("vpclmulqdq") && has("avx2")) return "x86-vpclmul256";
  if (has("pclmulqdq") && has("sse4_1")) return "x86-pclmul";
#elif defined(__aarch64__)
  std::uint64_t isar0 = 0;
  __asm__("mrs %0, ID_AA64ISAR0_EL1" : "=r"(isar0));
  if ((isar0 >> 4 & 15) >= 2) return "arm64-pmull";
#endif
  return "portable";
}

// Trap R05. The suite also runs this with MILLRACE_KERNELS=portable.
TYPED_TEST(CrcTest, TheProcessUsesTheBestKernelOrTheOneThatIsForced) {
  const char* forced = std::getenv("MILLRACE_KERNELS");
  EXPECT_EQ(TypeParam::kernel_name(), forced == nullptr ? best_here<TypeParam>() : forced);
}

// Trap R04.
TYPED_TEST(CrcTest, EveryKernelThatRunsCanBeForced) {
  for (const auto& kernel : runnable<TypeParam>()) {
    EXPECT_EQ(choose_kernel(crc::kernels<TypeParam>(), kernel.name).name, kernel.name);
  }
}

}  // namespace
}  // namespace millrace
