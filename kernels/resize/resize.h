// resize: resamples an image, with the formulas of ONNX Resize.
//
//   x        [N, H, W, C]; nearest: any data type, linear: float32 or uint8
//   output   [N, size[0], size[1], C], data type and quantization of x
//
// Attributes: size[2]; mode "nearest" or "linear"; coordinates ("half_pixel");
// rounding ("round_prefer_floor"), for nearest; scales[2], size out / size in
// (default: from size).
//
// The source coordinate of output index i, in float32:
//   half_pixel            (i + 0.5) / scale - 0.5
//   pytorch_half_pixel    the same, 0 where size is 1
//   asymmetric            i / scale
//   align_corners         i * (extent in - 1) / (extent out - 1), 0 where size is 1
// nearest rounds it (round_prefer_floor takes .5 down, round_prefer_ceil up) and
// clamps to the image. linear clamps it, splits it into index i0 and fraction f,
// i1 = min(i0 + 1, extent - 1), and gives for each element the fused chain
//   fma(fy * fx, x[y1, x1], fma(fy * (1 - fx), x[y1, x0],
//     fma((1 - fy) * fx, x[y0, x1], fma((1 - fy) * (1 - fx), x[y0, x0], 0))))
// uint8 uses the same chain on its stored values (the weights add up to 1, so the
// zero point cancels out) and is rounded half to even.
//
// resize_c1: x has rank 4, and its height and width are not 0.
// resize_c2: size is 1 to 2^20, and the output's shape is valid.
// resize_c3: mode, coordinates and rounding are among those above.
// resize_c4: scales are finite and positive.
// resize_c5: x is not quantized per channel.
#ifndef KERNELS_RESIZE_RESIZE_H_
#define KERNELS_RESIZE_RESIZE_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "kernels/op_def.h"

namespace synap_internal {

// "resize"; static storage.
absl::Span<const OpDef> ResizeOps();

// The input element that mode "nearest" takes for each of `out` elements along a dimension of `in`.
// coordinates, rounding: those of the attributes. REQUIRES: a positive scale; sizes are 1 to 2^31.
std::vector<int64_t> NearestSources(int64_t in, int64_t out, float scale,
                                    absl::string_view coordinates, absl::string_view rounding);

// Input positions of the elements along one output dimension.
struct ResizeAxis {
  std::vector<int64_t> first;   // nearest, or i0
  std::vector<int64_t> second;  // linear only: i1
  std::vector<float> fraction;  // linear only: f
};

struct ResizePlan {
  int64_t batch = 0, in_height = 0, in_width = 0, channels = 0;
  int64_t element_size = 0;  // bytes
  ResizeAxis y, x;

  int64_t height() const { return static_cast<int64_t>(y.first.size()); }
  int64_t width() const { return static_cast<int64_t>(x.first.size()); }
};

// References, on one thread.
void RunResizeNearestReference(const ResizePlan& plan, const KernelArgs& args);
// T is float or uint8_t.
template <typename T>
void RunResizeLinearReference(const ResizePlan& plan, const KernelArgs& args);

// Vectorized: computes output row `row`, counted over batch and height. `x` is the
// whole input, `output` the row.
void ResizeLinearRow(const ResizePlan& plan, int64_t row, const float* x, float* output);
void ResizeLinearRow(const ResizePlan& plan, int64_t row, const uint8_t* x, uint8_t* output);

}  // namespace synap_internal

#endif  // KERNELS_RESIZE_RESIZE_H_
