#include "runtime/vision/yuv.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/check.h"

namespace synap_internal {
namespace {

uint8_t ToByte(float value) {
  return static_cast<uint8_t>(std::nearbyint(std::clamp(value, 0.0f, 255.0f)));
}

}  // namespace

size_t SemiPlanarBytes(int width, int height) {
  if (width <= 0 || height <= 0 || width % 2 != 0 || height % 2 != 0) return 0;
  const size_t luma = static_cast<size_t>(width) * static_cast<size_t>(height);
  return luma + luma / 2;
}

Image SemiPlanarToRgb(absl::Span<const uint8_t> bytes, int width, int height, ChromaOrder order) {
  CHECK(!bytes.empty() && bytes.size() == SemiPlanarBytes(width, height));
  Image image = MakeImage(width, height, 3);
  const size_t row = static_cast<size_t>(width);
  const uint8_t* const chroma = bytes.data() + row * height;
  const int u_index = order == ChromaOrder::kUv ? 0 : 1;
  for (int y = 0; y < height; ++y) {
    const uint8_t* luma = bytes.data() + row * y;
    const uint8_t* pairs = chroma + row * (y / 2);
    uint8_t* to = image.row(y);
    for (int x = 0; x < width; ++x, to += 3) {
      const uint8_t* pair = pairs + (x & ~1);
      const auto l = static_cast<float>(luma[x]);
      const auto u = static_cast<float>(pair[u_index] - 128);
      const auto v = static_cast<float>(pair[1 - u_index] - 128);
      // Every product and sum is exact in float32.
      to[0] = ToByte(l + 1.40625f * v);
      to[1] = ToByte(l - 0.345458984375f * u - 0.716796875f * v);
      to[2] = ToByte(l + 1.7783203125f * u);
    }
  }
  return image;
}

Image SemiPlanarToGray(absl::Span<const uint8_t> bytes, int width, int height) {
  CHECK(!bytes.empty() && bytes.size() == SemiPlanarBytes(width, height));
  Image image = MakeImage(width, height, 1);
  std::memcpy(image.pixels.data(), bytes.data(), image.pixels.size());
  return image;
}

}  // namespace synap_internal
