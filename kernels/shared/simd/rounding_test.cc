#include "base/rounding.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/shared/simd/on_every_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/shared/simd/rounding_test.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/shared/simd/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace {

constexpr size_t kMaxLanes = HWY_LANES(float);
using D = hn::CappedTag<float, kMaxLanes>;

// Requantize of one value, by vectors.
int32_t RequantizeOne(int32_t acc, float multiplier, int32_t zero_point) {
  const D d;
  const hn::RebindToSigned<D> di;
  return hn::GetLane(RequantizeLanes(
      d, hn::Set(di, acc), hn::Set(d, multiplier), hn::Set(d, static_cast<float>(-zero_point)),
      hn::Set(d, static_cast<float>(255 - zero_point)), hn::Set(di, zero_point)));
}

int32_t QuantizeOne(float x, float scale, int32_t zero_point) {
  const D d;
  return hn::GetLane(QuantizeLanes(d, hn::Set(d, x), hn::Set(d, scale),
                                   hn::Set(d, static_cast<float>(-zero_point)),
                                   hn::Set(d, static_cast<float>(255 - zero_point)),
                                   hn::Set(hn::RebindToSigned<D>(), zero_point)));
}

float FusedOne(float a, float b, float c) {
  const D d;
  return hn::GetLane(FusedMulAdd(d, hn::Set(d, a), hn::Set(d, b), hn::Set(d, c)));
}

// x / divisor, or NaN where ManyQuotients isn't exact.
float QuotientOne(float x, float divisor) {
  const ManyQuotients<D> quotients(D(), divisor);
  if (!quotients.IsExact()) return std::numeric_limits<float>::quiet_NaN();
  return hn::GetLane(quotients.Of(hn::Set(D(), x)));
}

float ClampOne(float x, float lo, float hi) {
  const D d;
  return hn::GetLane(ClampFloat(hn::Set(d, x), hn::Set(d, lo), hn::Set(d, hi)));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal {
namespace {

HWY_EXPORT(RequantizeOne);
HWY_EXPORT(QuantizeOne);
HWY_EXPORT(FusedOne);
HWY_EXPORT(ClampOne);
HWY_EXPORT(QuotientOne);

TEST(RoundingTest, RequantizeEqualsTheScalarFunction) {
  std::vector<int32_t> accumulators = {std::numeric_limits<int32_t>::min(),
                                       std::numeric_limits<int32_t>::max(), 16777217, 16777219};
  for (int32_t acc = -600; acc <= 600; ++acc) accumulators.push_back(acc);
  OnEveryTarget([&] {
    for (const int32_t acc : accumulators) {
      for (const float multiplier : {0.5f, 0.25f, 1.0f, 0.49999997f, 1e-30f, 1e30f, 0.0f}) {
        for (const int32_t zero_point : {0, 1, 128, 255}) {
          ASSERT_EQ(HWY_DYNAMIC_DISPATCH(RequantizeOne)(acc, multiplier, zero_point),
                    Requantize(acc, multiplier, zero_point, 0, 255))
              << acc << " * " << multiplier << " + " << zero_point;
        }
      }
    }
  });
}

TEST(RoundingTest, QuantizeEqualsTheScalarFunction) {
  const float infinity = std::numeric_limits<float>::infinity();
  OnEveryTarget([&] {
    for (const float x : {0.0f, -0.0f, 0.5f, 1.5f, 2.5f, -0.5f, 0.49999997f, 1e30f, -1e30f,
                          infinity, -infinity, std::numeric_limits<float>::quiet_NaN()}) {
      for (const int32_t zero_point : {0, 7, 255}) {
        for (const float scale : {1.0f, 0.1f, 1e-30f}) {
          ASSERT_EQ(HWY_DYNAMIC_DISPATCH(QuantizeOne)(x, scale, zero_point),
                    QuantizeValue(x, scale, zero_point, 0, 255))
              << x << " / " << scale << " + " << zero_point;
        }
      }
    }
  });
}

TEST(RoundingTest, FusedMulAddRoundsOnce) {
  OnEveryTarget([] {
    const float a = 1 + 0x1p-12f;
    // a * a is 1 + 2^-11 + 2^-24; a product that is rounded loses the last term.
    EXPECT_EQ(HWY_DYNAMIC_DISPATCH(FusedOne)(a, a, -(1 + 0x1p-11f)), 0x1p-24f);
  });
}

TEST(RoundingTest, ManyQuotientsAreThoseOfDivisions) {
  std::mt19937 random(1);
  // A mantissa of few or of many bits, and any exponent in a range.
  const auto value = [&](int least, int most) {
    const uint32_t bits = random() % 4 == 0 ? 0x800000 - random() % 4 : random() % 0x800000;
    const auto exponent = least + static_cast<int>(random() % static_cast<uint32_t>(most - least));
    return std::ldexp(1 + static_cast<float>(bits % 0x800000) * 0x1p-23f, exponent);
  };
  OnEveryTarget([&] {
    if (std::isnan(HWY_DYNAMIC_DISPATCH(QuotientOne)(1, 1))) return;  // no fused multiply-add
    for (int i = 0; i < 1'000'000; ++i) {
      const float x = i < 500 ? static_cast<float>(i - 250) : value(-60, 90);
      const float divisor = i % 3 == 0 ? value(-8, 0) : value(-30, 59);
      ASSERT_EQ(HWY_DYNAMIC_DISPATCH(QuotientOne)(x, divisor), x / divisor)
          << x << " / " << divisor;
      // x is the divisor times a half, or a neighbour of it: the quotient is near a tie.
      const float half = static_cast<float>(random() % 1024) + 0.5f;
      const float tie = std::nextafter(divisor * half, i % 2 == 0 ? 0.0f : 1e30f);
      ASSERT_EQ(HWY_DYNAMIC_DISPATCH(QuotientOne)(tie, divisor), tie / divisor)
          << tie << " / " << divisor;
    }
    for (const float divisor : {0x1p-32f, 0x1p60f, 0.0f, -1.0f}) {
      EXPECT_TRUE(std::isnan(HWY_DYNAMIC_DISPATCH(QuotientOne)(1, divisor))) << divisor;
    }
    EXPECT_LT(std::abs(HWY_DYNAMIC_DISPATCH(QuotientOne)(1e-44f, 0x1p-30f)), 0x1p-40f);
  });
}

TEST(RoundingTest, ClampKeepsNanAndTheSignOfZero) {
  OnEveryTarget([] {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(std::isnan(HWY_DYNAMIC_DISPATCH(ClampOne)(nan, 0, 6)));
    EXPECT_TRUE(std::signbit(HWY_DYNAMIC_DISPATCH(ClampOne)(-0.0f, 0, 6)));
    EXPECT_TRUE(std::signbit(HWY_DYNAMIC_DISPATCH(ClampOne)(-0.0f, -6, 0)));
    EXPECT_FALSE(std::signbit(HWY_DYNAMIC_DISPATCH(ClampOne)(0, -6, -0.0f)));
    EXPECT_EQ(HWY_DYNAMIC_DISPATCH(ClampOne)(-1, 0, 6), 0);
    EXPECT_EQ(HWY_DYNAMIC_DISPATCH(ClampOne)(7, 0, 6), 6);
  });
}

}  // namespace
}  // namespace synap_internal
#endif  // HWY_ONCE
