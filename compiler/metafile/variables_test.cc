#include "compiler/metafile/variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

FileReader Files(std::map<std::string, std::string> files) {
  return [files = std::move(files)](const std::string& path) -> absl::StatusOr<std::string> {
    const auto it = files.find(path);
    if (it == files.end()) return absl::NotFoundError(absl::StrCat(path, ": no such file"));
    return it->second;
  };
}

std::string Upper(const std::string& name) { return name == "home" ? "${ENV:home}/x" : ""; }

TEST(ExpandEnvironmentTest, ReplacesKnownAndEmptiesUnknownVariablesOnce) {
  EXPECT_EQ(*ExpandEnvironment("a ${ENV:home} b${ENV:none}c", Upper), "a ${ENV:home}/x bc");
}

TEST(ExpandEnvironmentTest, SaysWhereABraceIsMissing) {
  EXPECT_EQ(ExpandEnvironment("a\n  ${ENV:home\n}", Upper).status().message(),
            "2:3: '${ENV:' has no closing '}'");
}

TEST(ExpandFilesTest, ReplacesUntilNoneIsLeft) {
  const FileReader read = Files({{"dir/a", "[1,${FILE:sub/b}]\n"}, {"dir/sub/b", "2"}});
  EXPECT_EQ(*ExpandFiles("anchors=${FILE:a} x=1", "dir", read), "anchors=[1,2] x=1");
}

TEST(ExpandFilesTest, ReadsAbsolutePathsAsTheyAre) {
  EXPECT_EQ(*ExpandFiles("${FILE:/a}", "dir", Files({{"/a", "yes"}})), "yes");
}

TEST(ExpandFilesTest, RefusesAFileThatIncludesItself) {
  const FileReader read = Files({{"d/a", "${FILE:b}"}, {"d/b", "${FILE:a}"}});
  EXPECT_THAT(ExpandFiles("${FILE:a}", "d", read).status().message(),
              HasSubstr("includes itself: d/a -> d/b -> d/a"));
}

TEST(ExpandFilesTest, RefusesDeepNestingUnderEverNewNames) {
  const FileReader read = [](const std::string& path) -> absl::StatusOr<std::string> {
    return absl::StrCat("${FILE:", path.size(), "}");
  };
  const FileReader longer = [](const std::string& path) -> absl::StatusOr<std::string> {
    return absl::StrCat("${FILE:x", path.substr(2), "}");
  };
  EXPECT_THAT(ExpandFiles("${FILE:x}", "d", longer).status().message(),
              HasSubstr("more than 16 deep"));
  EXPECT_THAT(ExpandFiles("${FILE:x}", "d", read).status().message(), HasSubstr("includes itself"));
}

TEST(ExpandFilesTest, BoundsTheSizeOfTheResult) {
  std::string many;
  for (int i = 0; i < 400; ++i) many += "${FILE:b}";
  const FileReader read = Files({{"d/a", many}, {"d/b", std::string(1 << 16, 'x')}});
  EXPECT_THAT(ExpandFiles("${FILE:a}", "d", read).status().message(), HasSubstr("16 MiB"));
}

TEST(ExpandFilesTest, PassesOnTheErrorOfAMissingFile) {
  EXPECT_EQ(ExpandFiles("${FILE:a}", "dir", Files({})).status().message(), "dir/a: no such file");
}

TEST(ExpandAnchorsTest, WritesAFlatListOfSixDecimals) {
  const float anchors[] = {0.5f, -1, 1.0f / 3, -1e-9f};
  EXPECT_EQ(*ExpandAnchors("a=${ANCHORS} b", anchors), "a=[0.5,-1,0.333333,0] b");
  EXPECT_TRUE(WantsAnchors("a=${ANCHORS} b"));
  EXPECT_FALSE(WantsAnchors("a=$ANCHORS"));
}

TEST(ExpandAnchorsTest, BoundsTheSizeOfTheResult) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "${ANCHORS}";
  EXPECT_THAT(ExpandAnchors(many, std::vector<float>(10000, 1)).status().message(),
              HasSubstr("16 MiB"));
}

}  // namespace
}  // namespace synap_internal
