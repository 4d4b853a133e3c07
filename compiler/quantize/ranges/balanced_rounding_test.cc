#include "compiler/quantize/ranges/balanced_rounding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
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

TEST(BalancedRoundingTest, KernelsOfTwoTapsAreBalancedToo) {
  EXPECT_THAT(BalancedIntegers(std::vector<float>{1.47f, 7, 2.43f, 8}, BytesOf({1, 2, 1, 2}), 3),
              ElementsAre(130, 135, 130, 136));
  EXPECT_THAT(BalancedIntegers(std::vector<float>{1, 2, 1.47f, 2.43f}, BytesOf({2, 2, 1, 1}), 0),
              ElementsAre(129, 130, 130, 130));
}

TEST(BalancedRoundingTest, NoWeightsGiveNoIntegers) {
  EXPECT_TRUE(BalancedIntegers({}, BytesOf({0, 4}), 0).empty());
  EXPECT_TRUE(BalancedIntegers({}, BytesOf({1, 2, 2, 0}), 3).empty());
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

TEST(BalancedRoundingTest, WeightsReachTheEndsOfTheRange) {
  // Below by 0.9 steps, the first one moves to 255; above by 0.86, to 0.
  EXPECT_THAT(BalancedIntegers(std::vector<float>{126.5f, 1.4f}, BytesOf({1, 2, 1, 1}), 0),
              ElementsAre(255, 129));
  EXPECT_THAT(BalancedIntegers(std::vector<float>{-127.46f, -1.4f}, BytesOf({1, 2, 1, 1}), 0),
              ElementsAre(0, 127));
}

TEST(BalancedRoundingTest, NoWeightFallsBelowTheRange) {
  EXPECT_THAT(BalancedIntegers(std::vector<float>{-128.45f, -128.4f}, BytesOf({1, 2, 1, 1}), 0),
              ElementsAre(0, 0));
}

TEST(BalancedRoundingTest, ErrorsAboveAreTakenBack) {
  // To the nearest, all four would be above, by 1.63 steps together.
  const std::vector<float> weights = {1.6f, 2.57f, 3.55f, 4.65f};
  EXPECT_THAT(BalancedIntegers(weights, BytesOf({1, 2, 2, 1}), 0), ElementsAre(130, 130, 131, 133));
}

TEST(BalancedRoundingTest, ExactWeightsStay) {
  // 130 saturates at 127; nothing can make up for that.
  EXPECT_THAT(BalancedIntegers(std::vector<float>{130, 5, 6}, BytesOf({1, 3, 1, 1}), 0),
              ElementsAre(255, 133, 134));
}

TEST(BalancedRoundingTest, WhereOneWeightIsNoNumberTheOthersAreRoundedToTheNearest) {
  EXPECT_THAT(BalancedIntegers(std::vector<float>{NAN, 1.3f, 2.4f}, BytesOf({1, 3, 1, 1}), 0),
              ElementsAre(128, 129, 130));
}

TEST(BalancedRoundingTest, AKernelGivesItsChannelTheWeightThatIsFurthestOff) {
  // Two taps of three kernels: 1 and 1, 1 and 1.375, 1 and 2.375.
  EXPECT_THAT(
      BalancedIntegers(std::vector<float>{1, 1, 1, 1, 1.375f, 2.375f}, BytesOf({1, 2, 1, 3}), 0),
      ElementsAre(129, 129, 129, 129, 130, 130));
  // The first of equals.
  EXPECT_THAT(
      BalancedIntegers(std::vector<float>{1.25f, 1.25f, 2.25f, 2.25f}, BytesOf({1, 2, 1, 2}), 0),
      ElementsAre(130, 129, 130, 130));
}

TEST(BalancedRoundingTest, DepthwiseChannelsDoNotMakeUpForEachOther) {
  const std::vector<float> weights = {1.4f, 7.4f, 2, 8};
  EXPECT_THAT(BalancedIntegers(weights, BytesOf({1, 2, 1, 2}), 3), ElementsAre(129, 135, 130, 136));
}

}  // namespace
}  // namespace synap_internal
