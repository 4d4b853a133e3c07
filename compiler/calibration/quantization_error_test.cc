#include "compiler/calibration/quantization_error.h"

#include <gtest/gtest.h>

namespace synap {
namespace {

// The bins' own width doesn't show.
constexpr double kNear = 2e-3;

Histogram Even() {
  std::vector<float> values;
  for (int i = 0; i <= 4096; ++i) values.push_back(static_cast<float>(i) / 4096);
  return Histogram::Of(values, {0, 1});
}

double ErrorOf(float value, ValueRange covered, int bits) {
  const float values[] = {value};
  return MeanSquaredError(Histogram::Of(values, {value, value}), {value, value}, covered, bits);
}

TEST(QuantizationErrorTest, AStepCostsATwelfthOfItsSquare) {
  EXPECT_NEAR(MeanSquaredError(Even(), {0, 1}, {0, 1}, 1), 1.0 / 12, 1.0 / 12 * kNear);
  EXPECT_NEAR(MeanSquaredError(Even(), {0, 1}, {0, 1}, 2), 1.0 / 9 / 12, 1.0 / 9 / 12 * kNear);
  // Steps narrower than bins.
  const double step = 1.0 / 65535;
  EXPECT_NEAR(MeanSquaredError(Even(), {0, 1}, {0, 1}, 16), step * step / 12,
              step * step / 12 * kNear);
}

TEST(QuantizationErrorTest, WhatLiesOutsideSaturates) {
  // [0, 0.5] in steps of 0.5: 0.25 / 12; the other half: the mean of (x - 0.5)^2, 0.25 / 3.
  EXPECT_NEAR(MeanSquaredError(Even(), {0, 1}, {0, 0.5f}, 1), (0.25 / 12 + 0.25 / 3) / 2, 2e-4);
  EXPECT_EQ(ErrorOf(3, {0, 2}, 8), 1);
  EXPECT_EQ(ErrorOf(-3, {0, 2}, 8), 9);
  EXPECT_EQ(ErrorOf(-3, {-1, 0}, 8), 4);
}

TEST(QuantizationErrorTest, ZeroIsExact) {
  EXPECT_EQ(ErrorOf(0, {-0.3f, 0.7f}, 8), 0);
  EXPECT_EQ(ErrorOf(0, {1, 2}, 8), 0);
  EXPECT_EQ(ErrorOf(0, {0, 0}, 8), 0);
  EXPECT_EQ(ErrorOf(2, {0, 0}, 8), 4);
}

}  // namespace
}  // namespace synap
