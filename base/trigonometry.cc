#include "base/trigonometry.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "base/double_math.h"

namespace synap_internal {
namespace {

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
constexpr double kDoubleInfinity = std::numeric_limits<double>::infinity();

// pi / 2 = high + low to 107 bits.
constexpr double kHalfPiHigh = 0x1.921fb54442d18p+0;
constexpr double kHalfPiLow = 0x1.1a62633145c07p-54;
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
// 2 / pi = 0.[these words in turn]; as many bits as the largest float needs.
constexpr uint32_t kTwoOverPiBits[] = {0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0,
                                       0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561};

// Taylor series in x^2: sin(x) / x and cos(x) for |x| <= pi / 4, sinh(x) / x for |x| <= 1.
constexpr double kSin[] = {1.0,          -1.0 / 6,        1.0 / 120,         -1.0 / 5040,
                           1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0};
constexpr double kCos[] = {1.0,         -1.0 / 2,       1.0 / 24,        -1.0 / 720,
                           1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200.0};
constexpr double kSinh[] = {1.0,          1.0 / 6,        1.0 / 120,         1.0 / 5040,
                            1.0 / 362880, 1.0 / 39916800, 1.0 / 6227020800.0};
// atan(x) / x in x^2 for |x| <= tan(pi / 8).
constexpr double kAtan[] = {1.0,       -1.0 / 3,  1.0 / 5,   -1.0 / 7, 1.0 / 9,
                            -1.0 / 11, 1.0 / 13,  -1.0 / 15, 1.0 / 17, -1.0 / 19,
                            1.0 / 21,  -1.0 / 23, 1.0 / 25,  -1.0 / 27};

// x = quadrant * pi / 2 + rest, |rest| a little above pi / 4 at most.
struct ReducedAngle {
  unsigned quadrant;  // modulo 4
  double rest;
};

// For finite |x| >= 2^25, M. Payne's and R. Hanek's way: of 2 / pi only those
// bits are multiplied whose product with x isn't a multiple of 4.
ReducedAngle ReduceLargeAngle(double x) {
  int exponent;
  const auto mantissa = static_cast<uint64_t>(std::ldexp(std::frexp(std::fabs(x), &exponent), 24));
  const int first = exponent - 24 - 2;  // bit of 2 / pi, counted from 0, whose weight becomes 2
  unsigned __int128 window = 0;
  for (int bit = first; bit < first + 128; ++bit) {
    window = window << 1 | (kTwoOverPiBits[bit / 32] >> (31 - bit % 32) & 1);
  }
  // Fixed point with two integer bits and 126 fraction bits; higher bits wrap.
  const unsigned __int128 product = window * mantissa;
  const auto quadrant =
      static_cast<unsigned>((product + (static_cast<unsigned __int128>(1) << 125)) >> 126) & 3;
  const auto fraction =
      static_cast<__int128>(product - (static_cast<unsigned __int128>(quadrant) << 126));
  const double rest = std::ldexp(static_cast<double>(fraction), -126) * kHalfPiHigh;
  return x > 0 ? ReducedAngle{quadrant, rest} : ReducedAngle{4 - quadrant, -rest};
}

ReducedAngle ReduceAngle(double x) {
  if (std::fabs(x) >= 0x1p25) return ReduceLargeAngle(x);
  const double n = std::nearbyint(x * kTwoOverPi);
  const double rest = std::fma(-n, kHalfPiLow, std::fma(-n, kHalfPiHigh, x));
  return {static_cast<unsigned>(static_cast<int64_t>(n) & 3), rest};
}

double SinOfRest(double r) { return r * DoublePolynomial(kSin, r * r); }
double CosOfRest(double r) { return DoublePolynomial(kCos, r * r); }

double SinOfAngle(const ReducedAngle& angle) {
  const double value = angle.quadrant % 2 == 0 ? SinOfRest(angle.rest) : CosOfRest(angle.rest);
  return angle.quadrant % 4 < 2 ? value : -value;
}

double CosOfAngle(const ReducedAngle& angle) {
  return SinOfAngle({angle.quadrant + 1, angle.rest});
}

// Infinity included.
double AtanOfDouble(double x) {
  const double a = std::fabs(x);
  constexpr double kTanPi8 = 0.41421356237309503;
  double base = 0, t = a;
  if (a > 1 / kTanPi8) {
    base = kHalfPiHigh;
    t = -1 / a;
  } else if (a > kTanPi8) {
    base = kHalfPiHigh / 2;
    t = (a - 1) / (a + 1);
  }
  return std::copysign(base + t * DoublePolynomial(kAtan, t * t), x);
}

// The logarithm of a positive number or infinity.
double LogOrInfinity(double x) { return x == kDoubleInfinity ? x : LogOfDouble(x); }

// e^x, exact as a float: beyond these bounds a float is infinite or 0.
double BoundedExp(double x) { return ExpOfDouble(x < -120 ? -120 : x > 120 ? 120 : x); }

}  // namespace

float Sin(float x) {
  if (!std::isfinite(x)) return kNotANumber;
  if (x == 0) return x;
  return static_cast<float>(SinOfAngle(ReduceAngle(x)));
}

float Cos(float x) {
  if (!std::isfinite(x)) return kNotANumber;
  return static_cast<float>(CosOfAngle(ReduceAngle(x)));
}

float Tan(float x) {
  if (!std::isfinite(x)) return kNotANumber;
  if (x == 0) return x;
  const ReducedAngle angle = ReduceAngle(x);
  return static_cast<float>(SinOfAngle(angle) / CosOfAngle(angle));
}

float Asin(float x) {
  const double a = x;
  if (!(std::fabs(a) <= 1)) return kNotANumber;
  return static_cast<float>(AtanOfDouble(a / std::sqrt((1 - a) * (1 + a))));
}

float Acos(float x) {
  const double a = x;
  if (!(std::fabs(a) <= 1)) return kNotANumber;
  return static_cast<float>(2 * AtanOfDouble(std::sqrt((1 - a) / (1 + a))));
}

float Atan(float x) { return std::isnan(x) ? x : static_cast<float>(AtanOfDouble(x)); }

float Sinh(float x) {
  const double a = x;
  if (std::isnan(x)) return x;
  if (std::fabs(a) <= 1) return static_cast<float>(a * DoublePolynomial(kSinh, a * a));
  return static_cast<float>((BoundedExp(a) - BoundedExp(-a)) / 2);
}

float Cosh(float x) {
  if (std::isnan(x)) return x;
  return static_cast<float>((BoundedExp(x) + BoundedExp(-static_cast<double>(x))) / 2);
}

float Asinh(float x) {
  const double a = std::fabs(static_cast<double>(x));
  if (std::isnan(x)) return x;
  // Near 0 the logarithm's argument would lose the digits of x.
  const double y = a < 0x1p-12 ? a - a * a * a / 6 : LogOrInfinity(a + std::sqrt(a * a + 1));
  return static_cast<float>(std::copysign(y, x));
}

float Acosh(float x) {
  const double a = x;
  if (!(a >= 1)) return kNotANumber;
  return static_cast<float>(LogOrInfinity(a + std::sqrt((a - 1) * (a + 1))));
}

float Atanh(float x) {
  const double a = std::fabs(static_cast<double>(x));
  if (!(a <= 1)) return kNotANumber;
  const double y = a < 0x1p-12 ? a + a * a * a / 3 : LogOrInfinity((1 + a) / (1 - a)) / 2;
  return static_cast<float>(std::copysign(y, x));
}

}  // namespace synap_internal
