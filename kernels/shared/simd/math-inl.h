// Functions of base/float_math.h over vectors of the current Highway target: the
// same operations in the same order, so the same bits in every lane. Targets
// without a fused multiply-add call the scalar function lane by lane.

// Per-target include guard.
#if defined(KERNELS_SHARED_SIMD_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNELS_SHARED_SIMD_MATH_INL_H_
#undef KERNELS_SHARED_SIMD_MATH_INL_H_
#else
#define KERNELS_SHARED_SIMD_MATH_INL_H_
#endif

#include <cstdint>
#include <limits>

#include "base/float_math.h"
#include "base/float_math_constants.h"

#include "hwy/highway.h"
#include "kernels/shared/simd/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// function(x) in each lane.
template <class D, class V = hn::Vec<D>, class F>
HWY_INLINE V ForEachLane(D d, V x, F function) {
  HWY_ALIGN float lanes[hn::MaxLanes(d)];
  hn::Store(x, d, lanes);
  for (size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = function(lanes[i]);
  return hn::Load(d, lanes);
}

// c[0] + c[1] x + ..., from the last coefficient down.
template <class D, class V = hn::Vec<D>, size_t kCount>
HWY_INLINE V PolynomialLanes(D d, const float (&c)[kCount], V x) {
  V sum = hn::Set(d, c[kCount - 1]);
  for (size_t i = kCount - 1; i-- > 0;) sum = hn::MulAdd(sum, x, hn::Set(d, c[i]));
  return sum;
}

// 2^n as a float. REQUIRES: -126 <= n <= 127.
template <class D, class VI = hn::Vec<hn::RebindToSigned<D>>>
HWY_INLINE hn::Vec<D> PowerOfTwoLanes(D d, VI n) {
  const hn::RebindToSigned<D> di;
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(di, 127))));
}

// y * 2^n, rounded once. REQUIRES: n is whole and in [-252, 254], y in [0.5, 2], or
// one of them is a NaN: the result is anything then.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
template <class D>
HWY_INLINE hn::Vec512<float> ScaleLanes(D /*d*/, hn::Vec512<float> y, hn::Vec512<float> n) {
  return hn::Vec512<float>{_mm512_scalef_ps(y.raw, n.raw)};
}
#endif
template <class D, class V>
HWY_INLINE V ScaleLanes(D d, V y, V n) {
  const auto whole = RoundToInt(d, n);
  // Far from both ends n is added to the exponents.
  if (HWY_LIKELY(hn::AllTrue(d, hn::Le(hn::Abs(n), hn::Set(d, 125.0f))))) {
    const hn::RebindToSigned<D> di;
    return hn::BitCast(d, hn::Add(hn::BitCast(di, y), hn::ShiftLeft<23>(whole)));
  }
  // Two factors: 2^n itself is out of range at both ends. The first product is exact.
  const auto half = hn::ShiftRight<1>(whole);
  return hn::Mul(hn::Mul(y, PowerOfTwoLanes(d, half)), PowerOfTwoLanes(d, hn::Sub(whole, half)));
}

// x = n ln 2 + r with |r| <= ln 2 / 2; returns e^r - 1. NaN for NaN, n as well.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ReducedExpMinus1Lanes(D d, V x, V& n) {
  n = hn::Round(hn::Mul(x, hn::Set(d, float_math::kLog2E)));
  V r = hn::MulAdd(n, hn::Set(d, -float_math::kLn2High), x);
  r = hn::MulAdd(n, hn::Set(d, -float_math::kLn2Low), r);
  return hn::MulAdd(hn::Mul(r, r), PolynomialLanes(d, float_math::kExp, r), r);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpLanes(D d, V x) {
  if constexpr (!kHasFma) return ForEachLane(d, x, Exp);
  const V clamped =
      ClampFloat(x, hn::Set(d, float_math::kExpLow), hn::Set(d, float_math::kExpHigh));
  V n;
  const V y = hn::Add(hn::Set(d, 1.0f), ReducedExpMinus1Lanes(d, clamped, n));
  return hn::IfThenElse(hn::Eq(x, x), ScaleLanes(d, y, n), x);
}

// ExpLanes(-|x|) where a NaN becomes any NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpOfMinusAbsLanes(D d, V x) {
  const V low = hn::Set(d, float_math::kExpLow);
  const V negative = hn::Neg(hn::Abs(x));
  const V clamped = hn::IfThenElse(hn::Lt(negative, low), low, negative);
  V n;
  const V y = hn::Add(hn::Set(d, 1.0f), ReducedExpMinus1Lanes(d, clamped, n));
  return ScaleLanes(d, y, n);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpMinus1Lanes(D d, V x) {
  if constexpr (!kHasFma) {
    // Callers that select among lanes afterwards pass positive ones, too, which ExpMinus1 refuses.
    const V zero = hn::Zero(d);
    return ForEachLane(d, hn::IfThenElse(hn::Gt(x, zero), zero, x), ExpMinus1);
  }
  const V low = hn::Set(d, float_math::kExpMinus1Low);
  V n;
  const V y = ReducedExpMinus1Lanes(d, hn::IfThenElse(hn::Lt(x, low), low, x), n);
  const V scale = PowerOfTwoLanes(d, RoundToInt(d, n));
  const V result = hn::MulAdd(scale, y, hn::Sub(scale, hn::Set(d, 1.0f)));
  return hn::IfThenElse(hn::Eq(x, x), result, x);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V LogLanes(D d, V x) {
  if constexpr (!kHasFma) return ForEachLane(d, x, Log);
  const hn::RebindToSigned<D> di;
  const V zero = hn::Zero(d);
  const V infinity = hn::Set(d, std::numeric_limits<float>::infinity());
  const auto subnormal = hn::Lt(x, hn::Set(d, float_math::kSmallestNormal));
  const V normal = hn::IfThenElse(subnormal, hn::Mul(x, hn::Set(d, 0x1p23f)), x);
  const auto sqrt_half = hn::Set(di, static_cast<int32_t>(float_math::kSqrtHalfBits));
  const auto bits = hn::Sub(hn::BitCast(di, normal), sqrt_half);
  const V unscaled = hn::ConvertTo(d, hn::ShiftRight<23>(bits));
  const V e = hn::Sub(unscaled, hn::IfThenElseZero(subnormal, hn::Set(d, 23.0f)));
  const auto mantissa = hn::Add(hn::And(bits, hn::Set(di, 0x7FFFFF)), sqrt_half);
  const V f = hn::Sub(hn::BitCast(d, mantissa), hn::Set(d, 1.0f));
  const V f2 = hn::Mul(f, f);
  V y = hn::Mul(hn::Mul(f, f2), PolynomialLanes(d, float_math::kLog, f));
  y = hn::MulAdd(e, hn::Set(d, float_math::kLn2Low), y);
  y = hn::MulAdd(hn::Set(d, -0.5f), f2, y);
  y = hn::MulAdd(e, hn::Set(d, float_math::kLn2High), hn::Add(f, y));
  y = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), y);
  y = hn::IfThenElse(hn::Lt(x, zero), hn::Set(d, std::numeric_limits<float>::quiet_NaN()), y);
  return hn::IfThenElse(hn::Lt(x, infinity), y, x);  // infinity and NaN stay
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V TanhLanes(D d, V x) {
  if constexpr (!kHasFma) return ForEachLane(d, x, Tanh);
  const V one = hn::Set(d, 1.0f);
  const V a = hn::Abs(x);
  const V u = hn::Mul(x, x);
  const V small = hn::MulAdd(hn::Mul(a, u), PolynomialLanes(d, float_math::kTanh, u), a);
  const V e = ExpLanes(d, hn::Add(a, a));
  const V large = hn::Sub(one, hn::Div(hn::Set(d, 2.0f), hn::Add(e, one)));
  const auto is_small = hn::Lt(a, hn::Set(d, float_math::kTanhSmall));
  return hn::CopySign(hn::IfThenElse(is_small, small, large), x);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V SigmoidLanes(D d, V x) {
  if constexpr (!kHasFma) return ForEachLane(d, x, Sigmoid);
  const V one = hn::Set(d, 1.0f);
  const V e = ExpOfMinusAbsLanes(d, x);
  return hn::Div(hn::IfThenElse(hn::Ge(x, hn::Zero(d)), one, e), hn::Add(one, e));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V ErfLanes(D d, V x) {
  if constexpr (!kHasFma) return ForEachLane(d, x, Erf);
  const V a = hn::Abs(x);
  const V small = hn::MulAdd(x, PolynomialLanes(d, float_math::kErf, hn::Mul(x, x)), x);
  const V high = hn::Set(d, float_math::kErfHigh);
  const V clamped = hn::IfThenElse(hn::Gt(a, high), high, a);
  const V e = ExpLanes(d, hn::Neg(PolynomialLanes(d, float_math::kErfTail, clamped)));
  const V large = hn::CopySign(hn::Sub(hn::Set(d, 1.0f), e), x);
  return hn::IfThenElse(hn::Lt(a, hn::Set(d, float_math::kErfSmall)), small, large);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V SoftplusLanes(D d, V x) {
  if constexpr (!kHasFma) return ForEachLane(d, x, Softplus);
  const V one = hn::Set(d, 1.0f);
  const V positive = hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), x);
  const V e = ExpOfMinusAbsLanes(d, x);
  const V u = hn::Add(one, e);
  const V lost = hn::Div(hn::Sub(e, hn::Sub(u, one)), u);
  return hn::Add(positive, hn::Add(LogLanes(d, u), lost));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V MishLanes(D d, V x) {
  if constexpr (!kHasFma) return ForEachLane(d, x, Mish);
  const V high = hn::Set(d, 20.0f);
  const V two = hn::Set(d, 2.0f);
  const V e = ExpLanes(d, hn::IfThenElse(hn::Gt(x, high), high, x));
  const V n = hn::Mul(e, hn::Add(e, two));
  return hn::Mul(x, hn::Div(n, hn::Add(n, two)));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V GeluLanes(D d, V x) {
  if constexpr (!kHasFma) return ForEachLane(d, x, Gelu);
  const V erf = ErfLanes(d, hn::Mul(x, hn::Set(d, float_math::kSqrtHalf)));
  return hn::Mul(hn::Mul(hn::Set(d, 0.5f), x), hn::Add(hn::Set(d, 1.0f), erf));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V GeluApproximateLanes(D d, V x) {
  if constexpr (!kHasFma) return ForEachLane(d, x, GeluApproximate);
  const V cubic = hn::Mul(hn::Set(d, float_math::kGeluCubic), x);
  const V inner = hn::Mul(hn::Set(d, float_math::kGeluScale), hn::MulAdd(cubic, hn::Mul(x, x), x));
  return hn::Mul(hn::Mul(hn::Set(d, 0.5f), x), hn::Add(hn::Set(d, 1.0f), TanhLanes(d, inner)));
}

}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
