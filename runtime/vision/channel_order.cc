#include "runtime/vision/channel_order.h"

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace synap_internal {
namespace {

constexpr uint32_t kRedWeight = 19595, kGreenWeight = 38470, kBlueWeight = 7471;  // of 65536

uint8_t Luma(uint8_t red, uint8_t green, uint8_t blue) {
  return static_cast<uint8_t>(
      (kRedWeight * red + kGreenWeight * green + kBlueWeight * blue + 32768) >> 16);
}

bool IsGrayOrColour(int channels) { return channels == 1 || channels == 3 || channels == 4; }

}  // namespace

void SwapRedAndBlue(Image& image) {
  if (image.channels != 3 && image.channels != 4) return;
  for (size_t i = 0; i < image.pixels.size(); i += image.channels) {
    std::swap(image.pixels[i], image.pixels[i + 2]);
  }
}

Image WithRedAndBlueSwapped(const ImageView& image) {
  Image swapped = MakeImage(image.width, image.height, image.channels);
  const bool swaps = image.channels == 3 || image.channels == 4;
  const size_t channels = static_cast<size_t>(image.channels);
  for (size_t i = 0; i < swapped.pixels.size(); i += channels) {
    for (size_t c = 0; c < channels; ++c) {
      swapped.pixels[i + c] = image.pixels[i + (swaps && c < 3 ? 2 - c : c)];
    }
  }
  return swapped;
}

std::vector<uint8_t> ToPlanar(const ImageView& image) {
  const size_t plane = static_cast<size_t>(image.width) * image.height;
  std::vector<uint8_t> planar(image.size());
  for (size_t i = 0; i < plane; ++i) {
    for (int c = 0; c < image.channels; ++c) {
      planar[c * plane + i] = image.pixels[i * image.channels + c];
    }
  }
  return planar;
}

Image FromPlanar(absl::Span<const uint8_t> planar, int width, int height, int channels) {
  Image image = MakeImage(width, height, channels);
  CHECK(planar.size() == image.pixels.size());
  const size_t plane = static_cast<size_t>(width) * height;
  for (size_t i = 0; i < plane; ++i) {
    for (int c = 0; c < channels; ++c) image.pixels[i * channels + c] = planar[c * plane + i];
  }
  return image;
}

absl::StatusOr<Image> ToChannels(Image image, int channels, bool is_bgr) {
  if (image.channels == channels) return image;
  return ConvertChannels(image, channels, is_bgr);
}

absl::StatusOr<Image> ConvertChannels(const ImageView& image, int channels, bool is_bgr) {
  if (!IsGrayOrColour(image.channels) || !IsGrayOrColour(channels)) {
    return absl::InvalidArgumentError(absl::StrCat("unable to convert image from ", image.channels,
                                                   " to ", channels, " channels"));
  }
  Image converted = MakeImage(image.width, image.height, channels);
  const size_t pixels = static_cast<size_t>(image.width) * image.height;
  const uint8_t* from = image.pixels;
  uint8_t* to = converted.pixels.data();
  for (size_t i = 0; i < pixels; ++i, from += image.channels, to += channels) {
    if (channels == 1) {
      to[0] = is_bgr ? Luma(from[2], from[1], from[0]) : Luma(from[0], from[1], from[2]);
      continue;
    }
    for (int c = 0; c < 3; ++c) to[c] = from[image.channels == 1 ? 0 : c];
    if (channels == 4) to[3] = 255;
  }
  return converted;
}

}  // namespace synap_internal
