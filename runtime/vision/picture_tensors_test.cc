#include "runtime/vision/picture_tensors.h"

#include <gtest/gtest.h>

namespace synap_internal {
namespace {

using synaptics::synap::Rect;

// Inside of pictures of the tensor's size nothing changes.
TEST(MapRegionTest, KeepsARegionOfAPictureOfTheTensorsSize) {
  const Rect roi = {{3, 4}, {5, 6}};
  const PictureRegion region = MapRegion(roi, {{0, 0}, {64, 48}}, {64, 48});
  EXPECT_EQ(region.in_tensor, roi);
  EXPECT_EQ(region.in_picture, roi);
}

// A picture of 640x480, stretched to 64x64.
TEST(MapRegionTest, GrowsToWholePixelsOfTheTensor) {
  const PictureRegion region = MapRegion({{15, 30}, {100, 61}}, {{0, 0}, {640, 480}}, {64, 64});
  EXPECT_EQ(region.in_tensor, (Rect{{1, 4}, {11, 9}}));
  EXPECT_EQ(region.in_picture, (Rect{{10, 30}, {110, 68}}));
}

// A picture of 640x320 with bands of 160 rows above and below, in 64x64.
TEST(MapRegionTest, LeavesTheBandsOut) {
  const Rect shown = {{0, -160}, {640, 640}};
  const PictureRegion region = MapRegion({{0, 0}, {640, 320}}, shown, {64, 64});
  EXPECT_EQ(region.in_tensor, (Rect{{0, 16}, {64, 32}}));
  EXPECT_EQ(region.in_picture, (Rect{{0, 0}, {640, 320}}));
}

// With keep_proportions=2 a part of the picture isn't in the tensor.
TEST(MapRegionTest, IsNeverEmpty) {
  const PictureRegion region = MapRegion({{600, 0}, {40, 10}}, {{0, 0}, {320, 320}}, {32, 32});
  EXPECT_EQ(region.in_tensor, (Rect{{31, 0}, {1, 1}}));
  EXPECT_EQ(MapRegion({{639, 319}, {1, 1}}, {{0, 0}, {640, 320}}, {8, 8}).in_tensor,
            (Rect{{7, 7}, {1, 1}}));
}

}  // namespace
}  // namespace synap_internal
