#include "kernels/reduce/reduce.h"

#include <algorithm>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/reduce_simd.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/shared/simd/virtual_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

template <class Op>
void FloatRow(const void* x, int64_t n, void* out) {
  *static_cast<float*>(out) = ReduceRow<Op>(static_cast<const float*>(x), n);
}

// kVectors vectors of neighbouring columns together, so that their chains overlap.
template <class Op, int64_t kVectors>
HWY_INLINE void FloatChains(const float* x, int64_t n, int64_t stride, float* out) {
  const LaneTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  LaneVec acc[kVectors];
  for (int64_t v = 0; v < kVectors; ++v) acc[v] = hn::Set(d, Op::kStart);
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t v = 0; v < kVectors; ++v) {
      acc[v] = Op()(acc[v], hn::LoadU(d, x + j * stride + v * lanes));
    }
  }
  for (int64_t v = 0; v < kVectors; ++v) hn::StoreU(acc[v], d, out + v * lanes);
}

template <class Op>
void FloatColumnBlock(const float* x, int64_t n, int64_t stride, int64_t width, float* out) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(LaneTag()));
  int64_t c = 0;
  for (; c + 4 * lanes <= width; c += 4 * lanes) FloatChains<Op, 4>(x + c, n, stride, out + c);
  for (; c + lanes <= width; c += lanes) FloatChains<Op, 1>(x + c, n, stride, out + c);
  for (; c < width; ++c) {
    float chain = Op::kStart;
    for (int64_t j = 0; j < n; ++j) chain = Op::Scalar(chain, x[j * stride + c]);
    out[c] = chain;
  }
}

template <class Op>
void FloatColumns(const void* from, int64_t n, int64_t stride, int64_t width, void* to) {
  const auto* x = static_cast<const float*>(from);
  auto* out = static_cast<float*>(to);
  FloatColumnBlock<Op>(x, std::min(n, kChain), stride, width, out);
  float found[reduce::kColumns];
  for (int64_t begin = kChain; begin < n; begin += kChain) {
    FloatColumnBlock<Op>(x + begin * stride, std::min(n - begin, kChain), stride, width, found);
    for (int64_t c = 0; c < width; ++c) out[c] = Op::Combine(out[c], found[c]);
  }
}

template <class Op>
reduce::VectorLoops FloatLoops() {
  return {&FloatRow<Op>, &FloatColumns<Op>};
}

// Sums of bytes are exact, so their order is free.
void ByteSumRow(const void* from, int64_t n, void* out) {
  const auto* x = static_cast<const uint8_t*>(from);
  const hn::ScalableTag<int32_t> d;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto sum = hn::Zero(d);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) sum = hn::Add(sum, hn::PromoteTo(d, hn::LoadU(d8, x + i)));
  int32_t total = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; i < n; ++i) total += x[i];
  *static_cast<int32_t*>(out) = total;
}

void ByteSumColumns(const void* from, int64_t n, int64_t stride, int64_t width, void* to) {
  const auto* x = static_cast<const uint8_t*>(from);
  auto* out = static_cast<int32_t*>(to);
  const hn::ScalableTag<int32_t> d;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + lanes <= width; c += lanes) {
    auto sum = hn::Zero(d);
    for (int64_t j = 0; j < n; ++j) {
      sum = hn::Add(sum, hn::PromoteTo(d, hn::LoadU(d8, x + j * stride + c)));
    }
    hn::StoreU(sum, d, out + c);
  }
  for (; c < width; ++c) {
    int32_t sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += x[j * stride + c];
    out[c] = sum;
  }
}

template <bool kMax>
uint8_t ByteExtreme(uint8_t a, uint8_t b) {
  return kMax ? std::max(a, b) : std::min(a, b);
}

template <bool kMax>
void ByteExtremeRow(const void* from, int64_t n, void* out) {
  const auto* x = static_cast<const uint8_t*>(from);
  uint8_t extreme = x[0];
#if HWY_TARGET == HWY_SCALAR
  for (int64_t i = 1; i < n; ++i) extreme = ByteExtreme<kMax>(extreme, x[i]);
#else
  const hn::ScalableTag<uint8_t> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto extremes = hn::Set(d, extreme);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto v = hn::LoadU(d, x + i);
    extremes = kMax ? hn::Max(extremes, v) : hn::Min(extremes, v);
  }
  HWY_ALIGN uint8_t found[hn::MaxLanes(d)];
  hn::Store(extremes, d, found);
  for (const uint8_t value : found) extreme = ByteExtreme<kMax>(extreme, value);
  for (; i < n; ++i) extreme = ByteExtreme<kMax>(extreme, x[i]);
#endif
  *static_cast<uint8_t*>(out) = extreme;
}

template <bool kMax>
void ByteExtremeColumns(const void* from, int64_t n, int64_t stride, int64_t width, void* to) {
  const auto* x = static_cast<const uint8_t*>(from);
  auto* out = static_cast<uint8_t*>(to);
  std::copy(x, x + width, out);
  const hn::ScalableTag<uint8_t> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + lanes <= width; c += lanes) {
    auto extremes = hn::LoadU(d, x + c);
    for (int64_t j = 1; j < n; ++j) {
      const auto v = hn::LoadU(d, x + j * stride + c);
      extremes = kMax ? hn::Max(extremes, v) : hn::Min(extremes, v);
    }
    hn::StoreU(extremes, d, out + c);
  }
  for (int64_t j = 1; j < n; ++j) {
    for (int64_t k = c; k < width; ++k) out[k] = ByteExtreme<kMax>(out[k], x[j * stride + k]);
  }
}

reduce::VectorLoops ChooseFloat(ReduceFunction function) {
  switch (function) {
    case ReduceFunction::kMean:
    case ReduceFunction::kSum:
      return FloatLoops<SumOp>();
    case ReduceFunction::kMax:
      return FloatLoops<MaximumOp>();
    case ReduceFunction::kMin:
      return FloatLoops<MinimumOp>();
    case ReduceFunction::kProd:
      return FloatLoops<ProductOp>();
    case ReduceFunction::kL2:
      return FloatLoops<SumOfSquaresOp>();
  }
  return {};
}

reduce::VectorLoops ChooseByte(ReduceFunction function) {
  switch (function) {
    case ReduceFunction::kMean:
    case ReduceFunction::kSum:
      return {&ByteSumRow, &ByteSumColumns};
    case ReduceFunction::kMax:
      return {&ByteExtremeRow<true>, &ByteExtremeColumns<true>};
    case ReduceFunction::kMin:
      return {&ByteExtremeRow<false>, &ByteExtremeColumns<false>};
    default:
      return {};
  }
}

reduce::VectorLoops Choose(ReduceFunction function, bool bytes) {
  return bytes ? ChooseByte(function) : ChooseFloat(function);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal::reduce {

HWY_EXPORT(Choose);

VectorLoops FindVectorLoops(ReduceFunction function, DataType type) {
  if (type != DataType::kFloat32 && type != DataType::kUint8) return {};
  return HWY_DYNAMIC_DISPATCH(Choose)(function, type == DataType::kUint8);
}

}  // namespace synap_internal::reduce
#endif  // HWY_ONCE
