#include "base/cpu.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace millrace {
namespace {

constexpr std::uint32_t kAll = 0xffffffff;

TEST(Cpu, NothingIsReportedWhenNothingIsThere) { EXPECT_EQ(decode_x86({}), CpuFeatures{}); }

TEST(Cpu, RegistersThatTheSystemDoesNotSaveHideTheirFeatures) {
  const CpuFeatures none = decode_x86({kAll, kAll, kAll, 0});
  EXPECT_TRUE(none.pclmul && none.sse42 && none.aes && none.sha && none.gfni && none.bmi2);
  EXPECT_FALSE(none.avx || none.avx2 || none.vaes || none.vpclmulqdq || none.avx512f || none.avx512bw ||
               none.avx512vl || none.avx512dq || none.avx512vbmi || none.avx512vbmi2);

  const CpuFeatures ymm = decode_x86({kAll, kAll, kAll, 0x7});
  EXPECT_TRUE(ymm.avx && ymm.avx2 && ymm.vaes && ymm.vpclmulqdq);
  EXPECT_FALSE(ymm.avx512f || ymm.avx512bw || ymm.avx512vl || ymm.avx512dq || ymm.avx512vbmi || ymm.avx512vbmi2);

  const CpuFeatures zmm = decode_x86({kAll, kAll, kAll, 0xe7});
  EXPECT_TRUE(zmm.avx512f && zmm.avx512bw && zmm.avx512vl && zmm.avx512dq && zmm.avx512vbmi && zmm.avx512vbmi2);

  // Each state component alone is missing once.
  for (const std::uint64_t missing : {0x02u, 0x04u, 0x20u, 0x40u, 0x80u}) {
    EXPECT_FALSE(decode_x86({kAll, kAll, kAll, 0xe7 & ~missing}).avx512f) << missing;
  }
  for (const std::uint64_t missing : {0x02u, 0x04u}) {
    EXPECT_FALSE(decode_x86({kAll, kAll, kAll, 0xe7 & ~missing}).avx) << missing;
  }
}

// Without its own bit, each feature is gone and all others that do not build on it are there.
TEST(Cpu, EachFeatureHasItsOwnBit) {
  const struct {
    bool CpuFeatures::*feature;
    std::uint32_t X86Registers::*word;
    int bit;  // Intel SDM volume 2, CPUID leaves 1 and 7
  } bits[] = {
      {&CpuFeatures::pclmul, &X86Registers::leaf1_ecx, 1},     {&CpuFeatures::ssse3, &X86Registers::leaf1_ecx, 9},
      {&CpuFeatures::sse41, &X86Registers::leaf1_ecx, 19},     {&CpuFeatures::sse42, &X86Registers::leaf1_ecx, 20},
      {&CpuFeatures::aes, &X86Registers::leaf1_ecx, 25},       {&CpuFeatures::bmi2, &X86Registers::leaf7_ebx, 8},
      {&CpuFeatures::sha, &X86Registers::leaf7_ebx, 29},       {&CpuFeatures::gfni, &X86Registers::leaf7_ecx, 8},
      {&CpuFeatures::vaes, &X86Registers::leaf7_ecx, 9},       {&CpuFeatures::vpclmulqdq, &X86Registers::leaf7_ecx, 10},
      {&CpuFeatures::avx512dq, &X86Registers::leaf7_ebx, 17},  {&CpuFeatures::avx512bw, &X86Registers::leaf7_ebx, 30},
      {&CpuFeatures::avx512vl, &X86Registers::leaf7_ebx, 31},  {&CpuFeatures::avx512vbmi, &X86Registers::leaf7_ecx, 1},
      {&CpuFeatures::avx512vbmi2, &X86Registers::leaf7_ecx, 6}};
  const X86Registers all{kAll, kAll, kAll, 0xe7};
  for (const auto& entry : bits) {
    X86Registers registers = all;
    registers.*entry.word &= ~(std::uint32_t{1} << entry.bit);
    CpuFeatures want = decode_x86(all);
    EXPECT_TRUE(want.*entry.feature) << entry.bit;
    want.*entry.feature = false;
    EXPECT_EQ(decode_x86(registers), want) << entry.bit;
  }
}

TEST(Cpu, WiderFeaturesNeedTheNarrowerOnes) {
  const std::uint32_t without_avx = kAll & ~(1u << 28);
  EXPECT_FALSE(decode_x86({without_avx, kAll, kAll, 0xe7}).vpclmulqdq);
  const std::uint32_t without_avx512f = kAll & ~(1u << 16);
  EXPECT_FALSE(decode_x86({kAll, without_avx512f, kAll, 0xe7}).avx512bw);
}

#if defined(__x86_64__)
// The kernel's own list is the independent opinion: it leaves out what it does not save.
TEST(Cpu, AgreesWithTheKernelsList) {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::set<std::string> flags;
  for (std::string line; flags.empty() && std::getline(cpuinfo, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    for (std::string word; words >> word;) flags.insert(word);
  }
  ASSERT_FALSE(flags.empty());
  const auto has = [&](const char* flag) { return flags.contains(flag); };
  const CpuFeatures& f = cpu();
  EXPECT_EQ(f.pclmul, has("pclmulqdq"));
  EXPECT_EQ(f.ssse3, has("ssse3"));
  EXPECT_EQ(f.sse41, has("sse4_1"));
  EXPECT_EQ(f.sse42, has("sse4_2"));
  EXPECT_EQ(f.aes, has("aes"));
  EXPECT_EQ(f.sha, has("sha_ni"));
  EXPECT_EQ(f.gfni, has("gfni"));
  EXPECT_EQ(f.bmi2, has("bmi2"));
  EXPECT_EQ(f.avx, has("avx"));
  EXPECT_EQ(f.avx2, has("avx2"));
  EXPECT_EQ(f.vaes, has("vaes"));
  EXPECT_EQ(f.vpclmulqdq, has("vpclmulqdq"));
  EXPECT_EQ(f.avx512f, has("avx512f"));
  EXPECT_EQ(f.avx512bw, has("avx512bw"));
  EXPECT_EQ(f.avx512vl, has("avx512vl"));
  EXPECT_EQ(f.avx512dq, has("avx512dq"));
  EXPECT_EQ(f.avx512vbmi, has("avx512vbmi"));
  EXPECT_EQ(f.avx512vbmi2, has("avx512_vbmi2"));
  EXPECT_FALSE(f.neon || f.pmull || f.crc32);
}
#elif defined(__aarch64__)
// The identification registers, which Linux lets programs read, are the independent opinion (Arm ARM,
// ID_AA64ISAR0_EL1).
TEST(Cpu, AgreesWithTheIdentificationRegisters) {
  std::uint64_t isar0 = 0;
  __asm__("mrs %0, ID_AA64ISAR0_EL1" : "=r"(isar0));
  const auto field = [&](int shift) { return isar0 >> shift & 15; };
  const CpuFeatures& f = cpu();
  EXPECT_TRUE(f.neon);
  EXPECT_EQ(f.aes, field(4) >= 1);
  EXPECT_EQ(f.pmull, field(4) >= 2);
  EXPECT_EQ(f.sha, field(8) >= 1 && field(12) >= 1);
  EXPECT_EQ(f.crc32, field(16) >= 1);
  EXPECT_FALSE(f.avx || f.pclmul);
}
#endif

}  // namespace
}  // namespace millrace
