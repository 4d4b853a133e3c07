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

using F = hn::ScalableTag<float>;

HWY_INLINE hn::Vec<F> LoadFloats(F d, const float* p) { return hn::LoadU(d, p); }
HWY_INLINE hn::Vec<F> LoadFloats(F d, const uint8_t* p) {
  const hn::Rebind<uint8_t, F> d8;
  const hn::RebindToSigned<F> di;
  return hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(d8, p)));
}

HWY_INLINE void StoreFloats(F d, hn::Vec<F> v, float* p) { hn::StoreU(v, d, p); }
HWY_INLINE void StoreFloats(F, hn::Vec<F> v, uint8_t* p) {
  const hn::Rebind<uint8_t, F> d8;
  hn::StoreU(hn::DemoteTo(d8, hn::NearestInt(v)), d8, p);  // saturates
}

template <typename T>
HWY_INLINE void InterpolatePixel(const Corners<T>& corners, int64_t channels,
                                 T* HWY_RESTRICT output) {
  const F d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + lanes <= channels; c += lanes) {
    auto sum = hn::Zero(d);
    for (int i = 0; i < 4; ++i) {
      sum = hn::MulAdd(hn::Set(d, corners.weight[i]), LoadFloats(d, corners.pixel[i] + c), sum);
    }
    StoreFloats(d, sum, output + c);
  }
  for (; c < channels; ++c) output[c] = InterpolateOne(corners, c);
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
