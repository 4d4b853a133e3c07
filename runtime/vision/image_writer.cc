#include "runtime/vision/image_writer.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "runtime/vision/jpeg.h"
#include "runtime/vision/png.h"

namespace synap_internal {
namespace {

absl::Status CheckImage(const Image& image) {
  CHECK(image.pixels.size() == image.row_bytes() * image.height);
  if (image.channels == 1 || image.channels == 3 || image.channels == 4) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("an image with ", image.channels,
                                                 " channels can't be written: expected 1, 3 or 4"));
}

Image WithoutAlpha(const Image& image) {
  Image rgb = MakeImage(image.width, image.height, 3);
  for (size_t i = 0; i < rgb.pixels.size(); ++i) rgb.pixels[i] = image.pixels[i / 3 * 4 + i % 3];
  return rgb;
}

}  // namespace

absl::StatusOr<std::string> EncodePng(const Image& image) {
  RETURN_IF_ERROR(CheckImage(image));
  return EncodePngBytes(image);
}

absl::StatusOr<std::string> EncodeJpeg(const Image& image, int quality) {
  RETURN_IF_ERROR(CheckImage(image));
  if (quality < 1 || quality > 100) {
    return absl::InvalidArgumentError(
        absl::StrCat("JPEG quality must be from 1 to 100, found ", quality));
  }
  return EncodeJpegBytes(image.channels == 4 ? WithoutAlpha(image) : image, quality);
}

absl::Status WriteImage(const Image& image, const std::string& path) {
  if (absl::EndsWithIgnoreCase(path, ".png")) {
    ASSIGN_OR_RETURN(const std::string bytes, EncodePng(image));
    return WriteFileAtomically(path, bytes);
  }
  if (absl::EndsWithIgnoreCase(path, ".jpg") || absl::EndsWithIgnoreCase(path, ".jpeg")) {
    ASSIGN_OR_RETURN(const std::string bytes, EncodeJpeg(image));
    return WriteFileAtomically(path, bytes);
  }
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": an image's name must end in .png, .jpg or .jpeg"));
}

}  // namespace synap_internal
