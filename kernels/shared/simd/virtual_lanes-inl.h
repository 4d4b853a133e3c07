// Reductions of kernels/shared/virtual_lanes.h over vectors of the current Highway target:
// the same operations in the same order, so the same bits.

// Per-target include guard.
#if defined(KERNELS_SHARED_SIMD_VIRTUAL_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNELS_SHARED_SIMD_VIRTUAL_LANES_INL_H_
#undef KERNELS_SHARED_SIMD_VIRTUAL_LANES_INL_H_
#else
#define KERNELS_SHARED_SIMD_VIRTUAL_LANES_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "kernels/shared/virtual_lanes.h"

#include "hwy/highway.h"
#include "kernels/shared/simd/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Vectors of at most the sixteen lanes.
using LaneTag = hn::CappedTag<float, kVirtualLanes>;
using LaneVec = hn::Vec<LaneTag>;

// The operations of virtual_lanes.h: operator() for vectors, Scalar for the tail,
// Combine for two lanes.
struct SumOp {
  HWY_INLINE LaneVec operator()(LaneVec acc, LaneVec x) const { return hn::Add(acc, x); }
  static float Scalar(float acc, float x) { return LaneSum(acc, x); }
  static float Combine(float a, float b) { return LaneSum(a, b); }
  static constexpr float kStart = 0;
};

struct ProductOp {
  HWY_INLINE LaneVec operator()(LaneVec acc, LaneVec x) const { return hn::Mul(acc, x); }
  static float Scalar(float acc, float x) { return LaneProduct(acc, x); }
  static float Combine(float a, float b) { return LaneProduct(a, b); }
  static constexpr float kStart = 1;
};

struct SumOfSquaresOp {
  HWY_INLINE LaneVec operator()(LaneVec acc, LaneVec x) const {
    return FusedMulAdd(LaneTag(), x, x, acc);
  }
  static float Scalar(float acc, float x) { return LaneSumOfSquares(acc, x); }
  static float Combine(float a, float b) { return LaneSum(a, b); }
  static constexpr float kStart = 0;
};

struct MaximumOp {
  HWY_INLINE LaneVec operator()(LaneVec acc, LaneVec x) const {
    const LaneVec larger = hn::IfThenElse(hn::Gt(acc, x), acc, x);
    return hn::IfThenElse(hn::Eq(acc, acc), larger, acc);
  }
  static float Scalar(float acc, float x) { return LaneMaximum(acc, x); }
  static float Combine(float a, float b) { return LaneMaximum(a, b); }
  static constexpr float kStart = -HUGE_VALF;
};

struct MinimumOp {
  HWY_INLINE LaneVec operator()(LaneVec acc, LaneVec x) const {
    const LaneVec smaller = hn::IfThenElse(hn::Lt(acc, x), acc, x);
    return hn::IfThenElse(hn::Eq(acc, acc), smaller, acc);
  }
  static float Scalar(float acc, float x) { return LaneMinimum(acc, x); }
  static float Combine(float a, float b) { return LaneMinimum(a, b); }
  static constexpr float kStart = HUGE_VALF;
};

// The reduction of x[0], ..., x[n - 1].
template <class Op>
HWY_INLINE float ReduceVirtualLanes(const float* x, int64_t n) {
  const LaneTag d;
  constexpr size_t kParts = kVirtualLanes / hn::MaxLanes(LaneTag());
  constexpr size_t kPart = hn::MaxLanes(LaneTag());
  LaneVec acc[kParts];
  for (size_t p = 0; p < kParts; ++p) acc[p] = hn::Set(d, Op::kStart);
  const int64_t whole =
      n / static_cast<int64_t>(kVirtualLanes) * static_cast<int64_t>(kVirtualLanes);
  for (int64_t i = 0; i < whole; i += static_cast<int64_t>(kVirtualLanes)) {
    for (size_t p = 0; p < kParts; ++p) acc[p] = Op()(acc[p], hn::LoadU(d, x + i + p * kPart));
  }
  VirtualLanes lanes;
  for (size_t p = 0; p < kParts; ++p) hn::StoreU(acc[p], d, lanes.data() + p * kPart);
  const size_t left = static_cast<size_t>(n) % kVirtualLanes;
  for (size_t k = 0; k < left; ++k)
    lanes[k] = Op::Scalar(lanes[k], x[whole + static_cast<int64_t>(k)]);
  return FoldLanes(lanes, &Op::Combine);
}

// ReduceBlocks of virtual_lanes.h along x.
template <class Op>
HWY_INLINE float ReduceRow(const float* x, int64_t n) {
  constexpr int64_t kBlock = kChain * static_cast<int64_t>(kVirtualLanes);
  float result = ReduceVirtualLanes<Op>(x, std::min(n, kBlock));
  for (int64_t begin = kBlock; begin < n; begin += kBlock) {
    result = Op::Combine(result, ReduceVirtualLanes<Op>(x + begin, std::min(n - begin, kBlock)));
  }
  return result;
}

}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
