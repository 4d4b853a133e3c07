// Resizing of images, and of any dimension.
#ifndef COMPILER_IMPORT_EMIT_RESIZE_H_
#define COMPILER_IMPORT_EMIT_RESIZE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/op_emitter.h"

namespace synap_internal {

// floor(in * scale), the elements of a dimension of `in` elements that is scaled. InvalidArgument
// for a result outside of 1 to Shape::kMaxElements.
absl::StatusOr<int64_t> ScaledSize(int64_t in, double scale);

// Whether in * scale is `out` but for the rounding of the scale.
bool GivesSize(int64_t in, float scale, int64_t out);

// A resize as TensorFlow and TensorFlow Lite define it.
struct TensorflowResize {
  std::vector<int64_t> size;  // height, width
  bool nearest = false;       // else bilinear
  bool align_corners = false;
  bool half_pixel_centers = false;
};

// An image [N,H,W,C] resized, the node's output. Unimplemented if `image` isn't one,
// InvalidArgument for a size without two numbers, and for both aligned corners and half pixel
// centers.
Emitted EmitTensorflowResize(OpEmitter& emitter, Tensor* image, TensorflowResize resize);

// Values of x [N,C,H,W] at the positions `grid` [N,H',W',2], columns and rows from -1 to 1:
// the node's output [N,C,H',W'].
struct GridSample {
  std::string mode;     // bilinear, nearest or bicubic
  std::string padding;  // zeros, border or reflection
  bool align_corners = false;
};
Emitted EmitGridSample(OpEmitter& emitter, const Emitted& x, const Emitted& grid,
                       const GridSample& sample);

// --- Resizing along one dimension as a product with a matrix: each output element is a weighted
// sum of a few input elements, with weights that depend only on its position. The formulas are
// those of ONNX's Resize.

// How values are sampled between elements; the names are the values of ONNX's attributes.
struct Sampling {
  std::string mode = "nearest";  // or "linear", "cubic"
  std::string coordinates = "half_pixel";
  std::string rounding = "round_prefer_floor";  // of "nearest"
  float cubic_a = -0.75f;
  bool exclude_outside = false;
  bool antialias = false;  // of "linear" and "cubic": kernels as wide as the output's elements
};

// One dimension that is resized.
struct AxisResize {
  int64_t in = 0;       // elements
  int64_t out = 0;      // elements
  float scale = 1;      // as the coordinates are computed with
  float roi_begin = 0;  // of "tf_crop_and_resize", as a fraction of the dimension
  float roi_end = 1;
};

// [in, out]: the weights of the input elements in each output element. With "tf_crop_and_resize"
// the columns of positions outside of the input are 0, and `outside` is set to 1 for these output
// elements, else to 0.
std::vector<float> ResizeMatrix(const Sampling& sampling, const AxisResize& axis,
                                std::vector<uint8_t>& outside);

// The input element that each output element of mode "nearest" is, with the factor out / in, in
// exact arithmetic; the axis's scale isn't read. REQUIRES: both sizes are 1 to kMaxNearestSize; the
// coordinates aren't "tf_crop_and_resize".
constexpr int64_t kMaxNearestSize = int64_t{1} << 28;
std::vector<int64_t> NearestElements(const Sampling& sampling, const AxisResize& axis);

// Those elements[i] of x along each dimension i, by gathers: what mode "nearest" is where op
// resize, which rounds positions to float32, takes other ones. All where elements[i] is empty.
Emitted EmitPicked(OpEmitter& emitter, const Emitted& x,
                   const std::vector<std::vector<int64_t>>& elements);

// x resized along dimension `axis`, by a product with that matrix.
Emitted EmitResizedAxis(OpEmitter& emitter, const Emitted& x, size_t axis,
                        const std::vector<float>& matrix, int64_t out);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_RESIZE_H_
