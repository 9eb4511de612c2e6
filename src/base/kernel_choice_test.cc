#include "base/kernel_choice.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace millrace {
namespace {

struct Kernel {
  std::string_view name;
  bool (*runnable)();
};
constexpr bool yes() { return true; }
constexpr bool no() { return false; }

constexpr Kernel kKernels[] = {{"dream", no}, {"fast", yes}, {"slow", yes}, {"portable", yes}};

std::string_view chosen(std::string_view wanted) {
  return choose_kernel(std::span<const Kernel>(kKernels), wanted).name;
}

TEST(KernelChoice, TheFirstRunnableKernelIsTheDefault) { EXPECT_EQ(chosen(""), "fast"); }

TEST(KernelChoice, ANameForcesItsKernel) {
  EXPECT_EQ(chosen("slow"), "slow");
  EXPECT_EQ(chosen("portable"), "portable");
}

TEST(KernelChoice, TheFirstNameThatTheFamilyCanRunWins) {
  EXPECT_EQ(chosen("slow,fast"), "slow");
  EXPECT_EQ(chosen("portable,slow"), "portable");
  EXPECT_EQ(chosen("neon,slow,portable"), "slow");
  EXPECT_EQ(chosen("dream,portable"), "portable");
}

TEST(KernelChoice, NamesOfOtherFamiliesLeaveThisOneAlone) {
  EXPECT_EQ(chosen("neon"), "fast");
  EXPECT_EQ(chosen("neon,"), "fast");
  EXPECT_EQ(chosen(",,"), "fast");
  EXPECT_EQ(chosen("slo"), "fast");
  EXPECT_EQ(chosen("slower"), "fast");
  EXPECT_EQ(chosen(" slow"), "fast");
}

TEST(KernelChoice, AKernelThatCannotRunIsNeverChosen) { EXPECT_EQ(chosen("dream"), "fast"); }

// A child process, because the variable is read once.
TEST(KernelChoiceDeathTest, TheEnvironmentIsReadOnce) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        ::setenv("MILLRACE_KERNELS", "slow", 1);
        const bool first =
            wanted_kernels() == "slow" && choose_kernel(std::span<const Kernel>(kKernels)).name == "slow";
        ::setenv("MILLRACE_KERNELS", "portable", 1);
        std::exit(first && wanted_kernels() == "slow" ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace millrace
