// JPEG decoder and encoder (libjpeg-turbo). Private to image.h and image_writer.h.
#ifndef RUNTIME_VISION_JPEG_H_
#define RUNTIME_VISION_JPEG_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/vision/image.h"

namespace synap_internal {

// The upright image. Errors don't have the image's name.
absl::StatusOr<Image> DecodeJpeg(absl::Span<const uint8_t> bytes, ImageNotes& notes);

// `image`: 1 or 3 channels. `quality`: 1 .. 100.
absl::StatusOr<std::string> EncodeJpegBytes(const Image& image, int quality);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_JPEG_H_
