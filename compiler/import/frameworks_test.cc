#include "compiler/import/frameworks.h"

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "compiler/import/onnx/model_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

TEST(FrameworksTest, SuffixesAreInLowerCaseAndOfOneFramework) {
  std::set<absl::string_view> seen;
  for (const Framework* framework : AllFrameworks()) {
    for (const absl::string_view suffix : framework->suffixes) {
      EXPECT_TRUE(seen.insert(suffix).second) << suffix;
      const auto found = FindFramework(absl::StrCat("a.b/Model", suffix));
      ASSERT_TRUE(found.ok()) << found.status();
      EXPECT_EQ(*found, framework);
    }
  }
  EXPECT_EQ(*FindFramework("M.PTH"), *FindFramework("m.pt"));
}

TEST(FrameworksTest, UnknownSuffixesAreRefusedWithTheKnownOnes) {
  EXPECT_THAT(std::string(FindFramework("model").status().message()),
              HasSubstr("model: its name has no suffix, expected .onnx, .tflite"));
  EXPECT_THAT(std::string(FindFramework("a.h5").status().message()),
              HasSubstr("a.h5: unknown network format: .h5, expected .onnx"));
}

TEST(FrameworksTest, RowsAreComplete) {
  for (const Framework* framework : AllFrameworks()) {
    EXPECT_TRUE(framework->layout == "nchw" || framework->layout == "nhwc") << framework->name;
    const ModelFiles files = {"no/such/file", "no/such/weights", "", ""};
    EXPECT_THAT(std::string(framework->import(files, {}).status().message()),
                HasSubstr("no/such/file"));
    EXPECT_THAT(std::string(framework->summarize(files).status().message()),
                HasSubstr("no/such/file"));
    for (const OperatorList& list : framework->operators()) {
      EXPECT_FALSE(list.limits.empty()) << list.title;
    }
  }
}

TEST(FrameworksTest, BuildRulesKnowTheSameFrameworks) {
  std::vector<std::string> lines;
  for (const Framework* framework : AllFrameworks()) {
    lines.push_back(absl::StrCat(framework->name, " ", absl::StrJoin(framework->suffixes, " "),
                                 " weights=", framework->weights_suffix,
                                 " reader=", framework->reader != nullptr));
  }
  EXPECT_EQ(absl::StrJoin(lines, "\n"), std::getenv("FRAMEWORK_LINES"));
}

TEST(FrameworksTest, DocumentationHasTheTable) {
  const auto page = ReadFile("docs/frameworks.md");
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(*page, HasSubstr(FrameworksMarkdown())) << "copy this table into docs/frameworks.md";
}

TEST(FrameworksTest, DocumentationNamesTheNewestKnownOpset) {
  const int known = onnx_import::kNewestOpset;
  const auto page = ReadFile("docs/onnx.md");
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(*page, HasSubstr(absl::StrCat("opset ", known + 1, " or later are read as those of ",
                                            known)));
  EXPECT_THAT(FrameworksMarkdown(), HasSubstr(absl::StrCat("known up to ", known)));
}

}  // namespace
}  // namespace synap_internal
