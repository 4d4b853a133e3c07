#include "runtime/vision/channel_order.h"

#include <utility>

namespace synap {

void SwapRedAndBlue(Image& image) {
  if (image.channels != 3 && image.channels != 4) return;
  for (size_t i = 0; i < image.pixels.size(); i += image.channels) {
    std::swap(image.pixels[i], image.pixels[i + 2]);
  }
}

std::vector<uint8_t> ToPlanar(const Image& image) {
  const size_t plane = static_cast<size_t>(image.width) * image.height;
  std::vector<uint8_t> planar(image.pixels.size());
  for (size_t i = 0; i < plane; ++i) {
    for (int c = 0; c < image.channels; ++c) {
      planar[c * plane + i] = image.pixels[i * image.channels + c];
    }
  }
  return planar;
}

}  // namespace synap
