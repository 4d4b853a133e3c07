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

#include "runtime/vision/image.h"

namespace synap_internal {

// REQUIRES: `image` isn't empty and has 1 to 4 channels; width and height are positive and within
// the limits of image.h.
Image Resize(const ImageView& image, int width, int height);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_RESIZE_H_
