#include "compiler/quantization/balanced_rounding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/tensor_type.h"

namespace synap_internal {
namespace {

using testing::ElementsAre;

TensorType BytesOf(Shape shape) {
  return {DataType::kUint8, std::move(shape), QuantParams::Affine(1, 128)};
}

TEST(BalancedRoundingTest, AKernelsErrorsAddUpToHalfAStepAtMost) {
  // To the nearest, all four would be below by 1.6 steps together.
  const std::vector<float> weights = {1.4f, 2.43f, 3.45f, 4.35f};
  EXPECT_THAT(BalancedIntegers(weights, BytesOf({1, 2, 2, 1}), 0), ElementsAre(129, 131, 132, 132));
}

TEST(BalancedRoundingTest, AChannelsErrorsAddUpToHalfAStepAtMost) {
  const std::vector<float> weights = {1.3f, 2.3f, 3.4f, 4.3f, 0.1f, 0.1f, 0.1f, 0.1f};
  EXPECT_THAT(BalancedIntegers(weights, BytesOf({2, 4}), 0),
              ElementsAre(129, 130, 132, 132, 128, 128, 128, 128));
}

TEST(BalancedRoundingTest, DepthwiseKernelsStandSideBySide) {
  const std::vector<float> weights = {1.4f, 7, 2.43f, 8, 3.45f, 9, 4.35f, 10};
  EXPECT_THAT(BalancedIntegers(weights, BytesOf({1, 2, 2, 2}), 3),
              ElementsAre(129, 135, 131, 136, 132, 137, 132, 138));
}

TEST(BalancedRoundingTest, EachChannelHasItsScale) {
  TensorType type{DataType::kInt8, {2, 2}, QuantParams::PerChannel({1, 0.1f}, 0)};
  EXPECT_THAT(BalancedIntegers(std::vector<float>{1.4f, 2.3f, 0.14f, 0.24f}, type, 0),
              ElementsAre(2, 2, 2, 2));
}

TEST(BalancedRoundingTest, NoWeightLeavesTheRange) {
  // The last two saturate; their errors can't be made up for at the range's end.
  const std::vector<float> weights = {126.6f, 127.45f, 130, 130};
  EXPECT_THAT(BalancedIntegers(weights, BytesOf({1, 2, 2, 1}), 0), ElementsAre(255, 255, 255, 255));
}

}  // namespace
}  // namespace synap_internal
