#include "base/axes.h"

#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using Axes = std::vector<int64_t>;

TEST(AxesTest, NegativeAxesCountFromTheBack) {
  EXPECT_EQ(*ResolveAxis(-1, 4), 3);
  EXPECT_EQ(*ResolveAxis(-4, 4), 0);
  EXPECT_EQ(*ResolveAxis(2, 4), 2);
  EXPECT_EQ(AxisFromFront(-1, 4), 3u);
  EXPECT_EQ(AxisFromFront(2, 4), 2u);
}

TEST(AxesTest, RefusesAnAxisOutsideOfTheTensor) {
  EXPECT_EQ(ResolveAxis(4, 4).status().message(),
            "axis 4 is outside of a tensor of rank 4, expected one in [-4, 4)");
  EXPECT_FALSE(ResolveAxis(-5, 4).ok());
  EXPECT_FALSE(ResolveAxis(0, 0).ok());
}

TEST(AxesTest, SeveralAxesKeepTheirOrder) { EXPECT_EQ(*ResolveAxes({-1, 0}, 3), (Axes{2, 0})); }

TEST(AxesTest, RefusesTheSameAxisTwice) {
  EXPECT_EQ(ResolveAxes({1, -2}, 3).status().message(), "axis 1 is given twice");
  EXPECT_FALSE(ResolveAxes({0, 3}, 3).ok());
}

TEST(AxesTest, AnInverseUndoesThePermutation) {
  EXPECT_THAT(InversePermutation({2, 0, 1}), testing::ElementsAre(1, 2, 0));
  EXPECT_TRUE(InversePermutation({}).empty());
}

}  // namespace
}  // namespace synap_internal
