#include "kernels/shared/window.h"

#include <limits>

#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(WindowTest, CountsThePositionsInsideOfThePadding) {
  EXPECT_EQ(*OutputExtent({.taps = 3}, 5), 3);
  EXPECT_EQ(*OutputExtent({.taps = 3, .stride = 2, .pad_begin = 1, .pad_end = 1}, 640), 320);
  EXPECT_EQ(*OutputExtent({.taps = 3, .dilation = 2}, 5), 1);
  EXPECT_EQ(*OutputExtent({.taps = 1, .stride = 7}, 3), 1);
}

TEST(WindowTest, CeilModeAddsTheWindowThatHangsOver) {
  EXPECT_EQ(*OutputExtent({.taps = 2, .stride = 2}, 5, false), 2);
  EXPECT_EQ(*OutputExtent({.taps = 2, .stride = 2}, 5, true), 3);
  // But not if it would lie in the trailing padding alone.
  EXPECT_EQ(*OutputExtent({.taps = 2, .stride = 3, .pad_end = 1}, 3, true), 1);
}

TEST(WindowTest, RefusesAWindowThatDoesNotFit) {
  EXPECT_FALSE(OutputExtent({.taps = 3}, 2).ok());
  EXPECT_FALSE(OutputExtent({.taps = 1}, 0).ok());
}

TEST(WindowTest, TheLimitsKeepProductsFromOverflowing) {
  Window window;
  window.rows.stride = kMaxWindow;
  window.columns.dilation = kMaxWindow;
  window.rows.pad_begin = kMaxWindow;
  EXPECT_TRUE(window.CheckSteps().ok());
  EXPECT_TRUE(window.CheckPads().ok());
  window.rows.stride = kMaxWindow + 1;
  window.rows.pad_begin = std::numeric_limits<int64_t>::min();
  EXPECT_FALSE(window.CheckSteps().ok());
  EXPECT_FALSE(window.CheckPads().ok());
}

}  // namespace
}  // namespace synap_internal
