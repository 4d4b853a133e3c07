#include "kernels/convert/convert.h"

#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/rounding.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/convert/convert_simd.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/shared/simd/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
using DI = hn::RebindToSigned<D>;

// Real numbers from floats or through the quantizer, and back.
template <typename T>
struct Reader {
  explicit Reader(const convert::Quantizer& quantizer)
      : scale(hn::Set(D(), quantizer.scale)), zero_point(hn::Set(DI(), quantizer.zero_point)) {}
  HWY_INLINE V Load(const T* from) const {
    if constexpr (std::is_same_v<T, float>) {
      return hn::LoadU(D(), from);
    } else {
      const auto q = hn::PromoteTo(DI(), hn::LoadU(hn::Rebind<T, D>(), from));
      return hn::Mul(hn::ConvertTo(D(), hn::Sub(q, zero_point)), scale);
    }
  }
  V scale;
  hn::Vec<DI> zero_point;
};

template <typename T>
struct Writer {
  explicit Writer(const convert::Quantizer& quantizer)
      : scale(hn::Set(D(), quantizer.scale)), zero_point(hn::Set(DI(), quantizer.zero_point)) {
    if constexpr (!std::is_same_v<T, float>) {
      const int32_t zero = quantizer.zero_point;
      lo = hn::Set(D(), static_cast<float>(std::numeric_limits<T>::min() - zero));
      hi = hn::Set(D(), static_cast<float>(std::numeric_limits<T>::max() - zero));
    }
  }
  HWY_INLINE void Store(V real, T* to) const {
    if constexpr (std::is_same_v<T, float>) {
      hn::StoreU(real, D(), to);
    } else {
      const hn::Rebind<T, D> d;
      hn::StoreU(hn::DemoteTo(d, QuantizeLanes(D(), real, scale, lo, hi, zero_point)), d, to);
    }
  }
  V scale;
  hn::Vec<DI> zero_point;
  V lo = hn::Zero(D());
  V hi = hn::Zero(D());
};

template <typename From, typename To>
void Convert(const convert::Quantizer& in, const convert::Quantizer& out, const void* x, void* y,
             int64_t n) {
  const From* from = static_cast<const From*>(x);
  To* to = static_cast<To*>(y);
  const Reader<From> reader(in);
  const Writer<To> writer(out);
  const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) writer.Store(reader.Load(from + i), to + i);
  const size_t left = static_cast<size_t>(n) % hn::Lanes(D());
  if (left == 0) return;
  HWY_ALIGN From tail_from[hn::MaxLanes(D())] = {};
  HWY_ALIGN To tail_to[hn::MaxLanes(D())];
  for (size_t k = 0; k < left; ++k) tail_from[k] = from[i + static_cast<int64_t>(k)];
  writer.Store(reader.Load(tail_from), tail_to);
  for (size_t k = 0; k < left; ++k) to[i + static_cast<int64_t>(k)] = tail_to[k];
}

template <typename From>
convert::Run ChooseFrom(DataType to) {
  if constexpr (sizeof(From) == 1) {
    if (SizeOf(to) == 1) return nullptr;  // a table is faster
  } else {
    if (to == DataType::kUint8) return &Convert<From, uint8_t>;
    if (to == DataType::kInt8) return &Convert<From, int8_t>;
  }
  switch (to) {
    case DataType::kInt16:
      return &Convert<From, int16_t>;
    default:
      return &Convert<From, float>;
  }
}

// Highway 1.0.3 rounds halves as base/rounding.h does where the processor
// converts them itself.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL

void FromHalf(DataType from, DataType to, const void* x, void* y, int64_t n) {
  const hn::Rebind<hwy::float16_t, D> d16;
  const auto* halves = static_cast<const hwy::float16_t*>(x);
  auto* floats = static_cast<float*>(y);
  const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(hn::PromoteTo(D(), hn::LoadU(d16, halves + i)), D(), floats + i);
  }
  convert::ReferenceCast(from, to, halves + i, floats + i, n - i);
}

void ToHalf(DataType from, DataType to, const void* x, void* y, int64_t n) {
  const hn::Rebind<hwy::float16_t, D> d16;
  const auto* floats = static_cast<const float*>(x);
  auto* halves = static_cast<hwy::float16_t*>(y);
  const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(hn::DemoteTo(d16, hn::LoadU(D(), floats + i)), d16, halves + i);
  }
  convert::ReferenceCast(from, to, floats + i, halves + i, n - i);
}

convert::Cast ChooseCast(DataType from, DataType to) {
  if (from == DataType::kFloat16 && to == DataType::kFloat32) return &FromHalf;
  if (from == DataType::kFloat32 && to == DataType::kFloat16) return &ToHalf;
  return &convert::ReferenceCast;
}

#else

convert::Cast ChooseCast(DataType, DataType) { return &convert::ReferenceCast; }

#endif

convert::Run Choose(DataType from, DataType to) {
  switch (from) {
    case DataType::kUint8:
      return ChooseFrom<uint8_t>(to);
    case DataType::kInt8:
      return ChooseFrom<int8_t>(to);
    case DataType::kInt16:
      return ChooseFrom<int16_t>(to);
    default:
      return ChooseFrom<float>(to);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal::convert {

HWY_EXPORT(Choose);
HWY_EXPORT(ChooseCast);

Run FindQuantize(DataType from, DataType to) { return HWY_DYNAMIC_DISPATCH(Choose)(from, to); }

Cast FindCast(DataType from, DataType to) { return HWY_DYNAMIC_DISPATCH(ChooseCast)(from, to); }

}  // namespace synap_internal::convert
#endif  // HWY_ONCE
