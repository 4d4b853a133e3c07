#include "runtime/vision/channel_order.h"

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "runtime/vision/channel_rows.h"

namespace synap_internal {
namespace {

bool IsGrayOrColour(int channels) { return channels == 1 || channels == 3 || channels == 4; }

}  // namespace

void SwapRedAndBlue(Image& image) {
  if (image.channels != 3 && image.channels != 4) return;
  const auto channels = static_cast<size_t>(image.channels);
  uint8_t* const pixels = image.pixels.data();
  SwapRedAndBlueOfRow(pixels, image.pixels.size() / channels, channels, pixels);
}

std::vector<uint8_t> ToPlanar(const ImageView& image) {
  CHECK(image.channels >= 1 && image.channels <= 4);
  const size_t plane = static_cast<size_t>(image.width) * image.height;
  std::vector<uint8_t> planar(image.size());
  uint8_t* planes[4] = {};
  for (int c = 0; c < image.channels; ++c) planes[c] = planar.data() + c * plane;
  SplitRow(image.pixels, plane, static_cast<size_t>(image.channels), planes);
  return planar;
}

Image FromPlanar(absl::Span<const uint8_t> planar, int width, int height, int channels) {
  CHECK(channels <= 4);
  Image image = MakeImage(width, height, channels);
  CHECK(planar.size() == image.pixels.size());
  const size_t plane = static_cast<size_t>(width) * height;
  const uint8_t* planes[4] = {};
  for (int c = 0; c < channels; ++c) planes[c] = planar.data() + c * plane;
  JoinRow(planes, plane, static_cast<size_t>(channels), image.pixels.data());
  return image;
}

absl::Status CheckChannels(int from, int to) {
  if (IsGrayOrColour(from) && IsGrayOrColour(to)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("unable to convert image from ", from, " to ", to, " channels"));
}

absl::StatusOr<Image> ToChannels(Image image, int channels, bool is_bgr) {
  if (image.channels == channels) return image;
  return ConvertChannels(image, channels, is_bgr);
}

absl::StatusOr<Image> ConvertChannels(const ImageView& image, int channels, bool is_bgr) {
  CHECK(image.channels != channels);
  RETURN_IF_ERROR(CheckChannels(image.channels, channels));
  Image converted = MakeImage(image.width, image.height, channels);
  const size_t pixels = static_cast<size_t>(image.width) * image.height;
  ConvertChannelsOfRow(image.pixels, pixels, static_cast<size_t>(image.channels),
                       static_cast<size_t>(channels), is_bgr, converted.pixels.data());
  return converted;
}

}  // namespace synap_internal
