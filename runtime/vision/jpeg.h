// JPEG decoder and encoder (libjpeg-turbo). Private to image.h and image_writer.h.
#ifndef RUNTIME_VISION_JPEG_H_
#define RUNTIME_VISION_JPEG_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/vision/image.h"
#include "runtime/vision/image_rows.h"

namespace synap_internal {

// The upright image. Errors don't have the image's name.
absl::StatusOr<Image> DecodeJpeg(absl::Span<const uint8_t> bytes, ImageNotes& notes);

// The rows of an upright image of gray or RGB, decoded while they are read; null for others.
// `bytes` outlive them. Errors, also those of reading, are DecodeImage's, with the image's name.
absl::StatusOr<std::unique_ptr<ImageRows>> OpenJpegRows(absl::Span<const uint8_t> bytes,
                                                        absl::string_view name);

// `image`: 1 or 3 channels. `quality`: 1 .. 100.
absl::StatusOr<std::string> EncodeJpegBytes(const Image& image, int quality);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_JPEG_H_
