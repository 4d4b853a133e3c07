// Requantization and stores of the sums of 8-bit kernels.

// Per-target include guard.
#if defined(KERNELS_SHARED_SIMD_BYTE_STAGE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNELS_SHARED_SIMD_BYTE_STAGE_INL_H_
#undef KERNELS_SHARED_SIMD_BYTE_STAGE_INL_H_
#else
#define KERNELS_SHARED_SIMD_BYTE_STAGE_INL_H_
#endif

#include <cstdint>

#include "kernels/shared/simd/unroll.h"

#include "hwy/highway.h"
#include "kernels/shared/simd/dot_products-inl.h"
#include "kernels/shared/simd/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {

// Requantizes the sums of kV vectors of outputs; constructed once for many pixels.
template <int kV>
struct ByteStage {
  // `tile` has zero_point, min, max and multipliers, which are used from `first` on.
  template <typename Tile>
  explicit ByteStage(const Tile& tile, int64_t first = 0)
      : lo(hn::Set(DF(), static_cast<float>(tile.min - tile.zero_point))),
        hi(hn::Set(DF(), static_cast<float>(tile.max - tile.zero_point))),
        zero_point(hn::Set(DI(), tile.zero_point)) {
    UNROLL
    for (int v = 0; v < kV; ++v) {
      multipliers[v] = hn::LoadU(DF(), tile.multipliers + first + v * static_cast<int>(kLanes));
    }
  }

  // Stores one pixel: kV * kLanes bytes.
  HWY_INLINE void Store(const VI* sums, uint8_t* to) const {
    UNROLL
    for (int v = 0; v < kV; ++v) {
      const VI q = RequantizeLanes(DF(), sums[v], multipliers[v], lo, hi, zero_point);
      StoreAsBytes(DI(), q, to + v * static_cast<int>(kLanes));
    }
  }

  VF lo, hi, multipliers[kV];
  VI zero_point;
};

}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
