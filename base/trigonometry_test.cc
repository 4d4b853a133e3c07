#include "base/trigonometry.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "gtest/gtest.h"

namespace synap_internal {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

struct Function {
  const char* name;
  float (*found)(float);
  double (*exact)(double);
  float low, high;  // the domain
};

// Signed infinities are in the domain of what is defined there.
const Function kFunctions[] = {
    {"sin", Sin, std::sin, -3e38f, 3e38f},     {"cos", Cos, std::cos, -3e38f, 3e38f},
    {"tan", Tan, std::tan, -3e38f, 3e38f},     {"asin", Asin, std::asin, -1, 1},
    {"acos", Acos, std::acos, -1, 1},          {"atan", Atan, std::atan, -kInf, kInf},
    {"sinh", Sinh, std::sinh, -kInf, kInf},    {"cosh", Cosh, std::cosh, -kInf, kInf},
    {"asinh", Asinh, std::asinh, -kInf, kInf}, {"acosh", Acosh, std::acosh, 1, kInf},
    {"atanh", Atanh, std::atanh, -1, 1},
};

float FromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// Units in the last place of a float near `exact`.
double UlpError(float found, double exact) {
  const auto rounded = static_cast<float>(exact);
  if (found == rounded) return 0;
  if (!std::isfinite(rounded) || !std::isfinite(found)) return 1e30;
  return std::fabs(found - exact) / std::ldexp(1.0, std::max(std::ilogb(exact), -126) - 23);
}

TEST(TrigonometryTest, IsWithinOneUlpOverTheWholeDomain) {
  for (const Function& function : kFunctions) {
    for (uint64_t bits = 0; bits <= 0xFFFFFFFFu; bits += 4099) {
      const float x = FromBits(static_cast<uint32_t>(bits));
      if (!(x >= function.low && x <= function.high)) continue;
      ASSERT_LT(UlpError(function.found(x), function.exact(x)), 1.0) << function.name << " " << x;
    }
  }
}

TEST(TrigonometryTest, IsNanOutsideOfTheDomain) {
  for (const Function& function : kFunctions) {
    EXPECT_TRUE(std::isnan(function.found(std::nanf("")))) << function.name;
    if (std::isinf(function.high)) continue;
    EXPECT_TRUE(std::isnan(function.found(kInf))) << function.name;
    EXPECT_TRUE(std::isnan(function.found(-kInf))) << function.name;
  }
  EXPECT_TRUE(std::isnan(Asin(1.5f)) && std::isnan(Acos(-1.5f)));
  EXPECT_TRUE(std::isnan(Acosh(0.5f)) && std::isnan(Atanh(1.5f)));
}

TEST(TrigonometryTest, OddFunctionsKeepTheSignOfZero) {
  for (float (*odd)(float) : {Sin, Tan, Asin, Atan, Sinh, Asinh, Atanh}) {
    EXPECT_TRUE(std::signbit(odd(-0.0f)) && !std::signbit(odd(0.0f)));
  }
}

}  // namespace
}  // namespace synap_internal
