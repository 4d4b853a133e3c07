// Images in memory, and the reading of JPEG and PNG.
//
// Decoding is part of calibration and so must give the same pixels everywhere: JPEG is decoded with
// libjpeg's exact integer DCT ("islow") and its smooth ("fancy") chroma upsampling, whose SIMD
// versions give the bits of the scalar ones. Gamma, colour profiles and the EXIF orientation are
// not applied.
#ifndef RUNTIME_VISION_IMAGE_H_
#define RUNTIME_VISION_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace synap {

// Larger images are refused, so that a few hostile bytes don't ask for gigabytes.
inline constexpr int kMaxImageSide = 65535;
inline constexpr int64_t kMaxImagePixels = int64_t{1} << 26;

// 8-bit pixels, a value type. REQUIRES: pixels.size() == width * height * channels.
struct Image {
  int width = 0;
  int height = 0;
  int channels = 0;  // 1 gray, 3 RGB, 4 RGBA as decoders give them; BGR(A) where a function says so
  std::vector<uint8_t> pixels;  // [height, width, channels], rows without gaps

  size_t row_bytes() const { return static_cast<size_t>(width) * channels; }
  const uint8_t* row(int y) const { return pixels.data() + y * row_bytes(); }
  uint8_t* row(int y) { return pixels.data() + y * row_bytes(); }
};

// An image of zeros. REQUIRES: positive sizes within the limits above.
Image MakeImage(int width, int height, int channels);

enum class ImageFormat { kUnknown, kJpeg, kPng };

// By the first bytes, whatever the file is called.
ImageFormat DetectImageFormat(absl::Span<const uint8_t> bytes);

// Decodes a JPEG (gray or colour, baseline or progressive) or PNG (any type: gray stays gray and
// loses its alpha, palettes become RGB, or RGBA if they have transparent entries, 16 bits become
// 8). `name` is for messages. InvalidArgument
// "<name> is not an image: ..." for anything else, for images cut off or damaged, and above the
// limits.
absl::StatusOr<Image> DecodeImage(absl::Span<const uint8_t> bytes, absl::string_view name);

// Reads and decodes a file.
absl::StatusOr<Image> LoadImage(const std::string& path);

}  // namespace synap

#endif  // RUNTIME_VISION_IMAGE_H_
