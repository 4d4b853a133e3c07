// Exact dot products of int16 pairs and of byte quads into int32 lanes.

// Per-target include guard.
#if defined(KERNELS_SIMD_DOT_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNELS_SIMD_DOT_PRODUCTS_INL_H_
#undef KERNELS_SIMD_DOT_PRODUCTS_INL_H_
#else
#define KERNELS_SIMD_DOT_PRODUCTS_INL_H_
#endif

#include <cstdint>
#include <cstring>

#include "kernels/cpu_extensions.h"

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

// Whether vectors of this width have dot products on some processors (AVX-512 VNNI,
// AVX-VNNI): on this one if CpuHasDotProducts().
inline constexpr bool kHasDotProducts = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2;

HWY_INLINE bool CpuHasDotProducts() {
  if constexpr (HWY_TARGET == HWY_AVX3) return CpuHasAvx512Vnni();
  if constexpr (HWY_TARGET == HWY_AVX2) return CpuHasAvxVnni();
  return false;
}

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

// Highway 1.0.3 has no op for either.
#if HWY_TARGET == HWY_AVX3
#define SYNAP_DOT_PRODUCT(instruction, acc, x, w) \
  asm(instruction " %2, %1, %0" : "+v"((acc).raw) : "v"((x).raw), "v"((w).raw))
#elif HWY_TARGET == HWY_AVX2
#define SYNAP_DOT_PRODUCT(instruction, acc, x, w) \
  asm("%{vex%} " instruction " %2, %1, %0" : "+x"((acc).raw) : "x"((x).raw), "x"((w).raw))
#endif

// acc[lane] += x[2 lane] * w[2 lane] + x[2 lane + 1] * w[2 lane + 1].
// kDotProducts: REQUIRES CpuHasDotProducts(); without effect on targets that have none.
template <bool kDotProducts>
HWY_INLINE void AddPairs(V16 x, V16 w, Accumulator& acc) {
#ifdef SYNAP_DOT_PRODUCT
  if constexpr (kDotProducts) {
    // BM_Conv2d/u8_3x3_40x40x64_64 on Zen 4, one thread: 108 GMAC/s, 91 with vpmaddwd
    // and vpaddd (BM_Conv2dWithoutVnni).
    SYNAP_DOT_PRODUCT("vpdpwssd", acc.even, x, w);
    return;
  }
#endif
  acc.even = hn::ReorderWidenMulAccumulate(DI(), x, w, acc.even, acc.odd);
}

#ifdef SYNAP_DOT_PRODUCT
// acc[lane] += sum of x[4 lane + i] * w[4 lane + i], x unsigned, w signed bytes. Not
// the saturating form: exact. REQUIRES: CpuHasDotProducts().
HWY_INLINE void AddQuads(VI x, VI w, VI& acc) { SYNAP_DOT_PRODUCT("vpdpbusd", acc, x, w); }
#undef SYNAP_DOT_PRODUCT
#endif

// The quads of a vector, from anywhere.
HWY_INLINE VI LoadQuads(const void* bytes) {
  return hn::LoadU(DI(), static_cast<const int32_t*>(bytes));
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
