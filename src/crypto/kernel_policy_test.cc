#include "crypto/kernel_policy.h"

#include <sys/wait.h>

#include <cstdlib>
#include <set>
#include <sstream>

#include "crypto/aes_ctr.h"
#include "crypto/aes_gcm.h"
#include "crypto/testing.h"

namespace millrace {
namespace {

// The choice is made once in a process, so each question is asked in a child that has the environment from its start.
std::string names_with(const std::vector<std::pair<const char*, const char*>>& environment) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    ::unsetenv("MILLRACE_CRYPTO");
    ::unsetenv("MILLRACE_KERNELS");
    for (const auto& [name, value] : environment) ::setenv(name, value, 1);
    std::string names = std::string(aes_gcm_kernel_name()) + " " + std::string(aes_ctr_kernel_name());
    // The name must be that of the kernel which then works.
    std::vector<std::byte> out(21);
    const std::vector<std::byte> zeros(32);
    if (!AesGcm::create(zeros)->seal(ByteView(zeros).first(12), {}, as_bytes("hello"), out)) names = "failed";
    const bool written = ::write(ends[1], names.data(), names.size()) == static_cast<ssize_t>(names.size());
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  std::string names;
  char buffer[256];
  for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;) names.append(buffer, static_cast<std::size_t>(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0 ? names : "child failed";
}

// From the kernel's own view of the processor, not from CPUID.
std::string expected_name() {
  std::ifstream info("/proc/cpuinfo");
  std::set<std::string> flags;
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("flags", 0) != 0) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    for (std::string word; words >> word;) flags.insert(word);
    break;
  }
  const auto has = [&](std::initializer_list<const char*> names) {
    return std::all_of(names.begin(), names.end(), [&](const char* name) { return flags.count(name) != 0; });
  };
#ifdef MILLRACE_NATIVE_AES
  if (has({"avx512f", "avx512bw", "avx512vl", "avx512dq", "vaes", "vpclmulqdq", "aes", "pclmulqdq", "avx2", "bmi2"}))
    return "x86-vaes512";
  if (has({"avx2", "vaes", "vpclmulqdq", "aes", "pclmulqdq"})) return "x86-vaes256";
#else
  static_cast<void>(has);
#endif
  return "openssl";
}

TEST(KernelPolicy, TheBestKernelOfThisMachineRuns) {
  EXPECT_EQ(names_with({}), expected_name() + " " + expected_name());
}

TEST(KernelPolicy, OpensslCanBeForced) {
  EXPECT_EQ(names_with({{"MILLRACE_CRYPTO", "openssl"}}), "openssl openssl");
  EXPECT_EQ(names_with({{"MILLRACE_CRYPTO", "openssl"}, {"MILLRACE_KERNELS", "x86-vaes256"}}), "openssl openssl");
  EXPECT_EQ(names_with({{"MILLRACE_KERNELS", "openssl"}}), "openssl openssl");
  EXPECT_EQ(names_with({{"MILLRACE_KERNELS", "portable"}}), "openssl openssl");
}

TEST(KernelPolicy, KernelsAreTakenByName) {
  for (const std::string_view name : aes_gcm_kernel_names()) {
    const std::string text(name);
    EXPECT_EQ(names_with({{"MILLRACE_KERNELS", text.c_str()}}), text + " " + text);
  }
  EXPECT_EQ(names_with({{"MILLRACE_KERNELS", "no-such-kernel"}}), expected_name() + " " + expected_name());
}

TEST(KernelPolicy, OpensslIsTheLastOfEveryFamily) {
  EXPECT_EQ(aes_gcm_kernel_names().back(), "openssl");
  EXPECT_EQ(aes_ctr_kernel_names(), aes_gcm_kernel_names());
  EXPECT_EQ(aes_gcm_kernel_names().front(), expected_name());
}

TEST(KeyMemory, LiesOnACacheLine) {
  struct Plain {
    std::byte bytes[100];
  };
  for (int i = 0; i < 16; ++i) {
    std::vector<std::unique_ptr<std::byte[]>> shift;
    shift.push_back(std::make_unique<std::byte[]>(static_cast<std::size_t>(8 * i + 1)));
    const auto memory = std::make_unique<KeyMemory<Plain>>();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&memory->get()) % 64, 0u);
  }
}

TEST(KeyMemory, IsCleansed) {
  struct Plain {
    std::byte bytes[100];
  };
  testing::Bytes room(sizeof(KeyMemory<Plain>));
  auto* const memory = new (room.data()) KeyMemory<Plain>;
  std::memset(memory->get().bytes, 0x55, sizeof memory->get().bytes);
  memory->~KeyMemory();
  EXPECT_TRUE(testing::all_zero(room));
}

}  // namespace
}  // namespace millrace
