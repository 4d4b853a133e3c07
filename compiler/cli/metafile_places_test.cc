#include "compiler/cli/metafile_places.h"

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
  const std::string sentence = path + ":12:5: the dataset of input 0 is a single file";
  EXPECT_EQ(MetafilePlaces(path).Attach(MetafilePlaces(path).Detach(sentence)), sentence);
}

TEST(MetafilePlacesTest, FollowsTheMetafileToAnotherFolder) {
  const std::string path = Written("before.yaml", "a");
  const std::string moved = Written("after.yaml", "a");
  const std::string kept = MetafilePlaces(path).Detach(path + ":12:5: a single file");
  EXPECT_EQ(MetafilePlaces(moved).Attach(kept), moved + ":12:5: a single file");
}

TEST(MetafilePlacesTest, GivesNoLineOfAChangedText) {
  const std::string path = Written("changed.yaml", "a");
  const MetafilePlaces before(path);
  const std::string kept = before.Detach(path + ":12:5: a single file");
  const std::string without_line = before.Detach(path + ": input 'x': all values are 0");
  Written("changed.yaml", "# a comment\na");
  EXPECT_EQ(MetafilePlaces(path).Attach(kept), path + ": a single file");
  EXPECT_EQ(MetafilePlaces(path).Attach(without_line), path + ": input 'x': all values are 0");
}

TEST(MetafilePlacesTest, LeavesOtherSentences) {
  const std::string path = Written("other.yaml", "a");
  const MetafilePlaces places(path);
  for (const std::string sentence : {"skipping custom layer", "", "metafile.yaml:1:2: other"}) {
    EXPECT_EQ(places.Detach(sentence), sentence);
    EXPECT_EQ(places.Attach(sentence), sentence);
  }
  EXPECT_EQ(MetafilePlaces("").Detach(":1:2: no metafile"), ":1:2: no metafile");
}

}  // namespace
}  // namespace synap_internal
