#include "base/rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace synap_internal {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(RoundingTest, HalvesGoToEven) {
  EXPECT_EQ(RoundHalfEven(0.5f), 0);
  EXPECT_EQ(RoundHalfEven(1.5f), 2);
  EXPECT_EQ(RoundHalfEven(2.5f), 2);
  EXPECT_EQ(RoundHalfEven(-1.5f), -2);
  EXPECT_EQ(RoundHalfEven(-2.5f), -2);
}

TEST(RoundingTest, RequantizeRoundsThenSaturates) {
  EXPECT_EQ(Requantize(5, 0.5f, 10, 0, 255), 12);  // 2.5 to 2
  EXPECT_EQ(Requantize(7, 0.5f, 10, 0, 255), 14);  // 3.5 to 4
  EXPECT_EQ(Requantize(-1000, 0.5f, 10, 0, 255), 0);
  EXPECT_EQ(Requantize(1000, 0.5f, 10, 0, 255), 255);
  EXPECT_EQ(Requantize(std::numeric_limits<int32_t>::max(), 1e30f, -128, -128, 127), 127);
  EXPECT_EQ(Requantize(std::numeric_limits<int32_t>::min(), 1e30f, -128, -128, 127), -128);
}

TEST(RoundingTest, QuantizeTakesEveryFloat) {
  EXPECT_EQ(QuantizeValue(1.25f, 0.5f, 128, 0, 255), 130);  // 2.5 to 2
  EXPECT_EQ(QuantizeValue(kInfinity, 0.5f, 128, 0, 255), 255);
  EXPECT_EQ(QuantizeValue(-kInfinity, 0.5f, 128, 0, 255), 0);
  EXPECT_EQ(QuantizeValue(std::nanf(""), 0.5f, 128, 0, 255), 128);
  for (int q = 0; q < 256; ++q) {
    EXPECT_EQ(QuantizeValue(DequantizeValue(q, 0.037f, 77), 0.037f, 77, 0, 255), q);
  }
}

TEST(RoundingTest, EveryHalfSurvivesTheWayThroughFloat) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const float value = HalfToFloat(static_cast<uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(HalfToFloat(FloatToHalf(value))));
    } else {
      ASSERT_EQ(FloatToHalf(value), bits);
    }
  }
}

TEST(RoundingTest, FloatToHalfRoundsHalvesToEven) {
  EXPECT_EQ(FloatToHalf(1 + 0x1p-11f), 0x3c00);             // between 1 and the next: to even
  EXPECT_EQ(FloatToHalf(1 + 0x3p-11f), 0x3c02);             // between the next two: to even
  EXPECT_EQ(FloatToHalf(1 + 0x1p-11f + 0x1p-20f), 0x3c01);  // just above the middle
  EXPECT_EQ(FloatToHalf(65504), 0x7bff);
  EXPECT_EQ(FloatToHalf(65520), 0x7c00);  // overflow
  EXPECT_EQ(FloatToHalf(0x1p-24f), 1);    // the smallest subnormal
  EXPECT_EQ(FloatToHalf(0x1p-25f), 0);
  EXPECT_EQ(FloatToHalf(-0.0f), 0x8000);
}

}  // namespace
}  // namespace synap_internal
