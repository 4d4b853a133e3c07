#include "base/float_math.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "gtest/gtest.h"

namespace synap_internal {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

float FromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// Distance in units of the last place that a float near `exact` has.
double UlpError(float found, double exact) {
  const float rounded = static_cast<float>(exact);
  if (found == rounded || (std::isnan(found) && std::isnan(rounded))) return 0;
  if (!std::isfinite(rounded) || !std::isfinite(found)) return 1e30;
  const int exponent = std::max(std::ilogb(exact), -126);
  return std::fabs(static_cast<double>(found) - exact) / std::ldexp(1.0, exponent - 23);
}

// The largest error over floats of either sign, `step` apart in their bits.
template <typename F, typename G>
double LargestError(F found, G exact, float low, float high, uint32_t step = 4099) {
  double largest = 0;
  for (uint64_t bits = 0; bits <= 0xFFFFFFFFu; bits += step) {
    const float x = FromBits(static_cast<uint32_t>(bits));
    if (!(x >= low && x <= high)) continue;
    const double error = UlpError(found(x), exact(static_cast<double>(x)));
    if (error > largest) largest = error;
  }
  return largest;
}

double ExactSigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double ExactSoftplus(double x) { return x > 30 ? x + std::exp(-x) : std::log1p(std::exp(x)); }
double ExactMish(double x) { return x * std::tanh(ExactSoftplus(x)); }
double ExactGelu(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }

TEST(FloatMathTest, ExpIsWithinOneUlp) {
  EXPECT_LT(LargestError(Exp, static_cast<double (*)(double)>(std::exp), -kInf, kInf), 1.0);
}

TEST(FloatMathTest, ExpMinus1IsWithinTwoUlp) {
  EXPECT_LT(LargestError(ExpMinus1, static_cast<double (*)(double)>(std::expm1), -kInf, 0), 2.0);
}

TEST(FloatMathTest, LogIsWithinOneUlp) {
  EXPECT_LT(LargestError(Log, static_cast<double (*)(double)>(std::log), 0, kInf), 1.0);
}

TEST(FloatMathTest, TanhIsWithinTwoUlp) {
  EXPECT_LT(LargestError(Tanh, static_cast<double (*)(double)>(std::tanh), -kInf, kInf), 2.0);
}

TEST(FloatMathTest, SigmoidIsWithinTwoAndAHalfUlp) {
  EXPECT_LT(LargestError(Sigmoid, ExactSigmoid, -kInf, kInf), 2.5);
}

TEST(FloatMathTest, ErfIsWithinTwoUlp) {
  EXPECT_LT(LargestError(Erf, static_cast<double (*)(double)>(std::erf), -kInf, kInf), 2.0);
}

TEST(FloatMathTest, SoftplusIsWithinThreeUlp) {
  EXPECT_LT(LargestError(Softplus, ExactSoftplus, -kInf, kInf), 3.0);
}

TEST(FloatMathTest, MishIsWithinFourUlp) {
  EXPECT_LT(LargestError(Mish, ExactMish, -80, 1e30f), 4.0);
}

TEST(FloatMathTest, GeluHasASmallAbsoluteError) {
  for (float x = -20; x <= 20; x += 0.00137f) {
    const double exact = ExactGelu(x);
    const double bound = 2e-7 * std::max(1.0, std::fabs(static_cast<double>(x)));
    ASSERT_NEAR(Gelu(x), exact, bound) << x;
    const double inner = std::sqrt(2 / M_PI) * (x + 0.044715 * std::pow(x, 3));
    ASSERT_NEAR(GeluApproximate(x), 0.5 * x * (1 + std::tanh(inner)), bound) << x;
  }
}

TEST(FloatMathTest, PowIsWithinOneUlp) {
  for (const float y : {0.25f, 0.33333334f, 0.5f, 0.75f, 1.5f, 2.0f, 3.0f, 10.0f, 0.0f, -0.5f,
                        -1.0f, -2.0f, -7.25f, 100.0f, 1e-6f}) {
    const double error = LargestError([y](float x) { return Pow(x, y); },
                                      [y](double x) { return std::pow(x, y); }, 0, kInf, 65537);
    EXPECT_LT(error, 1.0) << y;
  }
}

TEST(FloatMathTest, PowFollowsIeeeInSpecialCases) {
  const float values[] = {0.0f, -0.0f, 1,    -1,    2,      -2,      0.5f, -0.5f, 3,
                          -3,   1e30f, kInf, -kInf, 1e-30f, -1e-30f, 2.5f, -1e9f, 16777216};
  for (const float x : values) {
    for (const float y : values) {
      const float expected = static_cast<float>(std::pow(static_cast<double>(x), y));
      const float found = Pow(x, y);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(found)) << x << "^" << y;
      } else {
        EXPECT_FLOAT_EQ(found, expected) << x << "^" << y;
        EXPECT_EQ(std::signbit(found), std::signbit(expected)) << x << "^" << y;
      }
    }
  }
  EXPECT_EQ(Pow(kNaN, 0), 1);
  EXPECT_EQ(Pow(1, kNaN), 1);
  EXPECT_TRUE(std::isnan(Pow(kNaN, 1)));
  EXPECT_TRUE(std::isnan(Pow(2, kNaN)));
}

TEST(FloatMathTest, LimitsAreExact) {
  EXPECT_EQ(Exp(kInf), kInf);
  EXPECT_EQ(Exp(-kInf), 0);
  EXPECT_EQ(Exp(0), 1);
  EXPECT_EQ(ExpMinus1(-kInf), -1);
  EXPECT_EQ(Log(0), -kInf);
  EXPECT_EQ(Log(1), 0);
  EXPECT_TRUE(std::isnan(Log(-1)));
  EXPECT_EQ(Tanh(kInf), 1);
  EXPECT_EQ(Tanh(-kInf), -1);
  EXPECT_EQ(Sigmoid(-kInf), 0);
  EXPECT_EQ(Sigmoid(0), 0.5f);
  EXPECT_EQ(Erf(-kInf), -1);
  EXPECT_EQ(Softplus(kInf), kInf);
  EXPECT_TRUE(std::signbit(Tanh(-0.0f)));
  for (float (*function)(float) :
       {Exp, ExpMinus1, Log, Tanh, Sigmoid, Erf, Softplus, Mish, Gelu, GeluApproximate}) {
    EXPECT_TRUE(std::isnan(function(kNaN)));
  }
}

TEST(FloatMathTest, IntegerDivisionTruncatesAndTheRemainderIsFloored) {
  EXPECT_EQ(TruncatedDivide<int64_t>(-7, 2), -3);
  EXPECT_EQ(TruncatedDivide<int64_t>(7, 0), 0);
  EXPECT_EQ(TruncatedDivide<int32_t>(INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(FlooredRemainder<int64_t>(-7, 3), 2);
  EXPECT_EQ(FlooredRemainder<int64_t>(7, -3), -2);
  EXPECT_EQ(FlooredRemainder<int64_t>(6, 3), 0);
  EXPECT_EQ(FlooredRemainder<int64_t>(INT64_MIN, -1), 0);
}

}  // namespace
}  // namespace synap_internal
