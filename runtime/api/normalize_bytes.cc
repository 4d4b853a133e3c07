#include "runtime/api/normalize_bytes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/api/normalize_bytes.cc"
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

constexpr size_t kMaxLanes = HWY_MAX_BYTES / sizeof(float);

// `channels` vectors hold whole pixels: vector k begins with channel k * lanes modulo channels.
void NormalizeVectors(const uint8_t* bytes, size_t count, const float* means, const float* scales,
                      size_t channels, float* out) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  const size_t period = channels * lanes;
  float mean_lanes[kMaxFloatChannels * kMaxLanes];
  float scale_lanes[kMaxFloatChannels * kMaxLanes];
  for (size_t i = 0; i < period; ++i) {
    mean_lanes[i] = means[i % channels];
    scale_lanes[i] = scales[i % channels];
  }
  size_t i = 0;
  for (; i + period <= count; i += period) {
    for (size_t k = 0; k < period; k += lanes) {
      const auto pixels = hn::PromoteTo(Ints(), hn::LoadU(Bytes(), bytes + i + k));
      const auto centred = hn::Sub(hn::ConvertTo(d, pixels), hn::LoadU(d, mean_lanes + k));
      hn::StoreU(hn::Div(centred, hn::LoadU(d, scale_lanes + k)), d, out + i + k);
    }
  }
  for (size_t k = 0; i + k < count; ++k) {
    out[i + k] = (static_cast<float>(bytes[i + k]) - mean_lanes[k]) / scale_lanes[k];
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal {

HWY_EXPORT(NormalizeVectors);

void NormalizeToFloats(const uint8_t* bytes, size_t count, const float* means, const float* scales,
                       size_t channels, float* out) {
  HWY_DYNAMIC_DISPATCH(NormalizeVectors)(bytes, count, means, scales, channels, out);
}

}  // namespace synap_internal
#endif  // HWY_ONCE
