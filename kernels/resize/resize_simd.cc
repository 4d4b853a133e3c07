#include "kernels/resize/resize.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/rounding.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/resize/resize_simd.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// The four pixels and weights of one output pixel.
template <typename T>
struct Corners {
  const T* HWY_RESTRICT pixel[4];
  float weight[4];
};

template <typename T>
HWY_INLINE T InterpolateOne(const Corners<T>& corners, int64_t c) {
  float sum = 0;
  for (int i = 0; i < 4; ++i) {
    sum = std::fma(corners.weight[i], static_cast<float>(corners.pixel[i][c]), sum);
  }
  if constexpr (std::is_same_v<T, uint8_t>) sum = std::clamp(RoundHalfEven(sum), 0.0f, 255.0f);
  return static_cast<T>(sum);
}

// Targets without a fused multiply-add of their own stay scalar: a product and a
// sum would round twice.
#if HWY_NATIVE_FMA

template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const float* p) {
  return hn::LoadU(d, p);
}
template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const uint8_t* p) {
  const hn::Rebind<uint8_t, D> d8;
  const hn::RebindToSigned<D> di;
  return hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(d8, p)));
}

template <class D>
HWY_INLINE void StoreFloats(D d, hn::Vec<D> v, float* p) {
  hn::StoreU(v, d, p);
}
template <class D>
HWY_INLINE void StoreFloats(D, hn::Vec<D> v, uint8_t* p) {
  const hn::Rebind<uint8_t, D> d8;
  hn::StoreU(hn::DemoteTo(d8, hn::NearestInt(v)), d8, p);  // saturates
}

// REQUIRES: channels >= lanes. The last vector begins early and makes values again.
template <class D, typename T>
HWY_INLINE void InterpolateVectors(D d, const Corners<T>& corners, int64_t channels,
                                   T* HWY_RESTRICT output) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t begin = 0; begin < channels; begin += lanes) {
    const int64_t c = HWY_MIN(begin, channels - lanes);
    auto sum = hn::Zero(d);
    for (int i = 0; i < 4; ++i) {
      sum = hn::MulAdd(hn::Set(d, corners.weight[i]), LoadFloats(d, corners.pixel[i] + c), sum);
    }
    StoreFloats(d, sum, output + c);
  }
}

template <typename T>
HWY_INLINE void InterpolatePixel(const Corners<T>& corners, int64_t channels,
                                 T* HWY_RESTRICT output) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 8> d8;
  const hn::CappedTag<float, 4> d4;
  if (channels >= static_cast<int64_t>(hn::Lanes(d))) {
    InterpolateVectors(d, corners, channels, output);
  } else if (channels >= static_cast<int64_t>(hn::Lanes(d8))) {
    InterpolateVectors(d8, corners, channels, output);
  } else if (channels >= static_cast<int64_t>(hn::Lanes(d4))) {
    InterpolateVectors(d4, corners, channels, output);
  } else {
    for (int64_t c = 0; c < channels; ++c) output[c] = InterpolateOne(corners, c);
  }
}

#else

template <typename T>
HWY_INLINE void InterpolatePixel(const Corners<T>& corners, int64_t channels,
                                 T* HWY_RESTRICT output) {
  for (int64_t c = 0; c < channels; ++c) output[c] = InterpolateOne(corners, c);
}

#endif

template <typename T>
HWY_INLINE void InterpolateRow(const ResizePlan& plan, int64_t row, const T* x, T* output) {
  const size_t oy = static_cast<size_t>(row % plan.height());
  const T* image = x + row / plan.height() * plan.in_height * plan.in_width * plan.channels;
  const T* row0 = image + plan.y.first[oy] * plan.in_width * plan.channels;
  const T* row1 = image + plan.y.second[oy] * plan.in_width * plan.channels;
  const float fy = plan.y.fraction[oy];
  for (size_t ox = 0; ox < plan.x.first.size(); ++ox, output += plan.channels) {
    const int64_t x0 = plan.x.first[ox] * plan.channels;
    const int64_t x1 = plan.x.second[ox] * plan.channels;
    const float fx = plan.x.fraction[ox];
    const Corners<T> corners = {{row0 + x0, row0 + x1, row1 + x0, row1 + x1},
                                {(1 - fy) * (1 - fx), (1 - fy) * fx, fy * (1 - fx), fy * fx}};
    InterpolatePixel(corners, plan.channels, output);
  }
}

void InterpolateFloats(const ResizePlan& plan, int64_t row, const float* x, float* output) {
  InterpolateRow(plan, row, x, output);
}
void InterpolateBytes(const ResizePlan& plan, int64_t row, const uint8_t* x, uint8_t* output) {
  InterpolateRow(plan, row, x, output);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal {

HWY_EXPORT(InterpolateFloats);
HWY_EXPORT(InterpolateBytes);

void ResizeLinearRow(const ResizePlan& plan, int64_t row, const float* x, float* output) {
  HWY_DYNAMIC_DISPATCH(InterpolateFloats)(plan, row, x, output);
}
void ResizeLinearRow(const ResizePlan& plan, int64_t row, const uint8_t* x, uint8_t* output) {
  HWY_DYNAMIC_DISPATCH(InterpolateBytes)(plan, row, x, output);
}

}  // namespace synap_internal
#endif  // HWY_ONCE
