// Encoders of images as PNG and JPEG.
#ifndef RUNTIME_VISION_IMAGE_WRITER_H_
#define RUNTIME_VISION_IMAGE_WRITER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/vision/image.h"

namespace synap_internal {

// The bytes of a PNG file. InvalidArgument unless the image has 1, 3 (RGB) or 4 (RGBA) channels.
absl::StatusOr<std::string> EncodePng(const Image& image);

// The bytes of a JPEG file; `quality` from 1 to 100. A fourth channel (alpha) is dropped.
// InvalidArgument for other numbers of channels and qualities.
absl::StatusOr<std::string> EncodeJpeg(const Image& image, int quality = 95);

// Writes the file completely or not at all, in the format of its suffix: png, jpeg or jpg (case
// ignored). InvalidArgument for other suffixes.
absl::Status WriteImage(const Image& image, const std::string& path);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_IMAGE_WRITER_H_
