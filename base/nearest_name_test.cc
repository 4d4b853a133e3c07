#include "base/nearest_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace synap_internal {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<std::string> kFields = {"data_type", "dataset", "scheme", "means"};

TEST(NearestNameTest, TypingMistakesAreRecognized) {
  EXPECT_THAT(NearestNames("shceme", kFields), ElementsAre("scheme"));
  EXPECT_THAT(NearestNames("Means", kFields), ElementsAre("means"));
  EXPECT_EQ(DidYouMean("mean", kFields), " (did you mean 'means'?)");
}

TEST(NearestNameTest, NothingIsSuggestedForSomethingElse) {
  EXPECT_THAT(NearestNames("zebra", kFields), IsEmpty());
  EXPECT_EQ(DidYouMean("zebra", kFields), "");
  EXPECT_EQ(DidYouMean("zebra", {}), "");
}

TEST(NearestNameTest, ANameThatIsThereTwiceIsSuggestedOnce) {
  EXPECT_THAT(NearestNames("fold", {"fold_pads", "fold_pads"}), ElementsAre("fold_pads"));
}

TEST(NearestNameTest, AtMostThreeAreSuggested) {
  EXPECT_EQ(NearestNames("data", {"data1", "data2", "data3", "data4"}).size(), 3u);
  EXPECT_THAT(NearestNames("data", kFields), testing::Contains("dataset"));
}

}  // namespace
}  // namespace synap_internal
