// grid_sample: samples an image at given coordinates.
//
//   x        [N, H, W, C], float32 (uint8 has no kernel)
//   grid     [N, OH, OW, 2], float32: column and row of each output pixel, from -1
//            to 1 over the image
//   output   [N, OH, OW, C]
//
// Attributes: mode ("bilinear", "nearest", "bicubic"); padding, the values outside of
// the image ("zeros", "border": the nearest pixel, "reflection"); align_corners (0):
// 1 if -1 and 1 are the centers of the outermost pixels, 0 if their outer edges.
//
// A coordinate g of an extent L is the position p = (g + 1) / 2 (L - 1) with
// align_corners, else ((g + 1) L - 1) / 2. nearest rounds p half to even; bilinear
// takes the 2 x 2 pixels around it; bicubic 4 x 4 with Keys' kernel of a = -0.75.
// border and reflection move p into the image, for bicubic each pixel instead:
// border to the nearest end, reflection mirrors at 0 and L - 1 with align_corners,
// else at -1/2 and L - 1/2. NaN counts as -1.
// Each output is one chain from 0 of fma(row weight * column weight, pixel) over
// (row, column).
//
// Constraints
//   grid_sample_c1  x is float32 or uint8 of rank 4, H and W not 0
//   grid_sample_c2  grid is as above, of the type of x
//   grid_sample_c3  mode and padding are among those above
#ifndef KERNELS_GRID_SAMPLE_GRID_SAMPLE_H_
#define KERNELS_GRID_SAMPLE_GRID_SAMPLE_H_

#include <cstdint>

#include "absl/types/span.h"
#include "kernels/op_def.h"

namespace synap_internal {

absl::Span<const OpDef> GridSampleOps();

namespace grid_sample {

enum class Mode : uint8_t { kBilinear, kNearest, kBicubic };
enum class Padding : uint8_t { kZeros, kBorder, kReflection };

struct Plan {
  Mode mode = Mode::kBilinear;
  Padding padding = Padding::kZeros;
  bool align_corners = false;
  int64_t height = 0, width = 0, channels = 0;
  int64_t image_pixels = 0;  // of an output image
};

// Reference for output pixels [begin, end), counted over all images.
void Reference(const Plan& plan, const KernelArgs& args, int64_t begin, int64_t end);

}  // namespace grid_sample
}  // namespace synap_internal

#endif  // KERNELS_GRID_SAMPLE_GRID_SAMPLE_H_
