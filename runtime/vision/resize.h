// Resizing of 8-bit images with the formulas of stb_image_resize 1 and its defaults.
//
// Per axis, a piecewise cubic filter of radius 2 around the output pixel's centre, pixels beyond an
// edge repeating the edge: Catmull-Rom where the axis grows; Mitchell, stretched by the reduction,
// where it shrinks or keeps its size (so an axis that keeps its size is slightly smoothed when the
// other one changes). Rows first, then columns, in float32; each output value is one chain of
// multiplications and additions in the order of the input pixels, so the result has the same bits
// everywhere. Values are scaled to 0..1, and back with rounding half up.
#ifndef RUNTIME_VISION_RESIZE_H_
#define RUNTIME_VISION_RESIZE_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "runtime/vision/image.h"
#include "runtime/vision/image_rows.h"

namespace synap_internal {

// Takes row y of an image, [width, channels], which lives until it returns. Rows come from the top
// down.
using RowFunction = absl::FunctionRef<void(int y, const uint8_t* row)>;

// Sizes of the source, which is the top left part of an image, and of what it is resized to.
struct ResizePlan {
  int source_width = 0;
  int source_height = 0;
  int width = 0;
  int height = 0;
};

// Calls `emit` for each row of the resized source, and takes the memory of a few rows. Reads no
// rows of the image after the source. Errors are those of reading; some rows may have been emitted
// before. REQUIRES: no row of the image was read; it has 1 to 4 channels; all sizes are positive
// and within the limits of image.h.
absl::Status ResizeRows(ImageRows& image, const ResizePlan& plan, RowFunction emit);

// The same with images in memory.
Image Resize(const ImageView& image, int width, int height);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_RESIZE_H_
