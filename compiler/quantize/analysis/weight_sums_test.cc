#include "compiler/quantize/analysis/weight_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

WeightSums Sums(absl::string_view body, const std::vector<float>& stored) {
  const Graph graph = GraphOfBody(body);
  return SumWeights(graph.ops().front(), stored);
}

TEST(WeightSumsTest, AreMeansOverTheOutputChannels) {
  const WeightSums sums = Sums(R"(
    input %x: float32[1x2]
    const %w: float32[2x2] = [1.0, 2.0, 3.0, 4.0]
    %y: float32[1x2] = fully_connected(%x, %w) from "Gemm"
    output %y)",
                               {1.5f, 1.5f, 3.5f, 4.5f});
  EXPECT_EQ(sums.squares, (1.0 + 4 + 9 + 16) / 2);
  EXPECT_EQ(sums.error_squares, 4 * 0.25 / 2);
  EXPECT_EQ(sums.squared_errors, (0 + 1.0) / 2);  // the first channel's errors cancel
}

TEST(WeightSumsTest, ChannelsOfADepthwiseConvolutionAreTheLastDimension) {
  const WeightSums sums = Sums(R"(
    input %x: float32[1x1x2x2]
    const %w: float32[1x1x2x2] = [1.0, 2.0, 3.0, 4.0]
    %y: float32[1x1x1x2] = depthwise_conv2d(%x, %w) from "Conv"
    output %y)",
                               {1.5f, 2.5f, 2.5f, 4.5f});
  EXPECT_EQ(sums.squares, (1.0 + 4 + 9 + 16) / 2);
  EXPECT_EQ(sums.squared_errors, (0 + 1.0) / 2);
}

TEST(WeightSumsTest, AnOutputOfATransposedConvolutionReadsOnePhase) {
  const WeightSums sums = Sums(R"(
    input %x: float32[1x1x2x1]
    const %w: float32[1x1x2x1] = [3.0, 4.0]
    %y: float32[1x1x4x1] = conv_transpose2d(%x, %w) {strides=[1, 2]} from "Conv"
    output %y)",
                               {3.5f, 4.5f});
  EXPECT_EQ(sums.squares, 25.0 / 2);
  EXPECT_EQ(sums.error_squares, 0.5 / 2);
  EXPECT_EQ(sums.squared_errors, 0.25);
}

TEST(WeightSumsTest, WithoutStoredWeightsThereAreNoErrors) {
  const WeightSums sums = Sums(R"(
    input %x: float32[1x1]
    const %w: float32[1x1] = [2.0]
    %y: float32[1x1] = fully_connected(%x, %w) from "Gemm"
    output %y)",
                               {});
  EXPECT_EQ(sums.squares, 4);
  EXPECT_EQ(sums.error_squares, 0);
  EXPECT_EQ(sums.squared_errors, 0);
}

TEST(WeightSumsTest, RealValues) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[2]
    const %a: float32[2] = [1.5, -2.0]
    const %b: uint8[2]<affine 0.5 128> = [129, 126]
    const %c: int64[2] = [1, 2]
    %y: float32[2] = add(%x, %a) from "y"
    output %y)");
  EXPECT_THAT(RealValues(*graph.FindTensor("a")), ElementsAre(1.5f, -2.0f));
  EXPECT_THAT(RealValues(*graph.FindTensor("b")), ElementsAre(0.5f, -1.0f));
  EXPECT_THAT(RealValues(*graph.FindTensor("c")), IsEmpty());
}

}  // namespace
}  // namespace synap_internal
