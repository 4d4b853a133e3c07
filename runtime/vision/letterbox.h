// Letterbox: resizes an image of any size to a tensor's size. Shared by the Preprocessor, which
// needs the position of the image, and by calibration, which must see the pixels of inference.
#ifndef RUNTIME_VISION_LETTERBOX_H_
#define RUNTIME_VISION_LETTERBOX_H_

#include <cstdint>

#include "absl/status/status.h"
#include "runtime/vision/image.h"
#include "runtime/vision/image_rows.h"
#include "runtime/vision/picture_format.h"
#include "runtime/vision/resize.h"

namespace synap_internal {

// Position of an image in a tensor, in pixels.
struct LetterboxPlan {
  // Of the tensor: sizes of the bands before the image, and of the resized image. The rest is the
  // bands after it.
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  // Size of the part of the input image that is resized, from its top left corner.
  int source_width = 0;
  int source_height = 0;
  // The rectangle of the input image that the whole tensor shows. It includes the bands, so its
  // origin may be negative. Detections are relative to it.
  int assigned_x = 0;
  int assigned_y = 0;
  int assigned_width = 0;
  int assigned_height = 0;
};

// The plan for an image of image_width x image_height in a tensor. The side that follows from the
// proportions is rounded half up and at least 1; the second band gets an odd pixel; the assigned
// rectangle is computed from the bands in whole pixels, rounded towards zero. REQUIRES: all sizes
// are positive and at most kMaxImageSide.
LetterboxPlan PlanLetterbox(int image_width, int image_height, int tensor_width, int tensor_height,
                            KeepProportions keep_proportions);

// Calls `emit` for each row of the image of tensor_width x tensor_height that `plan` describes, and
// then reads the rest of `image`. An image that already has the planned size isn't resized. Errors
// are those of reading; some rows may have been emitted before. REQUIRES: no row of the image was
// read.
absl::Status LetterboxRows(ImageRows& image, const LetterboxPlan& plan, int tensor_width,
                           int tensor_height, uint8_t fill_color, RowFunction emit);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_LETTERBOX_H_
