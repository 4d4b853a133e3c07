#include "runtime/vision/image.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "runtime/vision/jpeg.h"
#include "runtime/vision/png.h"

namespace synap {
namespace {

constexpr uint8_t kJpegMagic[] = {0xff, 0xd8, 0xff};
constexpr uint8_t kPngMagic[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

bool StartsWith(absl::Span<const uint8_t> bytes, absl::Span<const uint8_t> magic) {
  return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
}

absl::StatusOr<Image> DecodeByFormat(absl::Span<const uint8_t> bytes) {
  switch (DetectImageFormat(bytes)) {
    case ImageFormat::kJpeg:
      return DecodeJpeg(bytes);
    case ImageFormat::kPng:
      return DecodePng(bytes);
    case ImageFormat::kUnknown:
      break;
  }
  if (bytes.empty()) return absl::InvalidArgumentError("it is empty");
  return absl::InvalidArgumentError("its first bytes are neither those of a JPEG nor of a PNG");
}

}  // namespace

Image MakeImage(int width, int height, int channels) {
  CHECK(width > 0 && height > 0 && channels > 0);
  CHECK(int64_t{width} * height <= kMaxImagePixels);
  Image image = {width, height, channels, {}};
  image.pixels.resize(image.row_bytes() * height);
  return image;
}

ImageFormat DetectImageFormat(absl::Span<const uint8_t> bytes) {
  if (StartsWith(bytes, kJpegMagic)) return ImageFormat::kJpeg;
  if (StartsWith(bytes, kPngMagic)) return ImageFormat::kPng;
  return ImageFormat::kUnknown;
}

absl::StatusOr<Image> DecodeImage(absl::Span<const uint8_t> bytes, absl::string_view name) {
  absl::StatusOr<Image> image = DecodeByFormat(bytes);
  if (image.ok()) return image;
  return absl::Status(image.status().code(),
                      absl::StrCat(name, " is not an image: ", image.status().message()));
}

absl::StatusOr<Image> LoadImage(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  return DecodeImage({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, path);
}

}  // namespace synap
