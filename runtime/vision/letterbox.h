// From an image of any size to one of a tensor's size: shared by the Preprocessor, which needs to
// know where the image came to lie, and by calibration, which must see what inference sees.
#ifndef RUNTIME_VISION_LETTERBOX_H_
#define RUNTIME_VISION_LETTERBOX_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "runtime/vision/format_string.h"
#include "runtime/vision/image.h"

namespace synap {

enum class KeepProportions {
  kStretch = 0,  // both axes resized on their own
  kBands = 1,    // the whole image, centred, with bands left and right or at top and bottom
  kCrop = 2,     // fills the tensor: the bottom, or the right side, is cut off
};

struct LetterboxOptions {
  KeepProportions keep_proportions = KeepProportions::kBands;
  uint8_t fill_color = 128;  // of the bands, all channels

  // From the attributes keep_proportions and fill_color of an input's format string.
  // InvalidArgument for values that they can't have.
  static absl::StatusOr<LetterboxOptions> FromFormat(const FormatString& format);
};

// Where an image goes in a tensor. Pixels; the first four of the tensor.
struct LetterboxPlan {
  int left = 0;  // bands before the image
  int top = 0;
  int width = 0;  // the resized image; what is left of the tensor is the bands after it
  int height = 0;
  // The part of the input image that is resized, from its top left corner.
  int source_width = 0;
  int source_height = 0;
  // The rectangle of the input image that the whole tensor shows, bands included: with them its
  // origin is negative. Detections are relative to it.
  int assigned_x = 0;
  int assigned_y = 0;
  int assigned_width = 0;
  int assigned_height = 0;
};

// The plan for an image of image_width x image_height in a tensor. All sizes positive and at most
// kMaxImageSide (REQUIRES). The side that the proportions leave free is rounded half up, at least
// 1; of the bands, the second gets the odd pixel; the assigned rectangle is computed in whole
// pixels, towards zero, from the bands.
LetterboxPlan PlanLetterbox(int image_width, int image_height, int tensor_width, int tensor_height,
                            KeepProportions keep_proportions);

// The image of tensor_width x tensor_height that `plan` describes. An image that has its size
// already isn't resized.
Image ApplyLetterbox(const Image& image, const LetterboxPlan& plan, int tensor_width,
                     int tensor_height, uint8_t fill_color);

}  // namespace synap

#endif  // RUNTIME_VISION_LETTERBOX_H_
