// PNG decoder and encoder (libspng). Private to image.h and image_writer.h.
#ifndef RUNTIME_VISION_PNG_H_
#define RUNTIME_VISION_PNG_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/vision/image.h"

namespace synap_internal {

// The upright image. Errors don't have the image's name.
absl::StatusOr<Image> DecodePng(absl::Span<const uint8_t> bytes, ImageNotes& notes);

// `image`: 1, 3 or 4 channels.
absl::StatusOr<std::string> EncodePngBytes(const Image& image);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_PNG_H_
