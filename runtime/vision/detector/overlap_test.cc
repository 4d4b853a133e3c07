#include "runtime/vision/detector/overlap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace synap_internal {
namespace {

// Around (x, y), with half sides u and v.
DetectedBox Oriented(float x, float y, float ux, float uy, float vx, float vy) {
  DetectedBox box;
  const float ex = std::abs(ux) + std::abs(vx), ey = std::abs(uy) + std::abs(vy);
  box.x0 = x - ex;
  box.y0 = y - ey;
  box.x1 = x + ex;
  box.y1 = y + ey;
  box.ux = ux;
  box.uy = uy;
  box.vx = vx;
  box.vy = vy;
  return box;
}

DetectedBox Aligned(float x0, float y0, float x1, float y1) {
  DetectedBox box;
  box.x0 = x0;
  box.y0 = y0;
  box.x1 = x1;
  box.y1 = y1;
  return box;
}

TEST(OverlapTest, DividesByTheUnionOrTheSmallerArea) {
  const DetectedBox a = Aligned(0, 0, 10, 10), b = Aligned(5, 0, 15, 20);
  EXPECT_FLOAT_EQ(Overlap(a, b, false), 50.0f / 250);
  EXPECT_FLOAT_EQ(Overlap(a, b, true), 50.0f / 100);
  EXPECT_EQ(Overlap(a, Aligned(10, 0, 20, 10), false), 0);
}

TEST(OverlapTest, ClipsOrientedBoxes) {
  const DetectedBox square = Aligned(-2, -2, 2, 2);
  // A square turned by 45 degrees, with corners at distance 3: it lacks 4 corners of legs 1.
  const DetectedBox diamond = Oriented(0, 0, 1.5f, 1.5f, -1.5f, 1.5f);
  EXPECT_NEAR(Overlap(square, diamond, false), 14.0 / (16 + 18 - 14), 1e-6);
  EXPECT_NEAR(Overlap(diamond, square, false), 14.0 / (16 + 18 - 14), 1e-6);
  EXPECT_NEAR(Overlap(square, diamond, true), 14.0 / 16, 1e-6);
  EXPECT_NEAR(Overlap(diamond, diamond, false), 1, 1e-6);
  // Its bounding box intersects the square, it doesn't.
  EXPECT_EQ(Overlap(square, Oriented(4, 4, 1.5f, 1.5f, -1.5f, 1.5f), false), 0);
  // Both turned, one mirrored: the corners go the other way round.
  EXPECT_NEAR(Overlap(diamond, Oriented(0, 0, -1.5f, 1.5f, 1.5f, 1.5f), false), 1, 1e-6);
  // Far away, at equal distance.
  const DetectedBox a = Oriented(3000, 2000, 1.5f, 1.5f, -1.5f, 1.5f);
  EXPECT_NEAR(Overlap(a, Aligned(2998, 1998, 3002, 2002), false), 14.0 / 20, 1e-4);
}

TEST(OverlapTest, IsZeroWithoutAnArea) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const DetectedBox box = Aligned(0, 0, 10, 10);
  for (const DetectedBox& other :
       {Aligned(5, 5, 5, 8), Aligned(8, 8, 2, 2), Aligned(0, 0, infinity, 10),
        Aligned(-infinity, -infinity, infinity, infinity), Aligned(nan, 0, 10, 10),
        Aligned(-1e30f, -1e30f, 1e30f, 1e30f)}) {
    EXPECT_FALSE(HasArea(other));
    EXPECT_EQ(Overlap(box, other, true), 0);
    EXPECT_EQ(Overlap(other, box, false), 0);
  }
}

}  // namespace
}  // namespace synap_internal
