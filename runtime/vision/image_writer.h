// Writing of images.
#ifndef RUNTIME_VISION_IMAGE_WRITER_H_
#define RUNTIME_VISION_IMAGE_WRITER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/vision/image.h"

namespace synap {

// A PNG file's bytes. InvalidArgument unless the image has 1, 3 (RGB) or 4 (RGBA) channels.
absl::StatusOr<std::string> EncodePng(const Image& image);

// A JPEG file's bytes; `quality` from 1 to 100. A fourth channel (alpha) is dropped.
// InvalidArgument for other numbers of channels and qualities.
absl::StatusOr<std::string> EncodeJpeg(const Image& image, int quality = 95);

// Writes the file whole or not at all, as PNG, JPEG or JPG by its suffix (case ignored);
// InvalidArgument for others.
absl::Status WriteImage(const Image& image, const std::string& path);

}  // namespace synap

#endif  // RUNTIME_VISION_IMAGE_WRITER_H_
