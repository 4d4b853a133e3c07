// The rules' list of targets (rules/private/target.bzl), given as NAME=ALIAS,ALIAS arguments, is
// the compiler's.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "compiler/target/target.h"

namespace synap_internal {
namespace {

std::vector<std::string> rules_targets;

TEST(TargetNamesTest, RulesAndCompilerKnowTheSameTargets) {
  std::vector<std::string> compiler_targets;
  for (const Target& target : AllTargets()) {
    if (!target.has_npu) continue;
    compiler_targets.push_back(std::string(target.name) + "=" + absl::StrJoin(target.aliases, ","));
  }
  std::sort(compiler_targets.begin(), compiler_targets.end());
  EXPECT_EQ(rules_targets, compiler_targets);
}

}  // namespace
}  // namespace synap_internal

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  synap_internal::rules_targets.assign(argv + 1, argv + argc);
  return RUN_ALL_TESTS();
}
