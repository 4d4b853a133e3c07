#include "runtime/api/emulated_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "synap/target.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::set_target;
using synaptics::synap::target;

class EmulatedTargetTest : public testing::Test {
 protected:
  void SetUp() override { Reset(); }
  void TearDown() override { Reset(); }

  static void Reset() {
    set_target("");
    unsetenv("SYNAP_TARGET");
  }

  static Program ProgramFor(const std::string& name) {
    Program program;
    program.target = name;
    program.target_aliases = {"VS680A0", "DOLPHIN"};
    return program;
  }
};

TEST_F(EmulatedTargetTest, AnyModelLoadsByDefault) {
  EXPECT_EQ(target(), "");
  EXPECT_TRUE(CheckTarget(ProgramFor("VS680")).ok());
}

TEST_F(EmulatedTargetTest, NamesAndAliasesAreTakenInAnyCase) {
  for (const char* name : {"VS680", "vs680", "dolphin", "Vs680A0"}) {
    EXPECT_TRUE(set_target(name));
    EXPECT_TRUE(CheckTarget(ProgramFor("VS680")).ok()) << name;
  }
}

TEST_F(EmulatedTargetTest, TheErrorNamesBothChips) {
  EXPECT_TRUE(set_target("vs640"));
  EXPECT_EQ(
      CheckTarget(ProgramFor("VS680")).message(),
      "the model was compiled for VS680 (or VS680A0, DOLPHIN), but networks run on VS640 here "
      "(SYNAP_TARGET), expected the same; convert it with --target VS640, or name no chip");
}

TEST_F(EmulatedTargetTest, TheCallThenTheVariableNameTheChip) {
  setenv("SYNAP_TARGET", "sl1680", 1);
  EXPECT_EQ(target(), "SL1680");
  EXPECT_TRUE(set_target("vs680"));
  EXPECT_EQ(target(), "VS680");
  EXPECT_TRUE(set_target(""));
  EXPECT_EQ(target(), "SL1680");
}

TEST_F(EmulatedTargetTest, ProgramsForNoChipRunOnAll) {
  set_target("vs640");
  EXPECT_TRUE(CheckTarget(ProgramFor("")).ok());
}

}  // namespace
}  // namespace synap_internal
