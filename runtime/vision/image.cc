#include "runtime/vision/image.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "runtime/vision/bmp.h"
#include "runtime/vision/jpeg.h"
#include "runtime/vision/png.h"

namespace synap_internal {
namespace {

constexpr uint8_t kJpegMagic[] = {0xff, 0xd8, 0xff};
constexpr uint8_t kPngMagic[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
constexpr uint8_t kBmpMagic[] = {'B', 'M'};

bool StartsWith(absl::Span<const uint8_t> bytes, absl::Span<const uint8_t> magic) {
  return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
}

absl::StatusOr<Image> DecodeByFormat(absl::Span<const uint8_t> bytes, ImageNotes& notes) {
  switch (DetectImageFormat(bytes)) {
    case ImageFormat::kJpeg:
      return DecodeJpeg(bytes, notes);
    case ImageFormat::kPng:
      return DecodePng(bytes, notes);
    case ImageFormat::kBmp:
      return DecodeBmp(bytes);
    case ImageFormat::kUnknown:
      break;
  }
  if (bytes.empty()) return absl::InvalidArgumentError("it is empty");
  return absl::InvalidArgumentError("its first bytes are not those of a JPEG, PNG or BMP");
}

bool HasTransparency(const Image& image) {
  if (image.channels != 4) return false;
  for (size_t i = 3; i < image.pixels.size(); i += 4) {
    if (image.pixels[i] != 255) return true;
  }
  return false;
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
  if (StartsWith(bytes, kBmpMagic)) return ImageFormat::kBmp;
  return ImageFormat::kUnknown;
}

absl::StatusOr<Image> DecodeImage(absl::Span<const uint8_t> bytes, absl::string_view name,
                                  ImageNotes* notes) {
  ImageNotes seen;
  absl::StatusOr<Image> image = DecodeByFormat(bytes, seen);
  if (image.ok()) {
    seen.channels = image->channels;
    if (notes != nullptr) {
      seen.has_transparency = seen.has_transparency || HasTransparency(*image);
      *notes = seen;
    }
    return image;
  }
  return absl::Status(image.status().code(),
                      absl::StrCat(name, " is not an image: ", image.status().message()));
}

absl::StatusOr<Image> LoadImage(const std::string& path, ImageNotes* notes) {
  ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  return DecodeImage({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, path, notes);
}

}  // namespace synap_internal
