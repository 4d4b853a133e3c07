// Holds each network's goldens against the targets that it can be compiled for: there is one for
// each.
//   goldens_test golden.json...
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "compiler/target/target.h"

namespace synap_internal {
namespace {

std::set<std::string> goldens;

TEST(GoldensTest, EveryTargetHasOneOfEachNetwork) {
  std::set<std::string> folders;
  for (const std::string& golden : goldens) folders.insert(Dirname(golden));
  ASSERT_FALSE(folders.empty());
  for (const Target& target : AllTargets()) {
    if (!FindTarget(target.name).ok()) continue;  // no model can be compiled for it
    for (const std::string& folder : folders) {
      const std::string golden =
          absl::StrCat(folder, "/", absl::AsciiStrToLower(target.name), ".json");
      EXPECT_EQ(goldens.count(golden), 1u) << golden << " is missing";
    }
  }
}

}  // namespace
}  // namespace synap_internal

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  synap_internal::goldens.insert(argv + 1, argv + argc);
  return RUN_ALL_TESTS();
}
