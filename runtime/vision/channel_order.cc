#include "runtime/vision/channel_order.h"

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "runtime/vision/channel_rows.h"

namespace synap_internal {
namespace {

bool IsGrayOrColour(int channels) { return channels == 1 || channels == 3 || channels == 4; }

}  // namespace

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

}  // namespace synap_internal
