// Raw images: pixels without a header, in the formats of cameras and displays.
#ifndef COMPILER_DATASET_RAW_IMAGE_H_
#define COMPILER_DATASET_RAW_IMAGE_H_

#include <array>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/vision/image.h"

namespace synap_internal {

// Formats, by name:
//   rgb, bgr, bgra, gray  interleaved, rows without gaps
//   rgbp                  three planes: red, green, blue
//   nv12, nv21            a plane of Y, then a plane of half the width and height
//                         with U, V (nv12) or V, U (nv21) interleaved
//   nv15                  as nv12 with 10 bits: 4 values in 5 bytes, the first in
//                         the low bits; written values are those of nv12 times 4
// YUV is full range BT.601 (JPEG's): R = Y + 1.402 V', G = Y - 0.344136 U' -
// 0.714136 V', B = Y + 1.772 U' with U' = U - 128, V' = V - 128.
std::vector<std::string> RawFormats(bool for_writing);

struct RawOptions {
  std::string format;
  std::string dtype = "uint8";  // of each value: uint8, uint10, float32, float16
  int width = 0;
  int height = 0;
  // Values read become (value + bias) * scale.
  float scale = 1;
  float bias = 0;
};

// RGB (gray: one channel). InvalidArgument if the data has another size than the
// format needs, naming both.
absl::StatusOr<Image> DecodeRaw(absl::string_view data, const RawOptions& options);

// `image`: 1, 3 or 4 channels, of even sizes for nv12, nv15 and nv21. Alpha is written
// as 255.
absl::StatusOr<std::string> EncodeRaw(const Image& image, const std::string& format);

// {640, 480} from "image_640x480.rgb" or "x@640x480.nv12": the part after
// the last @ or _ up to the next character that is no digit.
absl::StatusOr<std::array<int, 2>> SizeInName(const std::string& path);
// {640, 480} from "640x480".
absl::StatusOr<std::array<int, 2>> ParseSize(absl::string_view text);

}  // namespace synap_internal

#endif  // COMPILER_DATASET_RAW_IMAGE_H_
