#include "compiler/quantize/statistics/observed_range.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compiler/quantize/statistics/observed_range.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

ValueRange RangeOfValues(const float* HWY_RESTRICT values, size_t count) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  float low = values[0], high = values[0], sum = 0;
  size_t i = 0;
  if (count >= 2 * lanes) {
    // Two of each, so that they don't wait for each other.
    auto low0 = hn::LoadU(d, values), low1 = low0, high0 = low0, high1 = low0;
    auto sum0 = hn::Zero(d), sum1 = sum0;
    const auto zero = hn::Zero(d);
    for (; i + 2 * lanes <= count; i += 2 * lanes) {
      const auto value0 = hn::LoadU(d, values + i), value1 = hn::LoadU(d, values + i + lanes);
      low0 = hn::Min(low0, value0);
      low1 = hn::Min(low1, value1);
      high0 = hn::Max(high0, value0);
      high1 = hn::Max(high1, value1);
      // NaN for infinities and NaN.
      sum0 = hn::Add(sum0, hn::Mul(value0, zero));
      sum1 = hn::Add(sum1, hn::Mul(value1, zero));
    }
    low = hn::GetLane(hn::MinOfLanes(d, hn::Min(low0, low1)));
    high = hn::GetLane(hn::MaxOfLanes(d, hn::Max(high0, high1)));
    sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
  }
  for (; i < count; ++i) {
    low = std::min(low, values[i]);
    high = std::max(high, values[i]);
    sum += values[i] * 0;
  }
  if (std::isnan(sum)) return {NAN, high};
  return {low + 0.0f, high + 0.0f};  // -0 + 0 is 0
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal {
HWY_EXPORT(RangeOfValues);

ValueRange ObservedRange(absl::Span<const float> values) {
  return HWY_DYNAMIC_DISPATCH(RangeOfValues)(values.data(), values.size());
}

}  // namespace synap_internal
#endif
