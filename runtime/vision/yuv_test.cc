#include "runtime/vision/yuv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "hwy/targets.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

Image SemiPlanarToRgb(const std::vector<uint8_t>& bytes, int width, int height, ChromaOrder order) {
  SemiPlanarRows rows(bytes, width, height, order);
  Image image = MakeImage(width, height, 3);
  for (int y = 0; y < height; ++y) {
    const uint8_t* row = nullptr;
    EXPECT_TRUE(rows.Read(absl::MakeSpan(&row, 1)).ok());
    std::copy(row, row + image.row_bytes(), image.row(y));
  }
  return image;
}

// A 2x2 image of one chroma pair.
std::vector<uint8_t> Rgb(const std::vector<uint8_t>& bytes, ChromaOrder order) {
  return SemiPlanarToRgb(bytes, 2, 2, order).pixels;
}

uint8_t ToByte(double value) {
  return static_cast<uint8_t>(std::nearbyint(std::clamp(value, 0.0, 255.0)));
}

// Every U with every V and every fourth Y, at widths around those of vectors.
TEST(YuvTest, EqualsTheFormulasOnEveryTarget) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    int next = 0;
    for (int width = 2; width <= 512; width += width < 80 ? 2 : 108) {
      const int height = 2 * (65536 / (width < 80 ? 8192 : 256));
      std::vector<uint8_t> bytes(SemiPlanarBytes(width, height));
      const size_t luma = static_cast<size_t>(width) * height;
      for (size_t i = 0; i < luma; ++i) bytes[i] = static_cast<uint8_t>(i * 4 + i / 64);
      for (size_t i = luma; i < bytes.size(); i += 2, ++next) {
        bytes[i] = static_cast<uint8_t>(next);
        bytes[i + 1] = static_cast<uint8_t>(next >> 8);
      }
      for (const ChromaOrder order : {ChromaOrder::kUv, ChromaOrder::kVu}) {
        const Image image = SemiPlanarToRgb(bytes, width, height, order);
        std::vector<uint8_t> expected;
        for (int y = 0; y < height; ++y) {
          for (int x = 0; x < width; ++x) {
            const double l = bytes[static_cast<size_t>(y) * width + x];
            const uint8_t* pair = &bytes[luma + static_cast<size_t>(y / 2) * width + x / 2 * 2];
            const double u = pair[order == ChromaOrder::kUv ? 0 : 1] - 128;
            const double v = pair[order == ChromaOrder::kUv ? 1 : 0] - 128;
            expected.push_back(ToByte(l + 1.40625 * v));
            expected.push_back(ToByte(l - 0.345458984375 * u - 0.716796875 * v));
            expected.push_back(ToByte(l + 1.7783203125 * u));
          }
        }
        EXPECT_TRUE(image.pixels == expected) << width << "x" << height;
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
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
  const std::vector<uint8_t> bytes = {1, 2, 3, 4, 5, 6};
  const ImageView luma = SemiPlanarLuma(bytes, 2, 2);
  EXPECT_EQ(luma.pixels, bytes.data());
  EXPECT_EQ(luma.size(), 4);
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
