// Rounding functions of base/rounding.h over vectors of the current Highway
// target, and a fused multiply-add that rounds once on every target. Same bits as
// the scalar functions, on every target.

// Per-target include guard.
#if defined(KERNELS_SHARED_SIMD_ROUNDING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNELS_SHARED_SIMD_ROUNDING_INL_H_
#undef KERNELS_SHARED_SIMD_ROUNDING_INL_H_
#else
#define KERNELS_SHARED_SIMD_ROUNDING_INL_H_
#endif

#include <cmath>
#include <cstdint>

#include "base/rounding.h"

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether hn::MulAdd rounds once.
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4
inline constexpr bool kHasFma = false;
#else
inline constexpr bool kHasFma = true;
#endif

// a * b + c with one rounding, as std::fma. On targets without the instruction
// it goes through std::fma lane by lane: slow, but the same bits.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V FusedMulAdd(D d, V a, V b, V c) {
  if constexpr (kHasFma) {
    return hn::MulAdd(a, b, c);
  } else {
    HWY_ALIGN float lanes_a[hn::MaxLanes(d)];
    HWY_ALIGN float lanes_b[hn::MaxLanes(d)];
    HWY_ALIGN float lanes_c[hn::MaxLanes(d)];
    hn::Store(a, d, lanes_a);
    hn::Store(b, d, lanes_b);
    hn::Store(c, d, lanes_c);
    for (size_t i = 0; i < hn::Lanes(d); ++i) {
      lanes_c[i] = std::fma(lanes_a[i], lanes_b[i], lanes_c[i]);
    }
    return hn::Load(d, lanes_c);
  }
}

// Rounds to an integer in the current mode, which is to nearest, half to even.
// Omits the handling of values beyond int32 of Highway 1.0.3's NearestInt, which
// is four of the twelve instructions that requantize a vector.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
template <size_t kN>
HWY_INLINE hn::Vec128<int32_t, kN> NearestSmallInt(hn::Vec128<float, kN> x) {
  return hn::Vec128<int32_t, kN>{_mm_cvtps_epi32(x.raw)};
}
#if HWY_TARGET <= HWY_AVX2
HWY_INLINE hn::Vec256<int32_t> NearestSmallInt(hn::Vec256<float> x) {
  return hn::Vec256<int32_t>{_mm256_cvtps_epi32(x.raw)};
}
#endif
#if HWY_TARGET <= HWY_AVX3
HWY_INLINE hn::Vec512<int32_t> NearestSmallInt(hn::Vec512<float> x) {
  return hn::Vec512<int32_t>{_mm512_cvtps_epi32(x.raw)};
}
#endif
#else
template <class V>
HWY_INLINE auto NearestSmallInt(V x) {
  return hn::NearestInt(x);
}
#endif

// Round half to even to int32; with vectors, what is below becomes the least int32. REQUIRES:
// x < 2^31 and x is not NaN.
template <class DF, class VF = hn::Vec<DF>>
HWY_INLINE hn::Vec<hn::RebindToSigned<DF>> RoundToInt(DF /*d*/, VF x) {
#if HWY_TARGET == HWY_SCALAR
  // Highway 1.0.3's scalar NearestInt adds 0.5 first: 0.49999997 becomes 1.
  return hn::Set(hn::RebindToSigned<DF>(), static_cast<int32_t>(RoundHalfEven(hn::GetLane(x))));
#else
  return NearestSmallInt(x);
#endif
}

// Divides many values by one: x / divisor, rounded once as hn::Div does it, for |x| < 2^96 where
// x is 0, or neither |x| < 2^-80 nor |x / divisor| < 2^-126; else what is less than 2^-40.
//
// By the divisor's reciprocal and two corrections. The first quotient is within two units in the
// last place; the first correction makes it one of the two floats around x / divisor, from where
// the second one rounds correctly, since the reciprocal is correctly rounded itself. (P. Markstein,
// "Computation of elementary functions on the IBM RISC System/6000 processor", 1990; Handbook of
// Floating-Point Arithmetic, chapter "Fused Multiply-Add", on division.) Five instructions of half
// a cycle each, where a division of 512 bits takes 16 cycles.
template <class D, class V = hn::Vec<D>>
class ManyQuotients {
 public:
  ManyQuotients(D d, float divisor)
      : divisor_(hn::Set(d, divisor)),
        reciprocal_(hn::Set(d, 1 / divisor)),
        is_exact_(kHasFma && divisor > 0x1p-31f && divisor < 0x1p60f) {}

  // Whether Of may be called: needs fused multiply-adds, and a divisor in (2^-31, 2^60).
  bool IsExact() const { return is_exact_; }
  HWY_INLINE V Of(V x) const {
    const V first = hn::Mul(x, reciprocal_);
    const V second = hn::MulAdd(hn::NegMulAdd(first, divisor_, x), reciprocal_, first);
    return hn::MulAdd(hn::NegMulAdd(second, divisor_, x), reciprocal_, second);
  }

 private:
  const V divisor_, reciprocal_;
  const bool is_exact_;
};

// min(max(x, lo), hi) that keeps NaN, and keeps x if it equals a bound (-0 and 0):
// x < lo ? lo : x > hi ? hi : x, in scalar code.
template <class V>
HWY_INLINE V ClampFloat(V x, V lo, V hi) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  // MAXPS and MINPS return the second operand if one is a NaN or both are zeros.
  return hn::Min(hi, hn::Max(lo, x));
#else
  const V above = hn::IfThenElse(hn::Lt(x, lo), lo, x);
  return hn::IfThenElse(hn::Gt(above, hi), hi, above);
#endif
}

// Requantize of base/rounding.h. lo and hi are float(min - zero_point) and
// float(max - zero_point); the result is in [min, max].
template <class DF, class VF = hn::Vec<DF>, class VI = hn::Vec<hn::RebindToSigned<DF>>>
HWY_INLINE VI RequantizeLanes(DF d, VI acc, VF multiplier, VF lo, VF hi, VI zero_point) {
  const VF scaled = hn::Mul(hn::ConvertTo(d, acc), multiplier);
  return hn::Add(RoundToInt(d, hn::Min(hn::Max(scaled, lo), hi)), zero_point);
}

// QuantizeValue of base/rounding.h: x / scale, half to even, + zero_point; NaN gives zero_point.
// lo and hi as above.
template <class DF, class VF = hn::Vec<DF>, class VI = hn::Vec<hn::RebindToSigned<DF>>>
HWY_INLINE VI QuantizeLanes(DF d, VF x, VF scale, VF lo, VF hi, VI zero_point) {
  const VF quotient = hn::Div(x, scale);
  const VF scaled = hn::IfThenElseZero(hn::Eq(quotient, quotient), quotient);
  return hn::Add(RoundToInt(d, hn::Min(hn::Max(scaled, lo), hi)), zero_point);
}

// Stores the low bytes of lanes in [0, 255]. Needs no alignment.
template <class DI, class VI = hn::Vec<DI>>
HWY_INLINE void StoreAsBytes(DI d, VI v, uint8_t* to) {
  const hn::Rebind<uint8_t, DI> du8;
  (void)d;
#if HWY_TARGET == HWY_SCALAR
  hn::StoreU(hn::DemoteTo(du8, v), du8, to);
#else
  hn::StoreU(hn::TruncateTo(du8, hn::BitCast(hn::RebindToUnsigned<DI>(), v)), du8, to);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
