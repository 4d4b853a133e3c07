// Exact sums of products of int16 beyond 32 bits, in doubles, which hold integers
// up to 2^53. One factor is split into two parts of 8 bits, so that a limited
// number of products of a part add up in int32 lanes (dot_products-inl.h).

// Per-target include guard.
#if defined(KERNELS_SHARED_SIMD_WIDE_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNELS_SHARED_SIMD_WIDE_SUMS_INL_H_
#undef KERNELS_SHARED_SIMD_WIDE_SUMS_INL_H_
#else
#define KERNELS_SHARED_SIMD_WIDE_SUMS_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernels/shared/simd/dot_products-inl.h"
#include "kernels/shared/simd/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {

// HWY_SCALAR has no halves of vectors.
#if HWY_TARGET != HWY_SCALAR

using DD = hn::CappedTag<double, kLanes / 2>;

// sums[kLanes] += low + 256 * high
HWY_INLINE void AddParts(VI low, VI high, double* HWY_RESTRICT sums) {
  const DD dd;
  const hn::Rebind<int32_t, DD> half;
  const auto factor = hn::Set(dd, 256.0);
  const auto add = [&](auto l, auto h, double* to) HWY_ATTR {
    const auto part = hn::MulAdd(hn::PromoteTo(dd, h), factor, hn::PromoteTo(dd, l));
    hn::StoreU(hn::Add(hn::LoadU(dd, to), part), dd, to);
  };
  add(hn::LowerHalf(half, low), hn::LowerHalf(half, high), sums);
  add(hn::UpperHalf(half, low), hn::UpperHalf(half, high), sums + kLanes / 2);
}

// sums[kLanes] += part
HWY_INLINE void AddPart(VI part, double* HWY_RESTRICT sums) {
  const DD dd;
  const hn::Rebind<int32_t, DD> half;
  const auto add = [&](auto p, double* to) HWY_ATTR {
    hn::StoreU(hn::Add(hn::LoadU(dd, to), hn::PromoteTo(dd, p)), dd, to);
  };
  add(hn::LowerHalf(half, part), sums);
  add(hn::UpperHalf(half, part), sums + kLanes / 2);
}

// Requantize of base/rounding.h to kLanes elements. A double that is an integer
// becomes a float with the one rounding that an int64 has.
HWY_INLINE void RequantizeSums(const double* sums, const float* multipliers, int32_t zero_point,
                               int32_t min, int32_t max, int16_t* to) {
  const DF d;
  const DD dd;
  const hn::Rebind<float, DD> half;
  const hn::Rebind<int16_t, DF> d16;
  const VF lo = hn::Set(d, static_cast<float>(min - zero_point));
  const VF hi = hn::Set(d, static_cast<float>(max - zero_point));
  const auto low = hn::DemoteTo(half, hn::LoadU(dd, sums));
  const auto high = hn::DemoteTo(half, hn::LoadU(dd, sums + kLanes / 2));
  const VF scaled = hn::Mul(hn::Combine(d, high, low), hn::LoadU(d, multipliers));
  const VI rounded = RoundToInt(d, hn::Min(hn::Max(scaled, lo), hi));
  hn::StoreU(hn::DemoteTo(d16, hn::Add(rounded, hn::Set(DI(), zero_point))), d16, to);
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
