// Reordering of an image's channels, and conversion to other numbers of channels.
#ifndef RUNTIME_VISION_CHANNEL_ORDER_H_
#define RUNTIME_VISION_CHANNEL_ORDER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/vision/image.h"

namespace synap_internal {

// RGB(A) <-> BGR(A), in place; images with other numbers of channels stay unchanged.
void SwapRedAndBlue(Image& image);

// [height, width, channels] -> [channels, height, width].
std::vector<uint8_t> ToPlanar(const ImageView& image);

// [channels, height, width] -> an image. REQUIRES: as many bytes, and a size that MakeImage takes.
Image FromPlanar(absl::Span<const uint8_t> planar, int width, int height, int channels);

// InvalidArgument "unable to convert image from 3 to 2 channels" unless both are 1, 3 or 4.
absl::Status CheckChannels(int from, int to);

// Converts an image of 1, 3 or 4 channels to the 1, 3 or 4 channels of a tensor.
//   gray to colour  red, green and blue are the gray
//   colour to gray  (19595 R + 38470 G + 7471 B + 32768) >> 16, the luma of BT.601 and JPEG
//   without alpha   the alpha is dropped, as most training code does: transparent pixels show the
//                   colour that is stored for them and aren't blended with a background
//   with alpha      255
// An image with that number of channels, even another one, stays unchanged. Red is the first
// channel, blue if `is_bgr`. The errors are those of CheckChannels.
absl::StatusOr<Image> ToChannels(Image image, int channels, bool is_bgr = false);

// The same. REQUIRES: the image has another number of channels.
absl::StatusOr<Image> ConvertChannels(const ImageView& image, int channels, bool is_bgr = false);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_CHANNEL_ORDER_H_
