#include "runtime/vision/resize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

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

// An axis of the filter, straight from its definition in resize.h: weights[out][in].
std::vector<std::vector<float>> DenseAxis(int in_size, int out_size) {
  const bool grows = out_size > in_size;
  const double in_per_out = static_cast<double>(in_size) / out_size;
  const double unit = grows ? 1 : in_per_out;
  std::vector<std::vector<float>> axis;
  for (int out = 0; out < out_size; ++out) {
    const double center = (out + 0.5) * in_per_out;
    std::vector<double> weights(static_cast<size_t>(in_size));
    double total = 0;
    const int begin = static_cast<int>(std::floor(center - 2 * unit + 0.5));
    const int end = static_cast<int>(std::floor(center + 2 * unit - 0.5)) + 1;
    for (int in = begin; in < end; ++in) {
      const double x = std::abs(in + 0.5 - center) / unit;
      double weight = 0;
      if (grows && x < 1) weight = 1 - x * x * (2.5 - 1.5 * x);
      if (grows && x >= 1 && x < 2) weight = 2 - x * (4 + x * (0.5 * x - 2.5));
      if (!grows && x < 1) weight = (16 + x * x * (21 * x - 36)) / 18;
      if (!grows && x >= 1 && x < 2) weight = (32 + x * (-60 + x * (36 - 7 * x))) / 18;
      weights[static_cast<size_t>(std::clamp(in, 0, in_size - 1))] += weight;
      total += weight;
    }
    axis.emplace_back();
    for (const double weight : weights) axis.back().push_back(static_cast<float>(weight / total));
  }
  return axis;
}

// Resize, pixel by pixel. A weight of zero adds nothing.
Image ResizePixelByPixel(const Image& image, int width, int height) {
  const auto columns = DenseAxis(image.width, width), rows = DenseAxis(image.height, height);
  const auto channels = static_cast<size_t>(image.channels);
  std::vector<std::vector<float>> wide;  // [image.height][width * channels]
  for (int y = 0; y < image.height; ++y) {
    wide.emplace_back();
    for (const std::vector<float>& weights : columns) {
      for (size_t c = 0; c < channels; ++c) {
        float sum = 0;
        for (size_t x = 0; x < weights.size(); ++x) {
          sum += weights[x] * (static_cast<float>(image.row(y)[x * channels + c]) / 255.0f);
        }
        wide.back().push_back(sum);
      }
    }
  }
  Image result = MakeImage(width, height, image.channels);
  for (int y = 0; y < height; ++y) {
    for (size_t i = 0; i < result.row_bytes(); ++i) {
      float sum = 0;
      for (size_t from = 0; from < wide.size(); ++from) {
        sum += rows[static_cast<size_t>(y)][from] * wide[from][i];
      }
      const float scaled = std::clamp(sum, 0.0f, 1.0f) * 255.0f + 0.5f;
      result.row(y)[i] = static_cast<uint8_t>(scaled);
    }
  }
  return result;
}

// Calls check() once for each target that this processor runs.
template <typename Check>
void OnEveryTarget(const Check& check) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(ResizeTest, EqualsThePixelByPixelFormOnEveryTarget) {
  std::mt19937 random(4);
  const auto side = [&](int limit) { return 1 + static_cast<int>(random() % limit); };
  for (int i = 0; i < 60; ++i) {
    const int channels = 1 + i % 4;
    // Widths of several tiles, few rows; then the other way round.
    const bool is_wide = i % 3 != 0;
    const Image image =
        RandomImage(side(is_wide ? 400 : 9), side(is_wide ? 40 : 90), channels, random);
    const int width = side(is_wide ? 300 : 9), height = side(is_wide ? 9 : 90);
    const Image expected = ResizePixelByPixel(image, width, height);
    OnEveryTarget([&] {
      EXPECT_TRUE(Resize(image, width, height).pixels == expected.pixels)
          << image.width << "x" << image.height << " to " << width << "x" << height << ", "
          << channels << " channels";
    });
  }
}

// Each weight is of a block's last row or of its first one somewhere.
TEST(ResizeTest, ReadsEveryRowOfABlock) {
  std::mt19937 random(5);
  for (int height = 1; height <= 50; ++height) {
    const Image image = RandomImage(3, height, 1, random);
    for (const int to : {1, height / 3 + 1, height, height + 7}) {
      EXPECT_TRUE(Resize(image, 2, to).pixels == ResizePixelByPixel(image, 2, to).pixels)
          << height << " rows to " << to;
    }
  }
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
  OnEveryTarget([] { EXPECT_EQ(DigestOfResizedImages(), 0xf6bf0b1c3fab9817u); });
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
