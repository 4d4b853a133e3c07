#include "kernels/softmax/softmax.h"

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/float_math.h"
#include "kernels/shared/simd/unroll.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/softmax/softmax_simd.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/shared/simd/math-inl.h"
#include "kernels/shared/simd/virtual_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace {
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

// The largest element, NaN if there is one; of zeros any. Each of several chains takes every fourth
// vector: the order doesn't matter, and the last vector may overlap the one before.
float LargestOf(const float* x, int64_t n) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (n < lanes) return ReduceVirtualLanes<MaximumOp>(x, n);
  constexpr int kChains = 4;
  V largest[kChains];
  const V first = hn::LoadU(d, x);
  for (V& chain : largest) chain = first;
  auto are_numbers = hn::Eq(first, first);
  const auto take = [&](int64_t i, V& chain) HWY_ATTR {
    const V value = hn::LoadU(d, x + i);
    chain = hn::IfThenElse(hn::Gt(value, chain), value, chain);
    are_numbers = hn::And(are_numbers, hn::Eq(value, value));
  };
  int64_t i = lanes;
  for (; i + kChains * lanes <= n; i += kChains * lanes) {
    UNROLL
    for (int c = 0; c < kChains; ++c) take(i + c * lanes, largest[c]);
  }
  for (; i < n; i += lanes) take(HWY_MIN(i, n - lanes), largest[0]);
  if (!hn::AllTrue(d, are_numbers)) return std::numeric_limits<float>::quiet_NaN();
  const V a = hn::Max(largest[0], largest[1]), b = hn::Max(largest[2], largest[3]);
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(a, b)));
}

// y = e^(x - max), added to the virtual lanes from the first on.
void AddExponentials(const float* x, float max_value, float* y, int64_t n, VirtualLanes& lanes) {
  const LaneTag d;
  constexpr size_t kPart = hn::MaxLanes(LaneTag());
  constexpr size_t kParts = kVirtualLanes / kPart;
  constexpr auto kStep = static_cast<int64_t>(kVirtualLanes);
  const LaneVec max = hn::Set(d, max_value);
  LaneVec sums[kParts];
  for (size_t p = 0; p < kParts; ++p) sums[p] = hn::LoadU(d, lanes.data() + p * kPart);
  int64_t i = 0;
  for (; i + kStep <= n; i += kStep) {
    for (size_t p = 0; p < kParts; ++p) {
      const LaneVec power = ExpLanes(d, hn::Sub(hn::LoadU(d, x + i + p * kPart), max));
      hn::StoreU(power, d, y + i + p * kPart);
      sums[p] = hn::Add(sums[p], power);
    }
  }
  for (size_t p = 0; p < kParts; ++p) hn::StoreU(sums[p], d, lanes.data() + p * kPart);
  const V wide_max = hn::Set(hn::ScalableTag<float>(), max_value);
  MapRow(x + i, y + i, n - i,
         [&](V v) HWY_ATTR { return ExpLanes(hn::ScalableTag<float>(), hn::Sub(v, wide_max)); });
  for (size_t lane = 0; i < n; ++i, ++lane) lanes[lane] = LaneSum(lanes[lane], y[i]);
}

template <bool kNormalize>
void SoftmaxRow(const float* x, float* y, int64_t n) {
  VirtualLanes lanes;
  lanes.fill(0);
  AddExponentials(x, LargestOf(x, n), y, n, lanes);
  if (!kNormalize) return;
  const V sum = hn::Set(hn::ScalableTag<float>(), FoldLanes(lanes, LaneSum));
  MapRow(y, y, n, [&](V v) HWY_ATTR { return hn::Div(v, sum); });
}

// The exponentials are summed in parts, each a multiple of the virtual lanes: x may be where the
// results go.
float SumOfExponentials(const float* x, int64_t n, float max) {
  constexpr int64_t kPart = 256;
  HWY_ALIGN float part[kPart];
  VirtualLanes lanes;
  lanes.fill(0);
  for (int64_t begin = 0; begin < n; begin += kPart) {
    AddExponentials(x + begin, max, part, HWY_MIN(n - begin, kPart), lanes);
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

// As many of the tile's rows as a vector has lanes: lane r of x[k * kTile] is element k of row r.
template <class Op>
HWY_INLINE LaneVec ReduceTile(const float* x, int64_t n) {
  const LaneTag d;
  LaneVec lanes[kVirtualLanes];
  for (LaneVec& lane : lanes) lane = hn::Set(d, Op::kStart);
  int64_t k = 0;
  for (; k + static_cast<int64_t>(kVirtualLanes) <= n; k += static_cast<int64_t>(kVirtualLanes)) {
    for (size_t l = 0; l < kVirtualLanes; ++l) {
      lanes[l] = Op()(lanes[l], hn::Load(d, x + (k + static_cast<int64_t>(l)) * softmax::kTile));
    }
  }
  for (size_t l = 0; k < n; ++k, ++l) {
    lanes[l] = Op()(lanes[l], hn::Load(d, x + k * softmax::kTile));
  }
  for (size_t distance = kVirtualLanes / 2; distance > 0; distance /= 2) {
    for (size_t l = 0; l < distance; ++l) lanes[l] = Op()(lanes[l], lanes[l + distance]);
  }
  return lanes[0];
}

template <bool kNormalize>
HWY_INLINE void SoftmaxColumns(float* x, int64_t n) {
  const LaneTag d;
  const LaneVec max = ReduceTile<MaximumOp>(x, n);
  for (int64_t k = 0; k < n * softmax::kTile; k += softmax::kTile) {
    hn::Store(ExpLanes(d, hn::Sub(hn::Load(d, x + k), max)), d, x + k);
  }
  if (!kNormalize) return;
  const LaneVec sum = ReduceTile<SumOp>(x, n);
  for (int64_t k = 0; k < n * softmax::kTile; k += softmax::kTile) {
    hn::Store(hn::Div(hn::Load(d, x + k), sum), d, x + k);
  }
}

HWY_INLINE void LogSoftmaxColumns(float* x, int64_t n) {
  const LaneTag d;
  const LaneVec max = ReduceTile<MaximumOp>(x, n);
  LaneVec lanes[kVirtualLanes];
  for (LaneVec& lane : lanes) lane = hn::Zero(d);
  for (int64_t k = 0; k < n; ++k) {
    const LaneVec difference = hn::Sub(hn::Load(d, x + k * softmax::kTile), max);
    LaneVec& lane = lanes[static_cast<size_t>(k) % kVirtualLanes];
    lane = hn::Add(lane, ExpLanes(d, difference));
    hn::Store(difference, d, x + k * softmax::kTile);
  }
  for (size_t distance = kVirtualLanes / 2; distance > 0; distance /= 2) {
    for (size_t l = 0; l < distance; ++l) lanes[l] = hn::Add(lanes[l], lanes[l + distance]);
  }
  const LaneVec log = LogLanes(d, lanes[0]);
  for (int64_t k = 0; k < n * softmax::kTile; k += softmax::kTile) {
    hn::Store(hn::Sub(hn::Load(d, x + k), log), d, x + k);
  }
}

template <void (*kColumns)(float* x, int64_t n)>
void Tile(float* tile, int64_t n) {
  for (size_t r = 0; r < softmax::kTile; r += hn::Lanes(LaneTag())) kColumns(tile + r, n);
}

softmax::VectorLoops Choose(const softmax::Params& params) {
  if (params.log) return {&LogSoftmaxRow, &Tile<LogSoftmaxColumns>};
  if (params.normalize) return {&SoftmaxRow<true>, &Tile<SoftmaxColumns<true>>};
  return {&SoftmaxRow<false>, &Tile<SoftmaxColumns<false>>};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal::softmax {

HWY_EXPORT(Choose);

VectorLoops FindVectorLoops(const Params& params) { return HWY_DYNAMIC_DISPATCH(Choose)(params); }

}  // namespace synap_internal::softmax
#endif  // HWY_ONCE
