// Format of an input that takes pictures, e.g. "bgr keep_proportions=0".
#ifndef RUNTIME_VISION_PICTURE_FORMAT_H_
#define RUNTIME_VISION_PICTURE_FORMAT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace synap_internal {

enum class KeepProportions {
  kStretch = 0,  // each axis is resized independently
  kBands = 1,    // the whole image, centred, with bands left and right or at top and bottom
  kCrop = 2,     // fills the tensor; the bottom or the right side is cropped
};

// Attributes keep_proportions and fill_color.
struct LetterboxOptions {
  KeepProportions keep_proportions = KeepProportions::kBands;
  uint8_t fill_color = 128;  // of the bands, all channels
};

struct PictureFormat {
  std::string type;     // "rgb", "y8"; others are the application's own
  bool is_bgr = false;  // the type begins with bgr; else RGB, also without a type
  bool has_keep_proportions = false;
  absl::StatusOr<LetterboxOptions> letterbox;  // InvalidArgument for invalid values
};

PictureFormat ParsePictureFormat(absl::string_view text);

// The words of a format string that decide how a picture becomes a sample, as they are written.
std::string SamplingFormat(absl::string_view text);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_PICTURE_FORMAT_H_
