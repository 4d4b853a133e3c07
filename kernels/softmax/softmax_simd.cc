#include "kernels/softmax/softmax.h"

#include <cstdint>

#include "base/float_math.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/softmax/softmax_simd.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/simd/math-inl.h"
#include "kernels/simd/virtual_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// to[k] = function(from[k]); a last part goes through a padded copy.
template <typename F>
HWY_INLINE void MapRow(const float* from, float* to, int64_t n, F function) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(function(hn::LoadU(d, from + i)), d, to + i);
  const size_t left = static_cast<size_t>(n) % hn::Lanes(d);
  if (left == 0) return;
  HWY_ALIGN float tail[hn::MaxLanes(d)] = {};
  for (size_t k = 0; k < left; ++k) tail[k] = from[i + static_cast<int64_t>(k)];
  hn::Store(function(hn::Load(d, tail)), d, tail);
  for (size_t k = 0; k < left; ++k) to[i + static_cast<int64_t>(k)] = tail[k];
}

using V = hn::Vec<hn::ScalableTag<float>>;

void SoftmaxRow(const float* x, float* y, int64_t n) {
  const hn::ScalableTag<float> d;
  const V max = hn::Set(d, ReduceVirtualLanes<MaximumOp>(x, n));
  MapRow(x, y, n, [&](V v) HWY_ATTR { return ExpLanes(d, hn::Sub(v, max)); });
  const V sum = hn::Set(d, ReduceVirtualLanes<SumOp>(y, n));
  MapRow(y, y, n, [&](V v) HWY_ATTR { return hn::Div(v, sum); });
}

// The exponentials are summed in parts, each a multiple of the virtual lanes.
float SumOfExponentials(const float* x, int64_t n, float max_value) {
  constexpr int64_t kPart = 256;
  const hn::ScalableTag<float> d;
  const V max = hn::Set(d, max_value);
  HWY_ALIGN float part[kPart];
  VirtualLanes lanes;
  lanes.fill(0);
  for (int64_t begin = 0; begin < n; begin += kPart) {
    const int64_t length = n - begin < kPart ? n - begin : kPart;
    MapRow(x + begin, part, length, [&](V v) HWY_ATTR { return ExpLanes(d, hn::Sub(v, max)); });
    for (int64_t k = 0; k < length; ++k) lanes[static_cast<size_t>(k) % kVirtualLanes] += part[k];
  }
  return FoldLanes(lanes, LaneSum);
}

void LogSoftmaxRow(const float* x, float* y, int64_t n) {
  const hn::ScalableTag<float> d;
  const float max_value = ReduceVirtualLanes<MaximumOp>(x, n);
  const V max = hn::Set(d, max_value);
  const V log = hn::Set(d, Log(SumOfExponentials(x, n, max_value)));
  MapRow(x, y, n, [&](V v) HWY_ATTR { return hn::Sub(hn::Sub(v, max), log); });
}

softmax::Row Choose(bool log) { return log ? &LogSoftmaxRow : &SoftmaxRow; }

}  // namespace HWY_NAMESPACE
}  // namespace synap
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap::softmax {

HWY_EXPORT(Choose);

Row FindRow(bool log) { return HWY_DYNAMIC_DISPATCH(Choose)(log); }

}  // namespace synap::softmax
#endif  // HWY_ONCE
