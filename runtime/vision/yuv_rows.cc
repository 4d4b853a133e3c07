#include "runtime/vision/yuv_rows.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/vision/yuv_rows.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::Rebind<int32_t, Floats>;
using Bytes = hn::Rebind<uint8_t, Floats>;

// Every product and sum of these is exact in float32.
constexpr float kRedOfV = 1.40625f;
constexpr float kGreenOfU = 0.345458984375f, kGreenOfV = 0.716796875f;
constexpr float kBlueOfU = 1.7783203125f;

// Added to a float of 0 to 255 and subtracted again, it rounds half to even.
constexpr float kRounding = 0x1p23f;

uint8_t ToByte(float value) {
  return static_cast<uint8_t>(std::clamp(value, 0.0f, 255.0f) + kRounding - kRounding);
}

#if HWY_TARGET != HWY_SCALAR
HWY_INLINE hn::Vec<Bytes> ToBytes(hn::Vec<Floats> values) {
  const Floats d;
  const auto rounding = hn::Set(d, kRounding);
  const auto clamped = hn::Min(hn::Max(values, hn::Zero(d)), hn::Set(d, 255.0f));
  const auto rounded = hn::Sub(hn::Add(clamped, rounding), rounding);
  return hn::DemoteTo(Bytes(), hn::ConvertTo(Ints(), rounded));
}

HWY_INLINE hn::Vec<Floats> LoadFloats(const uint8_t* bytes) {
  return hn::ConvertTo(Floats(), hn::PromoteTo(Ints(), hn::LoadU(Bytes(), bytes)));
}
#endif

void ConvertVectors(const uint8_t* luma, const uint8_t* chroma, size_t width, size_t u_index,
                    uint8_t* rgb) {
  size_t x = 0;
#if HWY_TARGET != HWY_SCALAR
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  for (; x + lanes <= width; x += lanes) {
    const auto l = LoadFloats(luma + x);
    const auto pairs = hn::Sub(LoadFloats(chroma + x), hn::Set(d, 128.0f));
    const auto first = hn::DupEven(pairs), second = hn::DupOdd(pairs);
    const auto u = u_index == 0 ? first : second, v = u_index == 0 ? second : first;
    const auto red = hn::Add(l, hn::Mul(hn::Set(d, kRedOfV), v));
    const auto green =
        hn::Sub(hn::Sub(l, hn::Mul(hn::Set(d, kGreenOfU), u)), hn::Mul(hn::Set(d, kGreenOfV), v));
    const auto blue = hn::Add(l, hn::Mul(hn::Set(d, kBlueOfU), u));
    hn::StoreInterleaved3(ToBytes(red), ToBytes(green), ToBytes(blue), Bytes(), rgb + 3 * x);
  }
#endif
  for (; x < width; ++x) {
    const uint8_t* pair = chroma + (x & ~size_t{1});
    const auto l = static_cast<float>(luma[x]);
    const auto u = static_cast<float>(pair[u_index] - 128);
    const auto v = static_cast<float>(pair[1 - u_index] - 128);
    rgb[3 * x] = ToByte(l + kRedOfV * v);
    rgb[3 * x + 1] = ToByte(l - kGreenOfU * u - kGreenOfV * v);
    rgb[3 * x + 2] = ToByte(l + kBlueOfU * u);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal {

HWY_EXPORT(ConvertVectors);

void SemiPlanarRowToRgb(const uint8_t* luma, const uint8_t* chroma, size_t width, size_t u_index,
                        uint8_t* rgb) {
  HWY_DYNAMIC_DISPATCH(ConvertVectors)(luma, chroma, width, u_index, rgb);
}

}  // namespace synap_internal
#endif  // HWY_ONCE
