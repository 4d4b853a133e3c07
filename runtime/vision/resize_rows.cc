#include "runtime/vision/resize_rows.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/vision/resize_rows.cc"
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

void ConvertVectors(const uint8_t* bytes, size_t count, float* out) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  const auto scale = hn::Set(d, 255.0f);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto values = hn::PromoteTo(Ints(), hn::LoadU(Bytes(), bytes + i));
    hn::StoreU(hn::Div(hn::ConvertTo(d, values), scale), d, out + i);
  }
  for (; i < count; ++i) out[i] = static_cast<float>(bytes[i]) / 255.0f;
}

template <int kChannels>
void ResizeScalars(const float* row, const std::vector<Taps>& axis, float* out) {
  for (const Taps& taps : axis) {
    const float* in = row + static_cast<size_t>(taps.first) * kChannels;
    float sums[kChannels] = {};
    for (const float weight : taps.weights) {
      for (int c = 0; c < kChannels; ++c) sums[c] += weight * in[c];
      in += kChannels;
    }
    for (int c = 0; c < kChannels; ++c) *out++ = sums[c];
  }
}

// A pixel is a vector of four; what a pixel of three writes after its end, the next one replaces.
template <int kChannels>
void ResizePixels(const float* row, const std::vector<Taps>& axis, float* out) {
#if HWY_TARGET == HWY_SCALAR
  ResizeScalars<kChannels>(row, axis, out);
#else
  const hn::FixedTag<float, 4> d;
  for (const Taps& taps : axis) {
    const float* in = row + static_cast<size_t>(taps.first) * kChannels;
    auto sums = hn::Zero(d);
    for (const float weight : taps.weights) {
      sums = hn::Add(sums, hn::Mul(hn::Set(d, weight), hn::LoadU(d, in)));
      in += kChannels;
    }
    hn::StoreU(sums, d, out);
    out += kChannels;
  }
#endif
}

void ResizeVectors(const float* row, int channels, const std::vector<Taps>& axis, float* out) {
  switch (channels) {
    case 1:
      return ResizeScalars<1>(row, axis, out);
    case 2:
      return ResizeScalars<2>(row, axis, out);
    case 3:
      return ResizePixels<3>(row, axis, out);
    default:
      return ResizePixels<4>(row, axis, out);
  }
}

uint8_t ToByte(float value) {
  return static_cast<uint8_t>(std::clamp(value, 0.0f, 1.0f) * 255.0f + 0.5f);
}

void SumVectors(const float* const* rows, const std::vector<float>& weights, size_t count,
                uint8_t* out) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  const auto scale = hn::Set(d, 255.0f), half = hn::Set(d, 0.5f);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    auto sums = zero;
    for (size_t k = 0; k < weights.size(); ++k) {
      sums = hn::Add(sums, hn::Mul(hn::Set(d, weights[k]), hn::LoadU(d, rows[k] + i)));
    }
    const auto scaled = hn::Add(hn::Mul(hn::Min(hn::Max(sums, zero), one), scale), half);
    hn::StoreU(hn::DemoteTo(Bytes(), hn::ConvertTo(Ints(), scaled)), Bytes(), out + i);
  }
  for (; i < count; ++i) {
    float sum = 0;
    for (size_t k = 0; k < weights.size(); ++k) sum += weights[k] * rows[k][i];
    out[i] = ToByte(sum);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal {

HWY_EXPORT(ConvertVectors);
HWY_EXPORT(ResizeVectors);
HWY_EXPORT(SumVectors);

void ConvertToUnit(const uint8_t* bytes, size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(ConvertVectors)(bytes, count, out);
}

void ResizeRow(const float* row, int channels, const std::vector<Taps>& axis, float* out) {
  HWY_DYNAMIC_DISPATCH(ResizeVectors)(row, channels, axis, out);
}

void SumRows(const float* const* rows, const std::vector<float>& weights, size_t count,
             uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(SumVectors)(rows, weights, count, out);
}

}  // namespace synap_internal
#endif  // HWY_ONCE
