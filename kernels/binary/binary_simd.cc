#include "kernels/binary/binary.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/rounding.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/binary/binary_simd.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/shared/simd/byte_stage-inl.h"
#include "kernels/shared/simd/dot_products-inl.h"
#include "kernels/shared/simd/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using D = DF;
using V = VF;

// EvaluateBinary over vectors.
template <BinaryFunction kFunction>
HWY_INLINE V Evaluate(D d, V a, V b) {
  if constexpr (kFunction == BinaryFunction::kAdd) return hn::Add(a, b);
  if constexpr (kFunction == BinaryFunction::kSub) return hn::Sub(a, b);
  if constexpr (kFunction == BinaryFunction::kMul) return hn::Mul(a, b);
  if constexpr (kFunction == BinaryFunction::kDiv) return hn::Div(a, b);
  if constexpr (kFunction == BinaryFunction::kMinimum) {
    return hn::IfThenElse(hn::Eq(a, a), hn::IfThenElse(hn::Lt(a, b), a, b), a);
  }
  if constexpr (kFunction == BinaryFunction::kMaximum) {
    return hn::IfThenElse(hn::Eq(a, a), hn::IfThenElse(hn::Gt(a, b), a, b), a);
  }
  if constexpr (kFunction == BinaryFunction::kPrelu) {
    return hn::IfThenElse(hn::Lt(a, hn::Zero(d)), hn::Mul(a, b), a);
  }
}

template <BinaryFunction kFunction>
inline constexpr bool kTakesClamp =
    kFunction == BinaryFunction::kAdd || kFunction == BinaryFunction::kSub ||
    kFunction == BinaryFunction::kMul;

// The same, clamped where the function has a clamp.
template <BinaryFunction kFunction>
HWY_INLINE V Apply(D d, V a, V b, V min, V max) {
  const V value = Evaluate<kFunction>(d, a, b);
  if constexpr (kTakesClamp<kFunction>) return ClampFloat(value, min, max);
  return value;
}

// Calls step(a, b, out) for kVectors whole vectors of each row, then over padded copies of its
// remaining elements. T: the element type of a, b and out.
template <typename T, binary::Mode kMode, int kVectors = 1, typename F>
HWY_INLINE void Loop(const T* a, const T* b, T* out, const binary::Rows& rows, F step) {
  constexpr size_t kStep = kVectors * kLanes;
  constexpr auto lanes = static_cast<int64_t>(kStep);
  const size_t left = static_cast<size_t>(rows.length) % kStep;
  for (int64_t row = 0; row < rows.count; ++row) {
    const T* const row_a = kMode == binary::kAStays ? a : a + row * rows.stride;
    const T* const row_b = kMode == binary::kBStays ? b : b + row * rows.stride;
    T* const row_out = out + row * rows.stride;
    int64_t i = 0;
    for (; i + lanes <= rows.length; i += lanes) {
      step(kMode == binary::kAStays ? a : row_a + i, kMode == binary::kBStays ? b : row_b + i,
           row_out + i);
    }
    if (left == 0) continue;
    HWY_ALIGN T tail_a[kStep] = {};
    HWY_ALIGN T tail_b[kStep] = {};
    HWY_ALIGN T tail_out[kStep];
    if (kMode != binary::kAStays) std::memcpy(tail_a, row_a + i, left * sizeof(T));
    if (kMode != binary::kBStays) std::memcpy(tail_b, row_b + i, left * sizeof(T));
    step(kMode == binary::kAStays ? a : tail_a, kMode == binary::kBStays ? b : tail_b, tail_out);
    std::memcpy(row_out + i, tail_out, left * sizeof(T));
  }
}

template <BinaryFunction kFunction, binary::Mode kMode>
void RunFloat(const BinaryParams& params, const void* a, const void* b, void* out,
              const binary::Rows& rows) {
  const D d;
  const V min = hn::Set(d, params.clamp.min);
  const V max = hn::Set(d, params.clamp.max);
  Loop<float, kMode>(static_cast<const float*>(a), static_cast<const float*>(b),
                     static_cast<float*>(out), rows,
                     [&](const float* pa, const float* pb, float* to) HWY_ATTR {
                       const V va = kMode == binary::kAStays ? hn::Set(d, *pa) : hn::LoadU(d, pa);
                       const V vb = kMode == binary::kBStays ? hn::Set(d, *pb) : hn::LoadU(d, pb);
                       hn::StoreU(Apply<kFunction>(d, va, vb, min, max), d, to);
                     });
}

// DequantizeValue over vectors. T: uint8_t or int16_t.
template <typename T>
HWY_INLINE V LoadReal(D d, const T* from, hn::Vec<DI> zero_point, V scale) {
  const auto q = hn::PromoteTo(DI(), hn::LoadU(hn::Rebind<T, D>(), from));
  return hn::Mul(hn::ConvertTo(d, hn::Sub(q, zero_point)), scale);
}

// Bytes as floats.
HWY_INLINE V LoadFloats(D d, const uint8_t* from) {
  return hn::ConvertTo(d, hn::PromoteTo(DI(), hn::LoadU(hn::Rebind<uint8_t, D>(), from)));
}

// Stores values in T's range.
template <typename T>
HWY_INLINE void StoreQuantized(hn::Vec<DI> q, T* to) {
  if constexpr (std::is_same_v<T, uint8_t>) {
    StoreAsBytes(DI(), q, to);
  } else {
    const hn::Rebind<T, D> dt;
    hn::StoreU(hn::DemoteTo(dt, q), dt, to);
  }
}

// Whether all results are less than 2^96: scales are far from a float's limits.
template <BinaryFunction kFunction>
bool IsFinite(const BinaryParams& params) {
  const bool modest = params.a_scale < 0x1p31f && params.b_scale < 0x1p31f;
  return modest && kFunction != BinaryFunction::kDiv;
}

// Divisions of 256 bits are fast enough: where they take six cycles, their replacement takes five.
inline constexpr bool kQuotientsPay = HWY_TARGET == HWY_AVX3;

// The quantized value of `x` minus the zero point.
template <typename T>
float Bound(const BinaryParams& params, float x) {
  using Range = std::numeric_limits<T>;
  const int32_t q =
      QuantizeValue(x, params.out_scale, params.out_zero_point, Range::min(), Range::max());
  return static_cast<float>(q - params.out_zero_point);
}

template <BinaryFunction kFunction, binary::Mode kMode, typename T>
void RunQuantized(const BinaryParams& params, const void* a, const void* b, void* out,
                  const binary::Rows& rows) {
  const D d;
  const DI di;
  const V min = hn::Set(d, params.clamp.min), max = hn::Set(d, params.clamp.max);
  const V a_scale = hn::Set(d, params.a_scale), b_scale = hn::Set(d, params.b_scale);
  const V out_scale = hn::Set(d, params.out_scale);
  const auto a_zero = hn::Set(di, params.a_zero_point), b_zero = hn::Set(di, params.b_zero_point);
  const auto out_zero = hn::Set(di, params.out_zero_point);
  using Range = std::numeric_limits<T>;
  const V lo = hn::Set(d, static_cast<float>(Range::min() - params.out_zero_point));
  const V hi = hn::Set(d, static_cast<float>(Range::max() - params.out_zero_point));
  const auto* from_a = static_cast<const T*>(a);
  const auto* from_b = static_cast<const T*>(b);
  const V fixed_a = hn::Set(d, DequantizeValue(*from_a, params.a_scale, params.a_zero_point));
  const V fixed_b = hn::Set(d, DequantizeValue(*from_b, params.b_scale, params.b_zero_point));
  const ManyQuotients<D> quotients(d, params.out_scale);
  const bool divides = !kQuotientsPay || !quotients.IsExact();
  if (IsFinite<kFunction>(params)) {
    // Quantizing keeps the order, so the clamp may follow it, as a clamp of integers: a third
    // fewer instructions.
    const V least = kTakesClamp<kFunction> ? hn::Set(d, Bound<T>(params, params.clamp.min)) : lo;
    const V most = kTakesClamp<kFunction> ? hn::Set(d, Bound<T>(params, params.clamp.max)) : hi;
    const auto scaled = [&](const T* pa, const T* pb) HWY_ATTR {
      const V va = kMode == binary::kAStays ? fixed_a : LoadReal(d, pa, a_zero, a_scale);
      const V vb = kMode == binary::kBStays ? fixed_b : LoadReal(d, pb, b_zero, b_scale);
      const V real = Evaluate<kFunction>(d, va, vb);
      return hn::Min(divides ? hn::Div(real, out_scale) : quotients.Of(real), most);
    };
#if HWY_TARGET != HWY_SCALAR
    if constexpr (std::is_same_v<T, uint8_t>) {
      const int32_t zero = params.out_zero_point;
      const auto least_byte = static_cast<uint8_t>(hn::GetLane(least) + static_cast<float>(zero));
      if (kMode == binary::kBothAdvance && params.short_sum.has_value()) {
        const V a_by = hn::Set(d, params.short_sum->a_by),
                b_by = hn::Set(d, params.short_sum->b_by);
        const V start = hn::Set(d, params.short_sum->start);
        const auto sum = [&](const T* pa, const T* pb) HWY_ATTR {
          const V partial = hn::MulAdd(LoadFloats(d, pb), b_by, start);
          return RoundToInt(d, hn::Min(hn::MulAdd(LoadFloats(d, pa), a_by, partial), most));
        };
        return Loop<T, kMode, 2>(from_a, from_b, static_cast<T*>(out), rows,
                                 [&](const T* pa, const T* pb, T* to) HWY_ATTR {
                                   StorePairAsBytes(sum(pa, pb), sum(pa + kLanes, pb + kLanes),
                                                    zero, least_byte, to);
                                 });
      }
      return Loop<T, kMode, 2>(from_a, from_b, static_cast<T*>(out), rows,
                               [&](const T* pa, const T* pb, T* to) HWY_ATTR {
                                 const int64_t b_next = kMode == binary::kBStays ? 0 : kLanes;
                                 const int64_t a_next = kMode == binary::kAStays ? 0 : kLanes;
                                 StorePairAsBytes(RoundToInt(d, scaled(pa, pb)),
                                                  RoundToInt(d, scaled(pa + a_next, pb + b_next)),
                                                  zero, least_byte, to);
                               });
    }
#endif
    return Loop<T, kMode>(from_a, from_b, static_cast<T*>(out), rows,
                          [&](const T* pa, const T* pb, T* to) HWY_ATTR {
                            const auto q = RoundToInt(d, hn::Max(scaled(pa, pb), least));
                            StoreQuantized(hn::Add(q, out_zero), to);
                          });
  }
  Loop<T, kMode>(
      from_a, from_b, static_cast<T*>(out), rows, [&](const T* pa, const T* pb, T* to) HWY_ATTR {
        const V va = kMode == binary::kAStays ? fixed_a : LoadReal(d, pa, a_zero, a_scale);
        const V vb = kMode == binary::kBStays ? fixed_b : LoadReal(d, pb, b_zero, b_scale);
        const V real = Apply<kFunction>(d, va, vb, min, max);
        StoreQuantized(QuantizeLanes(d, real, out_scale, lo, hi, out_zero), to);
      });
}

template <binary::Mode kMode>
binary::Run RunOfMode(BinaryFunction function, bool uint8) {
  switch (function) {
#define SYNAP_BINARY_RUN(name)                                         \
  case BinaryFunction::name:                                           \
    return uint8 ? &RunQuantized<BinaryFunction::name, kMode, uint8_t> \
                 : &RunFloat<BinaryFunction::name, kMode>
    SYNAP_BINARY_RUN(kAdd);
    SYNAP_BINARY_RUN(kSub);
    SYNAP_BINARY_RUN(kMul);
    SYNAP_BINARY_RUN(kDiv);
    SYNAP_BINARY_RUN(kMinimum);
    SYNAP_BINARY_RUN(kMaximum);
    SYNAP_BINARY_RUN(kPrelu);
#undef SYNAP_BINARY_RUN
    default:
      return nullptr;
  }
}

binary::Run RunOf(BinaryFunction function, DataType type, binary::Mode mode) {
  if (type == DataType::kInt16) {
    const bool sum = function == BinaryFunction::kAdd && mode == binary::kBothAdvance;
    return sum ? &RunQuantized<BinaryFunction::kAdd, binary::kBothAdvance, int16_t> : nullptr;
  }
  const bool uint8 = type == DataType::kUint8;
  if (!uint8 && type != DataType::kFloat32) return nullptr;
  switch (mode) {
    case binary::kAStays:
      return RunOfMode<binary::kAStays>(function, uint8);
    case binary::kBStays:
      return RunOfMode<binary::kBStays>(function, uint8);
    default:
      return RunOfMode<binary::kBothAdvance>(function, uint8);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal::binary {

HWY_EXPORT(RunOf);

Run FindRun(BinaryFunction function, DataType type, Mode mode) {
  return HWY_DYNAMIC_DISPATCH(RunOf)(function, type, mode);
}

}  // namespace synap_internal::binary
#endif  // HWY_ONCE
