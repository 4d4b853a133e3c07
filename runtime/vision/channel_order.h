// Images of planes, and the conversions between numbers of channels that exist.
#ifndef RUNTIME_VISION_CHANNEL_ORDER_H_
#define RUNTIME_VISION_CHANNEL_ORDER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/vision/image.h"

namespace synap_internal {

// [channels, height, width] -> an image. REQUIRES: as many bytes, and a size that MakeImage takes.
Image FromPlanar(absl::Span<const uint8_t> planar, int width, int height, int channels);

// InvalidArgument "unable to convert image from 3 to 2 channels" unless both are 1, 3 or 4, which
// ConvertChannelsOfRow (channel_rows.h) converts.
absl::Status CheckChannels(int from, int to);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_CHANNEL_ORDER_H_
