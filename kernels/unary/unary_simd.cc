#include "kernels/unary/unary.h"

#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/unary/unary_simd.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/shared/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Highway's scalar target has one lane and rounds in another way; it uses the
// reference.
#if HWY_TARGET == HWY_SCALAR
unary::Run Choose(UnaryFunction) { return &unary::Reference; }
#else

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// EvaluateUnary over vectors; alpha and beta are set once for a run.
template <UnaryFunction kFunction>
HWY_INLINE V Apply(D d, V x, V alpha, V beta) {
  const V zero = hn::Zero(d);
  const V one = hn::Set(d, 1.0f);
  switch (kFunction) {
    case UnaryFunction::kRelu:
      return hn::IfThenElse(hn::Lt(x, zero), zero, x);
    case UnaryFunction::kRelu6:
      return ClampFloat(x, zero, hn::Set(d, 6.0f));
    case UnaryFunction::kClip:
      return ClampFloat(x, alpha, beta);
    case UnaryFunction::kLeakyRelu:
      return hn::IfThenElse(hn::Lt(x, zero), hn::Mul(alpha, x), x);
    case UnaryFunction::kSigmoid:
      return SigmoidLanes(d, x);
    case UnaryFunction::kHardSigmoid:
      return ClampFloat(FusedMulAdd(d, alpha, x, beta), zero, one);
    case UnaryFunction::kTanh:
      return TanhLanes(d, x);
    case UnaryFunction::kSilu:
      return hn::IfThenElse(hn::Eq(x, x), hn::Mul(x, SigmoidLanes(d, x)), x);
    case UnaryFunction::kHardSwish: {
      const V line = FusedMulAdd(d, hn::Set(d, 1.0f / 6.0f), x, hn::Set(d, 0.5f));
      return hn::Mul(x, ClampFloat(line, zero, one));
    }
    case UnaryFunction::kGelu:
      return GeluLanes(d, x);
    case UnaryFunction::kGeluApproximate:
      return GeluApproximateLanes(d, x);
    case UnaryFunction::kErf:
      return ErfLanes(d, x);
    case UnaryFunction::kElu: {
      const auto negative = hn::Lt(x, zero);
      const V y = hn::Mul(alpha, ExpMinus1Lanes(d, hn::IfThenElseZero(negative, x)));
      return hn::IfThenElse(negative, y, x);
    }
    case UnaryFunction::kMish:
      return MishLanes(d, x);
    case UnaryFunction::kSoftplus:
      return SoftplusLanes(d, x);
    case UnaryFunction::kExp:
      return ExpLanes(d, x);
    case UnaryFunction::kLog:
      return LogLanes(d, x);
    case UnaryFunction::kSqrt:
      return hn::Sqrt(x);
    case UnaryFunction::kRsqrt:
      return hn::Div(one, hn::Sqrt(x));
    case UnaryFunction::kReciprocal:
      return hn::Div(one, x);
    case UnaryFunction::kSquare:
      return hn::Mul(x, x);
    case UnaryFunction::kAbs:
      return hn::Abs(x);
    case UnaryFunction::kNeg:
      return hn::Neg(x);
    case UnaryFunction::kSign: {
      const V positive = hn::IfThenElse(hn::Gt(x, zero), one, x);
      return hn::IfThenElse(hn::Lt(x, zero), hn::Neg(one), positive);
    }
    case UnaryFunction::kFloor:
      return hn::Floor(x);
    case UnaryFunction::kCeil:
      return hn::Ceil(x);
    case UnaryFunction::kRound:
      return hn::Round(x);
    case UnaryFunction::kLogicalNot:
      return hn::IfThenElseZero(hn::Eq(x, zero), one);
    default:
      return x;  // Choose asks for no other function
  }
}

template <UnaryFunction kFunction>
void Map(const UnaryParams& params, const float* x, float* out, int64_t n) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const V alpha = hn::Set(d, params.alpha);
  const V beta = hn::Set(d, params.beta);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(Apply<kFunction>(d, hn::LoadU(d, x + i), alpha, beta), d, out + i);
  }
  const size_t left = static_cast<size_t>(n) % hn::Lanes(d);
  if (left == 0) return;
  HWY_ALIGN float tail[hn::MaxLanes(d)] = {};
  for (size_t k = 0; k < left; ++k) tail[k] = x[i + static_cast<int64_t>(k)];
  hn::Store(Apply<kFunction>(d, hn::Load(d, tail), alpha, beta), d, tail);
  for (size_t k = 0; k < left; ++k) out[i + static_cast<int64_t>(k)] = tail[k];
}

unary::Run Choose(UnaryFunction function) {
  switch (function) {
#define SYNAP_UNARY_RUN(name) \
  case UnaryFunction::name:   \
    return &Map<UnaryFunction::name>
    SYNAP_UNARY_RUN(kRelu);
    SYNAP_UNARY_RUN(kRelu6);
    SYNAP_UNARY_RUN(kClip);
    SYNAP_UNARY_RUN(kLeakyRelu);
    SYNAP_UNARY_RUN(kSigmoid);
    SYNAP_UNARY_RUN(kHardSigmoid);
    SYNAP_UNARY_RUN(kTanh);
    SYNAP_UNARY_RUN(kSilu);
    SYNAP_UNARY_RUN(kHardSwish);
    SYNAP_UNARY_RUN(kGelu);
    SYNAP_UNARY_RUN(kGeluApproximate);
    SYNAP_UNARY_RUN(kErf);
    SYNAP_UNARY_RUN(kElu);
    SYNAP_UNARY_RUN(kMish);
    SYNAP_UNARY_RUN(kSoftplus);
    SYNAP_UNARY_RUN(kExp);
    SYNAP_UNARY_RUN(kLog);
    SYNAP_UNARY_RUN(kSqrt);
    SYNAP_UNARY_RUN(kRsqrt);
    SYNAP_UNARY_RUN(kReciprocal);
    SYNAP_UNARY_RUN(kSquare);
    SYNAP_UNARY_RUN(kAbs);
    SYNAP_UNARY_RUN(kNeg);
    SYNAP_UNARY_RUN(kSign);
    SYNAP_UNARY_RUN(kFloor);
    SYNAP_UNARY_RUN(kCeil);
    SYNAP_UNARY_RUN(kRound);
    SYNAP_UNARY_RUN(kLogicalNot);
#undef SYNAP_UNARY_RUN
    default:
      return &unary::Reference;
  }
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal::unary {

HWY_EXPORT(Choose);

Run FindRun(UnaryFunction function) { return HWY_DYNAMIC_DISPATCH(Choose)(function); }

}  // namespace synap_internal::unary
#endif  // HWY_ONCE
