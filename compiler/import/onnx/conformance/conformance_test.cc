// Runs the cases of one group of ONNX's conformance suite:
//   conformance_test <folder of the group> <expected failures>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "compiler/import/onnx/conformance/expected_failures.h"
#include "compiler/import/onnx/conformance/run_case.h"
#include "compiler/import/onnx/conformance/suite_files.h"
#include "gtest/gtest.h"

namespace synap_internal::onnx_import {
namespace {

std::string group_folder, failures_file;

TEST(ConformanceTest, FailsWhereExpectedOnly) {
  const auto text = ReadFile(failures_file);
  ASSERT_TRUE(text.ok()) << text.status();
  const auto expected = ParseExpectedFailures(*text);
  ASSERT_TRUE(expected.ok()) << expected.status();
  const auto cases = ListCases(group_folder);
  ASSERT_TRUE(cases.ok()) << cases.status();
  const std::string group = Basename(group_folder);
  std::map<std::string, int> failures;  // by reason
  size_t passed = 0, listed = 0;
  for (const std::string& name : *cases) {
    const absl::Status status = RunCase(group_folder + "/" + name, Route::kImported);
    const auto failure = expected->find(group + "/" + name);
    passed += status.ok();
    if (failure == expected->end()) {
      EXPECT_TRUE(status.ok()) << group << "/" << name << ": " << status.message();
      continue;
    }
    ++listed;
    ++failures[failure->second];
    EXPECT_FALSE(status.ok()) << group << "/" << name << " passes: take it off the list";
  }
  std::printf("%s: %zu of %zu passed\n", group.c_str(), passed, cases->size());
  for (const auto& [reason, count] : failures) std::printf("  %4d %s\n", count, reason.c_str());
  size_t of_group = 0;
  for (const auto& [name, reason] : *expected) of_group += name.rfind(group + "/", 0) == 0;
  EXPECT_EQ(listed, of_group) << "the list names cases that the suite doesn't have";
}

}  // namespace
}  // namespace synap_internal::onnx_import

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s <folder of the group> <expected failures>\n", argv[0]);
    return 1;
  }
  synap_internal::onnx_import::group_folder = argv[1];
  synap_internal::onnx_import::failures_file = argv[2];
  return RUN_ALL_TESTS();
}
