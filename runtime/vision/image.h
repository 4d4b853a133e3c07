// Images in memory, and the reading of JPEG, PNG and BMP.
//
// Decoding is part of calibration and so must give the same pixels everywhere: JPEG is decoded with
// libjpeg's exact integer DCT ("islow") and its smooth ("fancy") chroma upsampling, whose SIMD
// versions give the bits of the scalar ones. The EXIF orientation of a JPEG or PNG is applied, so
// that width, height and pixels are those of the upright picture; without one, or with 1, pixels
// are as stored. Gamma and colour profiles are not applied.
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

enum class ImageFormat { kUnknown, kJpeg, kPng, kBmp };

// By the first bytes, whatever the file is called.
ImageFormat DetectImageFormat(absl::Span<const uint8_t> bytes);

// What an image's pixels don't say any more.
struct ImageNotes {
  // From CMYK, where ink has no exact RGB: (C * K / 255, M * K / 255, Y * K / 255) with 255 for no
  // ink, as Adobe's programs write it and nearly all others read it, whatever the profile.
  bool is_cmyk = false;
  // A pixel isn't opaque, also where the alpha was left out. A gray or RGB PNG whose chunk tRNS
  // makes one colour transparent counts as opaque.
  bool has_transparency = false;
  int channels = 0;  // as decoded
};

// Decodes, by its first bytes,
//   - a JPEG: gray, colour or CMYK (also YCCK), baseline or progressive;
//   - a PNG: gray stays gray and loses its alpha, palettes become RGB, or RGBA if they have
//     transparent entries, 16 bits become the higher 8;
//   - a BMP: see bmp.h.
// `name` is for messages. `notes`, if not null, gets what the image doesn't show. InvalidArgument
// "<name> is not an image: ..." for anything else, for images cut off or damaged, and above the
// limits.
absl::StatusOr<Image> DecodeImage(absl::Span<const uint8_t> bytes, absl::string_view name,
                                  ImageNotes* notes = nullptr);

// Reads and decodes a file.
absl::StatusOr<Image> LoadImage(const std::string& path, ImageNotes* notes = nullptr);

}  // namespace synap

#endif  // RUNTIME_VISION_IMAGE_H_
