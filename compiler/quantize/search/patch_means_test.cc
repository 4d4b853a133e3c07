#include "compiler/quantize/search/patch_means.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "compiler/quantize/search/matrices.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using testing::DoubleEq;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

// Expects the means of the patches one by one, over two samples.
void ExpectMeansOfPatches(const std::string& body) {
  const Graph graph = GraphOfBody(body);
  const PatchLayout layout = PatchLayout::Of(*graph.FindTensor("y")->producer);
  std::vector<int64_t> positions(static_cast<size_t>(layout.positions));
  std::iota(positions.begin(), positions.end(), 0);
  PatchMeans means(layout);
  std::vector<double> expected(static_cast<size_t>(layout.groups * layout.inputs));
  for (const int factor : {3, 7}) {
    std::vector<float> x(static_cast<size_t>(layout.x.elements()));
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>(static_cast<int>(i) * factor % 11);
    means.Add(x);
    Matrices patches(layout.groups, layout.positions, layout.inputs);
    CopyPatches(layout, x, positions, 0, patches);
    for (size_t i = 0; i < expected.size(); ++i) {
      const auto input = static_cast<int64_t>(i);
      for (const int64_t position : positions) {
        const float value = patches.row(input / layout.inputs,
                                        position)[static_cast<size_t>(input % layout.inputs)];
        expected[i] += static_cast<double>(value) / (2 * static_cast<double>(positions.size()));
      }
    }
  }
  EXPECT_THAT(means.Means(), Pointwise(DoubleNear(1e-12), expected));
}

TEST(PatchMeansTest, OfAConvolutionWithGroupsStridesDilationsAndPads) {
  ExpectMeansOfPatches(
      "input %x: float32[2x5x4x4]\ninput %w: float32[6x3x2x2]\n"
      "%y: float32[2x3x3x6] = conv2d(%x, %w) {groups=2, strides=[2, 1], dilations=[1, 2], "
      "pads=[1, 0, 1, 1]} from \"y\"\noutput %y");
}

TEST(PatchMeansTest, OfADepthwiseConvolution) {
  ExpectMeansOfPatches(
      "input %x: float32[1x6x6x3]\ninput %w: float32[1x3x3x3]\n"
      "%y: float32[1x3x3x3] = depthwise_conv2d(%x, %w) {strides=[2, 2], pads=[0, 1, 1, 0]} from "
      "\"y\"\noutput %y");
}

TEST(PatchMeansTest, OfAStrideThatSkipsPixels) {
  ExpectMeansOfPatches(
      "input %x: float32[1x7x7x2]\ninput %w: float32[4x1x1x2]\n"
      "%y: float32[1x3x3x4] = conv2d(%x, %w) {strides=[3, 3]} from \"y\"\noutput %y");
}

TEST(PatchMeansTest, OfAFullyConnectedLayer) {
  ExpectMeansOfPatches(
      "input %x: float32[2x3x5]\ninput %w: float32[4x5]\n"
      "%y: float32[2x3x4] = fully_connected(%x, %w) from \"y\"\noutput %y");
}

TEST(PatchMeansTest, ATapInThePaddingCountsAsZero) {
  const Graph graph = GraphOfBody(
      "input %x: float32[1x1x4x1]\ninput %w: float32[1x1x3x1]\n"
      "%y: float32[1x1x4x1] = conv2d(%x, %w) {pads=[0, 1, 0, 1]} from \"y\"\noutput %y");
  PatchMeans means(PatchLayout::Of(*graph.FindTensor("y")->producer));
  EXPECT_THAT(means.Means(), ElementsAre(0, 0, 0));
  means.Add(std::vector<float>{8, 8, 8, 8});
  EXPECT_THAT(means.Means(), ElementsAre(DoubleEq(6), DoubleEq(8), DoubleEq(6)));
}

}  // namespace
}  // namespace synap_internal
