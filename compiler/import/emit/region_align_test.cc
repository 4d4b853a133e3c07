#include "compiler/import/emit/region_align.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "compiler/import/emit/emitted_graph.h"

namespace synap_internal {
namespace region_align_test {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

constexpr int64_t kHeight = 5, kWidth = 7;

// The image, a row after the other, between its pixels; 0 farther than a pixel outside.
double Read(const std::vector<float>& image, double y, double x) {
  if (y < -1 || y > kHeight || x < -1 || x > kWidth) return 0;
  const auto along = [](double at, int64_t size) {
    return std::clamp(at, 0.0, static_cast<double>(size - 1));
  };
  double sum = 0;
  for (int64_t row = 0; row < kHeight; ++row) {
    for (int64_t column = 0; column < kWidth; ++column) {
      const double dy = std::fabs(along(y, kHeight) - static_cast<double>(row));
      const double dx = std::fabs(along(x, kWidth) - static_cast<double>(column));
      sum += std::max(0.0, 1 - dy) * std::max(0.0, 1 - dx) *
             static_cast<double>(image[static_cast<size_t>(row * kWidth + column)]);
    }
  }
  return sum;
}

// The definition for one region (left, top, right, bottom) in 2 x 3 parts.
std::vector<float> Align(const std::vector<float>& image, const std::vector<double>& region,
                         bool half_pixel) {
  const double shift = half_pixel ? 0.5 : 0, least = half_pixel ? -1e9 : 1;
  const double left = region[0] - shift, top = region[1] - shift;
  const double high = std::max(region[3] - region[1], least) / 2;
  const double wide = std::max(region[2] - region[0], least) / 3;
  const int rows = static_cast<int>(std::ceil(high)), columns = static_cast<int>(std::ceil(wide));
  std::vector<float> parts;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      double sum = 0;
      for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
          sum += Read(image, top + (i + (row + 0.5) / rows) * high,
                      left + (j + (column + 0.5) / columns) * wide);
        }
      }
      parts.push_back(static_cast<float>(sum / std::max(rows * columns, 1)));
    }
  }
  return parts;
}

// Inside, of less than a pixel, beyond all edges, far larger than the image, outside, without a
// size and turned around.
const std::vector<std::vector<double>> kRegions = {
    {1.2, 0.4, 5.9, 4.3}, {2, 2, 2.25, 2.5}, {-3, -2, 11, 9}, {-400, -300.5, 500, 280},
    {40, 1, 44, 3},       {3, 1, 3, 4},      {5, 4, 1, 1},    {0, 0, 6, 4}};

TEST(RegionAlignTest, WithoutANumberOfSamplesTheSizesOfPartsCount) {
  std::vector<float> pixels, boxes;
  for (int64_t i = 0; i < 2 * kHeight * kWidth; ++i) {
    pixels.push_back(static_cast<float>(i * 37 % 101 - 50));
  }
  for (const std::vector<double>& region : kRegions) {
    for (const double edge : region) boxes.push_back(static_cast<float>(edge));
  }
  const auto regions = static_cast<int64_t>(kRegions.size());
  for (const bool half_pixel : {true, false}) {
    for (const bool computed : {true, false}) {
      EmittedGraph graph;
      RoiAlign align{graph.Input({1, 2, kHeight, kWidth})};
      align.rois = computed ? graph.Input({regions, 4}) : graph.Constant({regions, 4}, boxes);
      align.images = graph.Ints(std::vector<int64_t>(kRegions.size(), 0));
      align.output = {2, 3};
      align.samples = 0;
      align.half_pixel = half_pixel;
      std::vector<float> expected;
      for (const std::vector<double>& region : kRegions) {
        for (int channel = 0; channel < 2; ++channel) {
          const auto begin = pixels.begin() + channel * kHeight * kWidth;
          const std::vector<float> parts =
              Align({begin, begin + kHeight * kWidth}, region, half_pixel);
          expected.insert(expected.end(), parts.begin(), parts.end());
        }
      }
      std::vector<std::vector<float>> inputs = {pixels};
      if (computed) inputs.push_back(boxes);
      EXPECT_THAT(graph.Run(EmitRoiAlign(graph.op(), align), inputs),
                  Pointwise(FloatNear(2e-3f), expected));
    }
  }
}

TEST(RegionAlignTest, EachRegionHasItsImage) {
  EmittedGraph graph;
  RoiAlign align{graph.Input({2, 1, 1, 4}), graph.Constant({2, 4}, {0, 0, 4, 1, 0, 0, 2, 1}),
                 graph.Ints({1, 0})};
  align.samples = 0;
  EXPECT_THAT(graph.Run(EmitRoiAlign(graph.op(), align), {{1, 2, 3, 4, 10, 20, 30, 40}}),
              ElementsAre(25, 1.5f));
}

TEST(RegionAlignTest, RefusesNegativeSamples) {
  EmittedGraph graph;
  RoiAlign align{graph.Input({1, 1, 1, 4}), graph.Input({1, 4}), graph.Ints({0})};
  align.samples = -1;
  EXPECT_THAT(graph.Text(EmitRoiAlign(graph.op(), align)),
              HasSubstr("its sampling ratio is [-1], expected 0 to 1024"));
}

}  // namespace region_align_test
}  // namespace synap_internal
