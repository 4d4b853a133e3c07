#include "compiler/quantize/ranges/dominant_bias.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

// A layer of two channels; its largest weight is 0.5, its largest bias 8192.
constexpr absl::string_view kLayer = R"(
    input %x: float32[1x2]
    const %w: float32[2x2] = [-0.5, 0.25, 0, 0]
    const %b: float32[2] = [1, -8192]
    %y: float32[1x2] = fully_connected(%x, %w, %b) from "fc"
    output %y)";

TEST(DominantBiasTest, ABiasUpTo8192TimesTheLargestProductIsUsual) {
  const Graph graph = GraphOfBody(kLayer);
  const Op& op = graph.ops().front();
  EXPECT_TRUE(HasRealBias(op));
  EXPECT_THAT(DescribeDominantBias(op, {0, 2}), IsEmpty());  // 8192 * (2 * 0.5)
  EXPECT_THAT(DescribeDominantBias(op, {-2, 0}), IsEmpty());
}

TEST(DominantBiasTest, NamesTheWeightsIfTheyAreTheSmallerFactor) {
  const Graph graph = GraphOfBody(kLayer);
  EXPECT_THAT(DescribeDominantBias(graph.ops().front(), {-1, 1.5f}),
              HasSubstr("weights of at most 0.5 beside a bias of 8192"));
  EXPECT_THAT(DescribeDominantBias(graph.ops().front(), {0, 0.5f}),
              HasSubstr("weights of at most 0.5 beside a bias of 8192"));
}

TEST(DominantBiasTest, NamesTheInputIfItIsTheSmallerFactor) {
  const Graph graph = GraphOfBody(kLayer);
  EXPECT_THAT(DescribeDominantBias(graph.ops().front(), {-0.25f, 0}),
              AllOf(HasSubstr("'x'"), HasSubstr("at most 0.25"), HasSubstr("a bias of 8192")));
}

TEST(DominantBiasTest, OnlyLayersWithConstantWeightsAndBiasHaveARealBias) {
  const Graph without_bias = GraphOfBody(R"(
    input %x: float32[1x2]
    const %w: float32[2x2] = [1, 2, 3, 4]
    %y: float32[1x2] = fully_connected(%x, %w) from "fc"
    output %y)");
  EXPECT_FALSE(HasRealBias(without_bias.ops().front()));
  const Graph computed_bias = GraphOfBody(R"(
    input %x: float32[1x2]
    input %b: float32[2]
    const %w: float32[2x2] = [1, 2, 3, 4]
    %y: float32[1x2] = fully_connected(%x, %w, %b) from "fc"
    output %y)");
  EXPECT_FALSE(HasRealBias(computed_bias.ops().front()));
  const Graph computed_weights = GraphOfBody(R"(
    input %x: float32[1x2]
    input %w: float32[2x2]
    const %b: float32[2] = [1, 2]
    %y: float32[1x2] = fully_connected(%x, %w, %b) from "fc"
    output %y)");
  EXPECT_FALSE(HasRealBias(computed_weights.ops().front()));
  const Graph no_layer = GraphOfBody(R"(
    input %x: float32[2]
    const %low: float32[2] = [1, 2]
    const %high: float32[2] = [1, 2]
    input %c: bool[2]
    %y: float32[2] = where(%c, %low, %high) from "where"
    output %y)");
  EXPECT_FALSE(HasRealBias(no_layer.ops().front()));
  const Graph quantized = GraphOfBody(R"(
    input %x: uint8[1x2]<affine 0.5 3>
    const %w: uint8[2x2]<affine 0.25 128> = [1, 2, 3, 4]
    const %b: int32[2]<affine 0.125 0> = [1, 2]
    %y: uint8[1x2]<affine 1 3> = fully_connected(%x, %w, %b) from "fc"
    output %y)");
  EXPECT_FALSE(HasRealBias(quantized.ops().front()));
}

}  // namespace
}  // namespace synap_internal
