// Resizing along one dimension as a matrix: each output element is a weighted sum
// of a few input elements, with weights that depend on its position only.
#ifndef COMPILER_IMPORT_ONNX_RESAMPLE_H_
#define COMPILER_IMPORT_ONNX_RESAMPLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/import/onnx/node_context.h"

namespace synap_internal::onnx_import {

// ONNX's Resize, as its attributes say; the names are the attributes' values.
struct Sampling {
  std::string mode = "nearest";  // or "linear", "cubic"
  std::string coordinates = "half_pixel";
  std::string rounding = "round_prefer_floor";  // of "nearest"
  float cubic_a = -0.75f;
  bool exclude_outside = false;
};

// One dimension that is resized.
struct AxisResize {
  int64_t in = 0;       // elements
  int64_t out = 0;      // elements
  float scale = 1;      // as the coordinates are computed with
  float roi_begin = 0;  // of "tf_crop_and_resize", in parts of the dimension
  float roi_end = 1;
};

// [in, out]: the weights of the input elements in each output element. Columns of
// positions outside of the input are 0 with "tf_crop_and_resize"; `outside`, one
// for each output element, tells which.
std::vector<float> ResizeMatrix(const Sampling& sampling, const AxisResize& axis,
                                std::vector<uint8_t>& outside);

// x resized along dimension `axis`, by a product with that matrix.
absl::StatusOr<Tensor*> ResizeAxis(NodeContext& node, Tensor* x, size_t axis,
                                   std::vector<float> matrix, int64_t out);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_RESAMPLE_H_
