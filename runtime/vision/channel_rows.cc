#include "runtime/vision/channel_rows.h"

#include <cstring>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/vision/channel_rows.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Interleaving works within 16 bytes.
using Bytes = hn::CappedTag<uint8_t, 16>;
using Vector = hn::Vec<Bytes>;

constexpr uint32_t kRedWeight = 19595, kGreenWeight = 38470, kBlueWeight = 7471;  // of 65536
constexpr uint32_t kHalf = 32768;

uint8_t Luma(uint8_t red, uint8_t green, uint8_t blue) {
  return static_cast<uint8_t>(
      (kRedWeight * red + kGreenWeight * green + kBlueWeight * blue + kHalf) >> 16);
}

// As many pixels as whole vectors hold.
size_t InVectors(size_t count) { return count - count % hn::Lanes(Bytes()); }

void SwapVectors(const uint8_t* pixels, size_t count, size_t channels, uint8_t* out) {
  const Bytes d;
  size_t i = 0;
  Vector red, green, blue, alpha;
  if (channels == 3) {
    for (; i < InVectors(count); i += hn::Lanes(d)) {
      hn::LoadInterleaved3(d, pixels + i * 3, red, green, blue);
      hn::StoreInterleaved3(blue, green, red, d, out + i * 3);
    }
  } else {
    for (; i < InVectors(count); i += hn::Lanes(d)) {
      hn::LoadInterleaved4(d, pixels + i * 4, red, green, blue, alpha);
      hn::StoreInterleaved4(blue, green, red, alpha, d, out + i * 4);
    }
  }
  for (; i < count; ++i) {
    uint8_t pixel[4];
    std::memcpy(pixel, pixels + i * channels, channels);
    std::swap(pixel[0], pixel[2]);
    std::memcpy(out + i * channels, pixel, channels);
  }
}

void SplitVectors(const uint8_t* pixels, size_t count, size_t channels, uint8_t* const* planes) {
  const Bytes d;
  size_t i = 0;
  Vector v[4];
  for (; i < InVectors(count); i += hn::Lanes(d)) {
    const uint8_t* from = pixels + i * channels;
    switch (channels) {
      case 1:
        v[0] = hn::LoadU(d, from);
        break;
      case 2:
        hn::LoadInterleaved2(d, from, v[0], v[1]);
        break;
      case 3:
        hn::LoadInterleaved3(d, from, v[0], v[1], v[2]);
        break;
      default:
        hn::LoadInterleaved4(d, from, v[0], v[1], v[2], v[3]);
        break;
    }
    for (size_t c = 0; c < channels; ++c) hn::StoreU(v[c], d, planes[c] + i);
  }
  for (; i < count; ++i) {
    for (size_t c = 0; c < channels; ++c) planes[c][i] = pixels[i * channels + c];
  }
}

void JoinVectors(const uint8_t* const* planes, size_t count, size_t channels, uint8_t* pixels) {
  const Bytes d;
  size_t i = 0;
  const auto plane = [&](size_t c) HWY_ATTR { return hn::LoadU(d, planes[c] + i); };
  for (; i < InVectors(count); i += hn::Lanes(d)) {
    uint8_t* to = pixels + i * channels;
    switch (channels) {
      case 1:
        hn::StoreU(plane(0), d, to);
        break;
      case 2:
        hn::StoreInterleaved2(plane(0), plane(1), d, to);
        break;
      case 3:
        hn::StoreInterleaved3(plane(0), plane(1), plane(2), d, to);
        break;
      default:
        hn::StoreInterleaved4(plane(0), plane(1), plane(2), plane(3), d, to);
        break;
    }
  }
  for (; i < count; ++i) {
    for (size_t c = 0; c < channels; ++c) pixels[i * channels + c] = planes[c][i];
  }
}

// Colour to gray. kFrom: channels of the pixels.
template <size_t kFrom>
void ToGray(const uint8_t* pixels, size_t count, bool is_bgr, uint8_t* out) {
  const hn::CappedTag<uint32_t, 16> wide;
  const hn::Rebind<uint8_t, decltype(wide)> d;
  const hn::RebindToSigned<decltype(wide)> ints;
  const size_t red = is_bgr ? 2 : 0, blue = 2 - red;
  const auto red_weight = hn::Set(wide, kRedWeight), green_weight = hn::Set(wide, kGreenWeight);
  const auto blue_weight = hn::Set(wide, kBlueWeight), half = hn::Set(wide, kHalf);
  size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    hn::Vec<decltype(d)> v0, v1, v2, v3;
    if constexpr (kFrom == 3) {
      hn::LoadInterleaved3(d, pixels + i * 3, v0, v1, v2);
    } else {
      hn::LoadInterleaved4(d, pixels + i * 4, v0, v1, v2, v3);
    }
    const auto r = hn::PromoteTo(wide, is_bgr ? v2 : v0), g = hn::PromoteTo(wide, v1);
    const auto b = hn::PromoteTo(wide, is_bgr ? v0 : v2);
    const auto sum = hn::Add(hn::Add(hn::Mul(r, red_weight), hn::Mul(g, green_weight)),
                             hn::Add(hn::Mul(b, blue_weight), half));
    hn::StoreU(hn::DemoteTo(d, hn::BitCast(ints, hn::ShiftRight<16>(sum))), d, out + i);
  }
  for (; i < count; ++i) {
    const uint8_t* pixel = pixels + i * kFrom;
    out[i] = Luma(pixel[red], pixel[1], pixel[blue]);
  }
}

// To colour. kFrom, kTo: channels of the pixels and of `out`.
template <size_t kFrom, size_t kTo>
void ToColour(const uint8_t* pixels, size_t count, uint8_t* out) {
  const Bytes d;
  size_t i = 0;
  for (; i < InVectors(count); i += hn::Lanes(d)) {
    Vector v0, v1, v2, alpha = hn::Set(d, uint8_t{255});
    if constexpr (kFrom == 1) {
      v0 = v1 = v2 = hn::LoadU(d, pixels + i);
    } else if constexpr (kFrom == 3) {
      hn::LoadInterleaved3(d, pixels + i * 3, v0, v1, v2);
    } else {
      hn::LoadInterleaved4(d, pixels + i * 4, v0, v1, v2, alpha);
    }
    if constexpr (kTo == 3) {
      hn::StoreInterleaved3(v0, v1, v2, d, out + i * 3);
    } else {
      hn::StoreInterleaved4(v0, v1, v2, alpha, d, out + i * 4);
    }
  }
  for (; i < count; ++i) {
    for (size_t c = 0; c < 3; ++c) out[i * kTo + c] = pixels[i * kFrom + (kFrom == 1 ? 0 : c)];
    if constexpr (kTo == 4) out[i * kTo + 3] = 255;
  }
}

void ConvertVectors(const uint8_t* pixels, size_t count, size_t from, size_t to, bool is_bgr,
                    uint8_t* out) {
  if (to == 1) {
    return from == 3 ? ToGray<3>(pixels, count, is_bgr, out)
                     : ToGray<4>(pixels, count, is_bgr, out);
  }
  if (from == 1) {
    return to == 3 ? ToColour<1, 3>(pixels, count, out) : ToColour<1, 4>(pixels, count, out);
  }
  return to == 3 ? ToColour<4, 3>(pixels, count, out) : ToColour<3, 4>(pixels, count, out);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal {

HWY_EXPORT(SwapVectors);
HWY_EXPORT(SplitVectors);
HWY_EXPORT(JoinVectors);
HWY_EXPORT(ConvertVectors);

void SwapRedAndBlueOfRow(const uint8_t* pixels, size_t count, size_t channels, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(SwapVectors)(pixels, count, channels, out);
}

void SplitRow(const uint8_t* pixels, size_t count, size_t channels, uint8_t* const* planes) {
  HWY_DYNAMIC_DISPATCH(SplitVectors)(pixels, count, channels, planes);
}

void JoinRow(const uint8_t* const* planes, size_t count, size_t channels, uint8_t* pixels) {
  HWY_DYNAMIC_DISPATCH(JoinVectors)(planes, count, channels, pixels);
}

void ConvertChannelsOfRow(const uint8_t* pixels, size_t count, size_t from, size_t to, bool is_bgr,
                          uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(ConvertVectors)(pixels, count, from, to, is_bgr, out);
}

}  // namespace synap_internal
#endif  // HWY_ONCE
