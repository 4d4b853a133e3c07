// Reordering of an image's values, and its conversion to other channels.
#ifndef RUNTIME_VISION_CHANNEL_ORDER_H_
#define RUNTIME_VISION_CHANNEL_ORDER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/vision/image.h"

namespace synap {

// RGB(A) <-> BGR(A), in place; images with other numbers of channels stay as they are.
void SwapRedAndBlue(Image& image);

// [height, width, channels] -> [channels, height, width].
std::vector<uint8_t> ToPlanar(const Image& image);

// The image with as many channels as a tensor has: 1, 3 or 4, from 1, 3 or 4.
//   gray to colour  red, green and blue are the gray
//   colour to gray  (19595 R + 38470 G + 7471 B + 32768) >> 16, the luma of BT.601 and JPEG
//   without alpha   the alpha is left out, as most training code does it: what is transparent shows
//                   the colour that is stored there. Nothing is blended with a background
//   with alpha      255
// An image that has its channels already stays as it is, whatever their number. Red is first, blue
// if `is_bgr`. InvalidArgument "unable to convert image from 3 to 2 channels" for others.
absl::StatusOr<Image> ToChannels(Image image, int channels, bool is_bgr = false);

}  // namespace synap

#endif  // RUNTIME_VISION_CHANNEL_ORDER_H_
