#include "base/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

TEST(WarningsTest, TextsBeginWithThePartsOfThePlaceThatAreKnown) {
  EXPECT_EQ((Warning{{}, "it is late"}).Text(), "it is late");
  EXPECT_EQ((Warning{{"net.yaml"}, "it is late"}).Text(), "net.yaml: it is late");
  EXPECT_EQ((Warning{{"net.yaml", 3, 5}, "it is late"}).Text(), "net.yaml:3:5: it is late");
  EXPECT_EQ((Warning{{"", 0, 0, "layer 'a'"}, "it is late"}).Text(), "layer 'a': it is late");
  EXPECT_EQ((Warning{{"net.yaml", 3, 5, "input 'x'"}, "it is late"}).Text(),
            "net.yaml:3:5: input 'x': it is late");
}

TEST(WarningsTest, ListenersHearEachWarningWhenItIsAdded) {
  std::vector<std::string> heard;
  Warnings warnings([&](const Warning& warning) { heard.push_back(warning.sentence); });
  warnings.Add("first");
  EXPECT_THAT(heard, ElementsAre("first"));
  warnings.AddAll({{{"net.yaml"}, "second"}, {{}, "third", Severity::kNote}});
  EXPECT_THAT(heard, ElementsAre("first", "second", "third"));
}

TEST(WarningsTest, NotesAreNotAmongTheWarnings) {
  Warnings warnings;
  warnings.Add({"net.yaml"}, "a warning");
  warnings.Add(Warning{{}, "a note", Severity::kNote});
  EXPECT_THAT(warnings.Texts(), ElementsAre("net.yaml: a warning"));
  EXPECT_THAT(warnings.Texts(Severity::kNote), ElementsAre("a note"));
  EXPECT_EQ(warnings.all().size(), 2u);
}

}  // namespace
}  // namespace synap_internal
