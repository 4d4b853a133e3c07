#include "compiler/quantize/analysis/binned_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;

constexpr double kNear = 1e-3;  // the bins' own width doesn't show

// From -1 to 1, evenly.
const Histogram& Even() {
  static const Histogram* const histogram = [] {
    std::vector<float> values;
    for (int i = -4096; i <= 4096; ++i) values.push_back(static_cast<float>(i) / 4096);
    return new Histogram(Histogram::Of(values, {-1, 1}));
  }();
  return *histogram;
}

TEST(BinnedValuesTest, Means) {
  const BinnedValues values(Even(), {-1, 1});
  EXPECT_NEAR(values.Mean(), 0, kNear);
  EXPECT_NEAR(values.MeanSquare(), 1.0 / 3, kNear);
  // Half of the values are 0 then, the others' mean square is 1 / 12.
  EXPECT_NEAR(values.MeanSquareWithin({0, 0.5f}), 0.25 * 0.25 + 0.25 / 12, kNear);
}

TEST(BinnedValuesTest, PartBesideAValue) {
  const float numbers[] = {0, 0, 0, 1};
  const Histogram histogram = Histogram::Of(numbers, {0, 1});
  const BinnedValues values(histogram, {0, 1});
  EXPECT_EQ(values.PartBeside(0), 0.25);
  EXPECT_EQ(values.PartBeside(1), 0.75);
  EXPECT_EQ(values.PartBeside(6), 1);
}

TEST(BinnedValuesTest, ErrorsAreWeighedByTheBins) {
  const BinnedValues values(Even(), {-1, 1});
  // Steps of 1 / 4 from 0 to 1: what is below saturates.
  const TensorType type{DataType::kUint8, {1}, QuantParams::Affine(0.25f, 251)};
  const TensorType upper{DataType::kUint8, {1}, QuantParams::Affine(0.25f, 0)};
  EXPECT_NEAR(values.SquaredError(type), 1.0 / 16 / 12, kNear);
  EXPECT_NEAR(values.SquaredError(upper), (1.0 / 16 / 12 + 1.0 / 3) / 2, kNear);
  const std::vector<double> inside = values.Inside({0, 1});
  EXPECT_NEAR(values.MeanOf(inside), 0.5, kNear);
  EXPECT_NEAR(values.SquaredError(upper, inside), 1.0 / 16 / 12 / 2, kNear);
}

std::vector<double> Slopes(absl::string_view body, size_t operand) {
  const Graph graph = GraphOfBody(body);
  const auto slopes = BinnedValues(Even(), {-1, 1}).SquaredSlopes(graph.ops().front(), operand);
  EXPECT_TRUE(slopes.ok()) << slopes.status();
  return slopes.ok() ? *slopes : std::vector<double>();
}

TEST(BinnedValuesTest, SlopesOfFunctions) {
  const std::vector<double> relu = Slopes(R"(
    input %x: float32[2]
    %y: float32[2] = relu(%x) from "y"
    output %y)",
                                          0);
  ASSERT_EQ(relu.size(), Even().counts().size());
  EXPECT_EQ(relu.front(), 0);
  EXPECT_EQ(relu.back(), 1);
  const std::vector<double> triple = Slopes(R"(
    input %x: float32[2]
    const %c: float32[1] = [3.0]
    %y: float32[2] = mul(%c, %x) from "y"
    output %y)",
                                            1);
  EXPECT_THAT(triple, Each(DoubleNear(9, kNear)));
}

TEST(BinnedValuesTest, APoleHasNoSlope) {
  const Histogram histogram = Histogram::Of(std::vector<float>{0.5f, 1}, {0.5f, 1});
  const Graph graph = GraphOfBody(R"(
    input %x: float32[2]
    const %c: float32[1] = [0.0]
    %y: float32[2] = div(%x, %c) from "y"
    output %y)");
  const auto slopes = BinnedValues(histogram, {0.5f, 1}).SquaredSlopes(graph.ops().front(), 0);
  ASSERT_TRUE(slopes.ok()) << slopes.status();
  EXPECT_THAT(*slopes, Each(0));
}

}  // namespace
}  // namespace synap_internal
