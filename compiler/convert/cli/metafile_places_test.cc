#include "compiler/convert/cli/metafile_places.h"

#include <gtest/gtest.h>

#include "base/file.h"

namespace synap_internal {
namespace {

std::string Written(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "/" + name;
  EXPECT_TRUE(WriteFileAtomically(path, text).ok());
  return path;
}

TEST(MetafilePlacesTest, KeepsThePlaceInTheSameText) {
  const std::string path = Written("same.yaml", "a");
  const Warning warning{{path, 12, 5, "input 'x'"}, "a single file"};
  EXPECT_EQ(MetafilePlaces(path).Attach(MetafilePlaces(path).Detach(warning)), warning);
}

TEST(MetafilePlacesTest, FollowsTheMetafileToAnotherFolder) {
  const std::string path = Written("before.yaml", "a");
  const std::string moved = Written("after.yaml", "a");
  const Warning kept = MetafilePlaces(path).Detach({{path, 12, 5}, "a single file"});
  EXPECT_EQ(MetafilePlaces(moved).Attach(kept), (Warning{{moved, 12, 5}, "a single file"}));
}

TEST(MetafilePlacesTest, GivesNoLineOfAChangedText) {
  const std::string path = Written("changed.yaml", "a");
  const Warning warning{{path, 12, 5, "input 'x'"}, "all values are 0", Severity::kNote};
  const Warning kept = MetafilePlaces(path).Detach(warning);
  Written("changed.yaml", "# a comment\na");
  EXPECT_EQ(MetafilePlaces(path).Attach(kept),
            (Warning{{path, 0, 0, "input 'x'"}, "all values are 0", Severity::kNote}));
}

TEST(MetafilePlacesTest, LeavesWarningsAboutOtherFiles) {
  const std::string path = Written("other.yaml", "a");
  const MetafilePlaces places(path);
  for (const Warning& warning : {Warning{{}, "skipping custom layer"}, Warning{},
                                 Warning{{"metafile.yaml", 1, 2}, "other"}}) {
    EXPECT_EQ(places.Detach(warning), warning);
    EXPECT_EQ(places.Attach(warning), warning);
  }
  const Warning about_none{{"", 1, 2}, "no metafile"};
  EXPECT_EQ(MetafilePlaces("").Detach(about_none), about_none);
}

}  // namespace
}  // namespace synap_internal
