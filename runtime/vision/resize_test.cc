#include "runtime/vision/resize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>

#include "hwy/targets.h"

namespace synap_internal {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

Image Row(std::vector<uint8_t> pixels) {
  return {static_cast<int>(pixels.size()), 1, 1, std::move(pixels)};
}

// Catmull-Rom at the distances 0.25, 0.75, 1.25, 1.75: 0.8671875, 0.2265625, -0.0703125,
// -0.0234375.
TEST(ResizeTest, EnlargesWithCatmullRom) {
  EXPECT_THAT(Resize(Row({0, 255}), 4, 1).pixels, ElementsAre(0, 52, 203, 255));
}

// Mitchell at the same distances: 0.782118, 0.256076, -0.0234375, -0.0147569; two of each make 2.
TEST(ResizeTest, ReducesWithMitchell) {
  EXPECT_THAT(Resize(Row({200, 100, 0, 50}), 2, 1).pixels, ElementsAre(138, 34));
}

TEST(ResizeTest, ColumnsAreTreatedAsRowsAre) {
  Image column = Row({200, 100, 0, 50});
  std::swap(column.width, column.height);
  const Image reduced = Resize(column, 1, 2);
  EXPECT_THAT(reduced.pixels, ElementsAre(138, 34));
}

// The other axis is smoothed by Mitchell at the distances 0 and 1: 16/18 and 1/18.
TEST(ResizeTest, SmoothsAnAxisThatKeepsItsSize) {
  const Image image = {3, 1, 1, {0, 180, 0}};
  EXPECT_THAT(Resize(image, 3, 2).pixels, ElementsAre(10, 160, 10, 10, 160, 10));
}

TEST(ResizeTest, AFlatImageStaysFlat) {
  for (const int value : {0, 1, 127, 128, 254, 255}) {
    Image image = MakeImage(17, 11, 3);
    std::fill(image.pixels.begin(), image.pixels.end(), static_cast<uint8_t>(value));
    EXPECT_THAT(Resize(image, 5, 29).pixels, Each(value));
    EXPECT_THAT(Resize(image, 40, 3).pixels, Each(value));
    EXPECT_THAT(Resize(image, 1, 1).pixels, Each(value));
  }
}

TEST(ResizeTest, ChannelsDoNotMix) {
  std::mt19937 random(1);
  Image image = MakeImage(9, 7, 4);
  for (uint8_t& pixel : image.pixels) pixel = static_cast<uint8_t>(random());
  const Image all = Resize(image, 6, 13);
  for (int c = 0; c < 4; ++c) {
    Image single = MakeImage(9, 7, 1);
    for (size_t i = 0; i < single.pixels.size(); ++i) single.pixels[i] = image.pixels[4 * i + c];
    const Image one = Resize(single, 6, 13);
    for (size_t i = 0; i < one.pixels.size(); ++i) EXPECT_EQ(one.pixels[i], all.pixels[4 * i + c]);
  }
}

Image RandomImage(int width, int height, int channels, std::mt19937& random) {
  Image image = MakeImage(width, height, channels);
  for (uint8_t& pixel : image.pixels) pixel = static_cast<uint8_t>(random());
  return image;
}

// FNV-1a of images of all channels that grow, shrink and keep a side.
uint64_t DigestOfResizedImages() {
  uint64_t digest = 14695981039346656037u;
  std::mt19937 random(3);
  for (int channels = 1; channels <= 4; ++channels) {
    for (const auto& [width, height] : {std::pair(37, 23), std::pair(5, 61), std::pair(64, 17)}) {
      const Image image = RandomImage(41, 29, channels, random);
      for (const uint8_t pixel : Resize(image, width, height).pixels) {
        digest = (digest ^ pixel) * 1099511628211u;
      }
    }
  }
  return digest;
}

// That of the scalar formulas; calibration depends on it.
TEST(ResizeTest, HasTheSameBitsOnEveryTarget) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    EXPECT_EQ(DigestOfResizedImages(), 0xf6bf0b1c3fab9817u) << hwy::TargetName(target);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Filter and edges are symmetric; only the order of the sums differs.
TEST(ResizeTest, AMirroredImageGivesTheMirroredResult) {
  std::mt19937 random(2);
  Image image = MakeImage(31, 1, 1);
  for (uint8_t& pixel : image.pixels) pixel = static_cast<uint8_t>(random());
  for (const int width : {3, 30, 32, 100}) {
    const Image forward = Resize(image, width, 1);
    Image mirrored = image;
    std::reverse(mirrored.pixels.begin(), mirrored.pixels.end());
    Image backward = Resize(mirrored, width, 1);
    std::reverse(backward.pixels.begin(), backward.pixels.end());
    for (int x = 0; x < width; ++x) EXPECT_NEAR(forward.pixels[x], backward.pixels[x], 1) << width;
  }
}

}  // namespace
}  // namespace synap_internal
