#include "runtime/vision/yuv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

// A 2x2 image of one chroma pair.
std::vector<uint8_t> Rgb(const std::vector<uint8_t>& bytes, ChromaOrder order) {
  return SemiPlanarToRgb(bytes, 2, 2, order).pixels;
}

TEST(YuvTest, GrayHasNoChroma) {
  EXPECT_THAT(Rgb({0, 1, 128, 255, 128, 128}, ChromaOrder::kUv),
              ElementsAre(0, 0, 0, 1, 1, 1, 128, 128, 128, 255, 255, 255));
}

TEST(YuvTest, ConvertsFullRangeBt601) {
  // Red, green and blue of JPEG's equations, rounded: within 2 of 255 and 0.
  const uint8_t red[] = {76, 85, 255}, green[] = {150, 44, 21}, blue[] = {29, 255, 107};
  const auto pixel = [](const uint8_t* yuv, ChromaOrder order) {
    const bool uv = order == ChromaOrder::kUv;
    std::vector<uint8_t> rgb =
        Rgb({yuv[0], yuv[0], yuv[0], yuv[0], yuv[uv ? 1 : 2], yuv[uv ? 2 : 1]}, order);
    rgb.resize(3);
    return rgb;
  };
  for (const ChromaOrder order : {ChromaOrder::kUv, ChromaOrder::kVu}) {
    EXPECT_THAT(pixel(red, order), ElementsAre(255, 0, 0));
    EXPECT_THAT(pixel(green, order), ElementsAre(0, 255, 1));
    EXPECT_THAT(pixel(blue, order), ElementsAre(0, 0, 255));
  }
}

TEST(YuvTest, RoundsHalfToEvenAndSaturates) {
  // 1.40625 * 16 = 22.5.
  EXPECT_EQ(Rgb({0, 1, 0, 255, 128, 144}, ChromaOrder::kUv)[0], 22);
  EXPECT_EQ(Rgb({0, 1, 0, 255, 128, 144}, ChromaOrder::kUv)[3], 24);
  EXPECT_EQ(Rgb({0, 1, 0, 255, 128, 144}, ChromaOrder::kUv)[9], 255);
}

TEST(YuvTest, ABlockOfFourPixelsSharesItsChroma) {
  // 4x4: the second block of the first row is blue, the first of the second row is red.
  const std::vector<uint8_t> bytes = {100, 100, 100, 100, 100, 100, 100, 100,  //
                                      100, 100, 100, 100, 100, 100, 100, 100,  //
                                      128, 128, 228, 128, 128, 228, 128, 128};
  const Image image = SemiPlanarToRgb(bytes, 4, 4, ChromaOrder::kUv);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 4; ++x) {
      const uint8_t* pixel = image.row(y) + 3 * x;
      EXPECT_EQ(pixel[2] > 200, x >= 2 && y < 2) << x << " " << y;
      EXPECT_EQ(pixel[0] > 200, x < 2 && y >= 2) << x << " " << y;
    }
  }
}

TEST(YuvTest, TakesTheLumaForGray) {
  EXPECT_THAT(SemiPlanarToGray(std::vector<uint8_t>{1, 2, 3, 4, 5, 6}, 2, 2).pixels,
              ElementsAreArray({1, 2, 3, 4}));
}

TEST(YuvTest, OddSizesHaveNoBytes) {
  EXPECT_EQ(SemiPlanarBytes(640, 480), 460800);
  EXPECT_EQ(SemiPlanarBytes(3, 2), 0);
  EXPECT_EQ(SemiPlanarBytes(2, 3), 0);
  EXPECT_EQ(SemiPlanarBytes(0, 2), 0);
  EXPECT_EQ(SemiPlanarBytes(-2, -2), 0);
}

}  // namespace
}  // namespace synap_internal
