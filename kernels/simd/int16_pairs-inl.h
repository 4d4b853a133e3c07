// Exact dot products of int16 pairs into int32 lanes, for the 8-bit kernels.

// Per-target include guard.
#if defined(KERNELS_SIMD_INT16_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNELS_SIMD_INT16_PAIRS_INL_H_
#undef KERNELS_SIMD_INT16_PAIRS_INL_H_
#else
#define KERNELS_SIMD_INT16_PAIRS_INL_H_
#endif

#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "kernels/simd/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap {
namespace HWY_NAMESPACE {

// A whole vector of 32-bit lanes.
inline constexpr size_t kLanes = HWY_LANES(float);
using DF = hn::CappedTag<float, kLanes>;
using DI = hn::CappedTag<int32_t, kLanes>;
using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;

// HWY_SCALAR has no pairs: its lanes hold one value.
#if HWY_TARGET != HWY_SCALAR

using D16 = hn::Repartition<int16_t, DI>;
using V16 = hn::Vec<D16>;

struct Accumulator {
  VI even;  // all of the sum where the machine adds pairs
  VI odd;   // the rest elsewhere

  VI Sum() const { return hn::RearrangeToOddPlusEven(even, odd); }
};

HWY_INLINE Accumulator StartAt(VI sum) { return {sum, hn::Zero(DI())}; }

// acc[lane] += x[2 lane] * w[2 lane] + x[2 lane + 1] * w[2 lane + 1].
// kVnni: REQUIRES CpuHasAvx512Vnni(); without effect on targets other than AVX3.
template <bool kVnni>
HWY_INLINE void AddPairs(V16 x, V16 w, Accumulator& acc) {
#if HWY_TARGET == HWY_AVX3
  if constexpr (kVnni) {
    // Highway 1.0.3 has no op for it. BM_Conv2d/u8_3x3_40x40x64_64 on Zen 4, one
    // thread: 108 GMAC/s, 91 with vpmaddwd and vpaddd (BM_Conv2dWithoutVnni).
    asm("vpdpwssd %2, %1, %0" : "+v"(acc.even.raw) : "v"(x.raw), "v"(w.raw));
    return;
  }
#endif
  acc.even = hn::ReorderWidenMulAccumulate(DI(), x, w, acc.even, acc.odd);
}

// The pair x[0], x[1] in every lane.
HWY_INLINE V16 BroadcastPair(const int16_t* x) {
  int32_t pair;
  std::memcpy(&pair, x, sizeof(pair));
  return hn::BitCast(D16(), hn::Set(DI(), pair));
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace synap
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
