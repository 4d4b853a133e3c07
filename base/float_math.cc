#include "base/float_math.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/double_math.h"
#include "base/float_math_constants.h"
#include "base/rounding.h"

namespace synap_internal {
namespace {

using namespace float_math;  // NOLINT: the coefficients, private to this pair of files

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

uint32_t Bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

float FromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// 2^n. REQUIRES: -126 <= n <= 127.
float PowerOfTwo(int32_t n) { return FromBits(static_cast<uint32_t>(n + 127) << 23); }

// c[0] + c[1] x + ..., from the last coefficient down.
template <size_t kCount>
float Polynomial(const float (&c)[kCount], float x) {
  float sum = c[kCount - 1];
  for (size_t i = kCount - 1; i-- > 0;) sum = std::fma(sum, x, c[i]);
  return sum;
}

// x = n ln 2 + r with |r| <= ln 2 / 2; returns e^r - 1. REQUIRES: |x| < 2^15.
float ReducedExpMinus1(float x, float& n) {
  n = RoundHalfEven(x * kLog2E);
  float r = std::fma(n, -kLn2High, x);
  r = std::fma(n, -kLn2Low, r);
  return std::fma(r * r, Polynomial(kExp, r), r);
}

// log(1 + x) for x in [0, 1], through what was lost in rounding 1 + x.
float LogPlus1(float x) {
  const float u = 1.0f + x;
  return Log(u) + (x - (u - 1.0f)) / u;
}

}  // namespace

float Exp(float x) {
  if (std::isnan(x)) return x;
  const float clamped = x < kExpLow ? kExpLow : x > kExpHigh ? kExpHigh : x;
  float n;
  const float y = 1.0f + ReducedExpMinus1(clamped, n);
  // Two factors: 2^n itself is out of range at both ends. The first product is exact.
  const int32_t whole = static_cast<int32_t>(n);
  const int32_t half = whole >> 1;
  return y * PowerOfTwo(half) * PowerOfTwo(whole - half);
}

float ExpMinus1(float x) {
  if (std::isnan(x)) return x;
  const float clamped = x < kExpMinus1Low ? kExpMinus1Low : x;
  float n;
  const float y = ReducedExpMinus1(clamped, n);
  const float scale = PowerOfTwo(static_cast<int32_t>(n));
  return std::fma(scale, y, scale - 1.0f);
}

float Log(float x) {
  if (std::isnan(x) || x == kInfinity) return x;
  if (x < 0) return kNaN;
  if (x == 0) return -kInfinity;
  const bool subnormal = x < kSmallestNormal;
  const uint32_t bits = Bits(subnormal ? x * 0x1p23f : x) - kSqrtHalfBits;
  const int32_t exponent = static_cast<int32_t>(bits) >> 23;
  const float e = static_cast<float>(exponent - (subnormal ? 23 : 0));
  const float f = FromBits((bits & 0x7FFFFFu) + kSqrtHalfBits) - 1.0f;  // in [sqrt 1/2, sqrt 2) - 1
  const float f2 = f * f;
  float y = f * f2 * Polynomial(kLog, f);
  y = std::fma(e, kLn2Low, y);
  y = std::fma(-0.5f, f2, y);
  return std::fma(e, kLn2High, f + y);
}

float Tanh(float x) {
  const float a = std::fabs(x);
  const float u = x * x;
  const float small = std::fma(a * u, Polynomial(kTanh, u), a);
  return std::copysign(a < kTanhSmall ? small : 1.0f - 2.0f / (Exp(a + a) + 1.0f), x);
}

float Sigmoid(float x) {
  const float e = Exp(-std::fabs(x));
  return (x >= 0 ? 1.0f : e) / (1.0f + e);
}

float Erf(float x) {
  const float a = std::fabs(x);
  if (a < kErfSmall) return std::fma(x, Polynomial(kErf, x * x), x);
  const float clamped = a > kErfHigh ? kErfHigh : a;
  return std::copysign(1.0f - Exp(-Polynomial(kErfTail, clamped)), x);
}

float Softplus(float x) {
  const float positive = x > 0 ? x : 0.0f;
  return positive + LogPlus1(Exp(-std::fabs(x)));
}

float Mish(float x) {
  // tanh(log(1 + e)) = (e^2 + 2e) / (e^2 + 2e + 2); from 20 on it is 1.
  const float e = Exp(x > 20.0f ? 20.0f : x);
  const float n = e * (e + 2.0f);
  return x * (n / (n + 2.0f));
}

float Gelu(float x) { return 0.5f * x * (1.0f + Erf(x * kSqrtHalf)); }

float GeluApproximate(float x) {
  const float inner = kGeluScale * std::fma(kGeluCubic * x, x * x, x);
  return 0.5f * x * (1.0f + Tanh(inner));
}

namespace {

bool IsOddInteger(float y) { return std::fabs(std::fmod(y, 2.0f)) == 1.0f; }

// |x|^y for x neither 0, 1, infinite nor NaN, y finite.
float PowerOfMagnitude(double x, double y) {
  const double exponent = y * LogOfDouble(x);
  // Beyond these a float is infinite or zero; they also keep 2^n a normal double.
  return static_cast<float>(ExpOfDouble(exponent < -120 ? -120 : exponent > 120 ? 120 : exponent));
}

}  // namespace

float Pow(float x, float y) {
  if (y == 0 || x == 1) return 1;
  if (std::isnan(x)) return x;
  if (std::isnan(y)) return y;
  if (y == 1) return x;
  if (y == 2) return x * x;
  const float a = std::fabs(x);
  const bool negative = std::signbit(x) && IsOddInteger(y);
  float magnitude;
  if (a == 0 || a == kInfinity) {
    magnitude = (a == 0) == (y > 0) ? 0.0f : kInfinity;
  } else if (std::fabs(y) == kInfinity) {
    magnitude = a == 1 ? 1.0f : (a < 1) == (y > 0) ? 0.0f : kInfinity;
  } else if (x < 0 && std::trunc(y) != y) {
    return kNaN;
  } else if (y == 0.5f) {
    return std::sqrt(x);
  } else {
    magnitude = a == 1 ? 1.0f : PowerOfMagnitude(a, y);
  }
  return negative ? -magnitude : magnitude;
}

}  // namespace synap_internal
