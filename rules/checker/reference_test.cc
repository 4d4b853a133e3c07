#include "rules/checker/reference.h"

#include <gtest/gtest.h>

namespace synap_internal {
namespace {

TEST(PatternInputTest, IsDrawnInPlanesAndNormalized) {
  const std::vector<float> values = PatternInput({1, 3, 320, 320}, false, 96, 2);
  ASSERT_EQ(values.size(), 3u * 320 * 320);
  EXPECT_EQ(values[0], 0);                               // the ramp begins at 96
  EXPECT_EQ(values[320 * 320], 4);                       // and is 8 higher in the next channel
  EXPECT_EQ(values[170 * 320 + 160], (155 - 96) / 2.f);  // the middle of the large face
}

TEST(PatternInputTest, ChannelsMayComeLast) {
  const std::vector<float> planes = PatternInput({2, 3, 8, 8}, false, 0, 1);
  const std::vector<float> pixels = PatternInput({2, 8, 8, 3}, true, 0, 1);
  ASSERT_EQ(pixels.size(), planes.size());
  for (size_t i = 0; i < pixels.size(); ++i) {
    EXPECT_EQ(pixels[i], planes[i / 192 * 192 + i % 3 * 64 + i % 192 / 3]) << i;
  }
}

TEST(PatternInputTest, IsStretchedOverOtherSizes) {
  const std::vector<float> large = PatternInput({1, 1, 640, 640}, false, 0, 1);
  const std::vector<float> small = PatternInput({1, 1, 320, 320}, false, 0, 1);
  EXPECT_EQ(large[340 * 640 + 320], small[170 * 320 + 160]);
  EXPECT_EQ(PatternInput({7}, false, 0, 1).size(), 7u);
  EXPECT_EQ(PatternInput({2, 1, 3, 4, 5}, false, 0, 1).size(), 120u);
}

TEST(OutputErrorTest, IsRelativeToTheRangeAndAbsoluteWithoutOne) {
  EXPECT_EQ((OutputError{.largest = 1, .range = 4}.relative()), 0.25);
  EXPECT_EQ((OutputError{.largest = 1, .range = 0}.relative()), 1);
}

}  // namespace
}  // namespace synap_internal
