#include "compiler/quantize/ranges/quantization_error.h"

#include <gtest/gtest.h>

namespace synap_internal {
namespace {

// The bins' own width doesn't show.
constexpr double kNear = 2e-3;

Histogram Even() {
  std::vector<float> values;
  for (int i = 0; i <= 4096; ++i) values.push_back(static_cast<float>(i) / 4096);
  return Histogram::Of(values, {0, 1});
}

// `count` steps of `step` from 0 on, then saturation.
double EvenError(float step, int count, DataType type = DataType::kUint8) {
  const auto last = static_cast<int32_t>(RangeOf(type).max);
  return MeanSquaredError(Even(), {0, 1}, QuantParams::Affine(step, last - count), type);
}

double ErrorOf(float value, const QuantParams& quantizer, DataType type) {
  const float values[] = {value};
  return MeanSquaredError(Histogram::Of(values, {value, value}), {value, value}, quantizer, type);
}

TEST(QuantizationErrorTest, AStepCostsATwelfthOfItsSquare) {
  EXPECT_NEAR(EvenError(1, 1), 1.0 / 12, 1.0 / 12 * kNear);
  EXPECT_NEAR(EvenError(1.0f / 3, 3), 1.0 / 9 / 12, 1.0 / 9 / 12 * kNear);
  // Steps narrower than bins.
  const double step = 1.0 / 65535;
  EXPECT_NEAR(EvenError(1.0f / 65535, 65535, DataType::kInt16), step * step / 12,
              step * step / 12 * kNear);
}

TEST(QuantizationErrorTest, WhatLiesOutsideSaturates) {
  // [0, 0.5] in steps of 0.5: 0.25 / 12; the other half: the mean of (x - 0.5)^2, 0.25 / 3.
  EXPECT_NEAR(EvenError(0.5f, 1), (0.25 / 12 + 0.25 / 3) / 2, 2e-4);
  const QuantParams from_0_to_255 = QuantParams::Affine(1, 0);
  EXPECT_EQ(ErrorOf(257, from_0_to_255, DataType::kUint8), 4);
  EXPECT_EQ(ErrorOf(-3, from_0_to_255, DataType::kUint8), 9);
  EXPECT_EQ(ErrorOf(-3, QuantParams::Affine(1, 1), DataType::kUint8), 4);
}

TEST(QuantizationErrorTest, FixedPointReachesAsFarOnBothSidesAsItsIntegersDo) {
  const QuantParams quarters = QuantParams::FixedPoint(2);
  EXPECT_EQ(ErrorOf(31.75f, quarters, DataType::kInt8), 0);
  EXPECT_EQ(ErrorOf(33, quarters, DataType::kInt8), 1.25 * 1.25);
  EXPECT_EQ(ErrorOf(-32, quarters, DataType::kInt8), 0);
  EXPECT_EQ(ErrorOf(-33, quarters, DataType::kInt8), 1);
  EXPECT_EQ(ErrorOf(33, quarters, DataType::kInt16), 0);
}

TEST(QuantizationErrorTest, TheErrorIsTheMeanOfThatOfItsBins) {
  std::vector<float> values(9, 0.25f);
  values.insert(values.end(), {0, 1, 2});
  const Histogram histogram = Histogram::Of(values, {0, 2});
  const QuantParams thirds = QuantParams::Affine(1.0f / 3, 250);
  const std::vector<double> errors = BinErrors(histogram, {0, 2}, thirds, DataType::kUint8);
  ASSERT_EQ(errors.size(), histogram.counts().size());
  double sum = 0;
  for (size_t i = 0; i < errors.size(); ++i) {
    const auto count = static_cast<double>(histogram.counts()[i]);
    EXPECT_EQ(errors[i] == 0, count == 0) << i;
    sum += count * errors[i];
  }
  EXPECT_NEAR(sum / static_cast<double>(values.size()),
              MeanSquaredError(histogram, {0, 2}, thirds, DataType::kUint8), 1e-12);
}

TEST(QuantizationErrorTest, ZeroIsExact) {
  EXPECT_EQ(ErrorOf(0, QuantParams::Affine(0.3f, 77), DataType::kUint8), 0);
  EXPECT_EQ(ErrorOf(0, QuantParams::Affine(0.3f, -128), DataType::kInt8), 0);
  EXPECT_EQ(ErrorOf(0, QuantParams::FixedPoint(-7), DataType::kInt8), 0);
}

TEST(QuantizationErrorTest, PartOfAStepHasTheErrorsOfThatPart) {
  // From 0 to 1 in steps of 4: the mean of x^2.
  EXPECT_NEAR(EvenError(4, 1), 1.0 / 3, 1.0 / 3 * kNear);
}

}  // namespace
}  // namespace synap_internal
