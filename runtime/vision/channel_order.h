// Reordering of an image's values.
#ifndef RUNTIME_VISION_CHANNEL_ORDER_H_
#define RUNTIME_VISION_CHANNEL_ORDER_H_

#include <cstdint>
#include <vector>

#include "runtime/vision/image.h"

namespace synap {

// RGB(A) <-> BGR(A), in place; images with other numbers of channels stay as they are.
void SwapRedAndBlue(Image& image);

// [height, width, channels] -> [channels, height, width].
std::vector<uint8_t> ToPlanar(const Image& image);

}  // namespace synap

#endif  // RUNTIME_VISION_CHANNEL_ORDER_H_
