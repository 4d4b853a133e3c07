// Images in memory, decoded from JPEG, PNG and BMP.
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

namespace synap_internal {

// Larger images are refused, so that a few hostile bytes can't allocate gigabytes.
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

// Pixels of another object, which outlives the view; made from any image.
struct ImageView {
  ImageView() = default;
  ImageView(const Image& image)  // NOLINT(google-explicit-constructor): as a string_view
      : ImageView(image.width, image.height, image.channels, image.pixels.data()) {}
  ImageView(int w, int h, int c, const uint8_t* data)
      : width(w), height(h), channels(c), pixels(data) {}

  int width = 0;
  int height = 0;
  int channels = 0;
  const uint8_t* pixels = nullptr;  // [height, width, channels], rows without gaps

  size_t row_bytes() const { return static_cast<size_t>(width) * channels; }
  size_t size() const { return row_bytes() * height; }
  const uint8_t* row(int y) const { return pixels + y * row_bytes(); }
};

// An image of zeros. REQUIRES: positive sizes within the limits above.
Image MakeImage(int width, int height, int channels);

enum class ImageFormat { kUnknown, kJpeg, kPng, kBmp };

// Detects the format from the first bytes, not from the file's name.
ImageFormat DetectImageFormat(absl::Span<const uint8_t> bytes);

// Properties of an encoded image that its decoded pixels have lost.
struct ImageNotes {
  // Whether the pixels were converted from CMYK, which has no exact RGB: (C * K / 255, M * K / 255,
  // Y * K / 255) with 255 for no ink, as Adobe's programs write it and nearly all others read it,
  // without the colour profile.
  bool is_cmyk = false;
  // Whether a pixel isn't opaque, even if the alpha was dropped. A gray or RGB PNG whose chunk tRNS
  // makes one colour transparent counts as opaque.
  bool has_transparency = false;
  int channels = 0;  // of the decoded image
};

// Decodes an image whose format is detected from its first bytes:
//   - a JPEG: gray, colour or CMYK (also YCCK), baseline or progressive;
//   - a PNG: gray stays gray and loses its alpha, palettes become RGB, or RGBA if they have
//     transparent entries, 16 bits become the higher 8;
//   - a BMP: see bmp.h.
// `name` is for messages. `notes` is an output and may be null. InvalidArgument "<name> is not an
// image: ..." for other formats, for truncated or damaged images, and above the limits.
absl::StatusOr<Image> DecodeImage(absl::Span<const uint8_t> bytes, absl::string_view name,
                                  ImageNotes* notes = nullptr);

// Reads and decodes a file.
absl::StatusOr<Image> LoadImage(const std::string& path, ImageNotes* notes = nullptr);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_IMAGE_H_
