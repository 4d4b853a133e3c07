// ONNX's [N,C,H,W] and [N,C,L] against the IR's [N,H,W,C].
#ifndef COMPILER_IMPORT_ONNX_SPATIAL_H_
#define COMPILER_IMPORT_ONNX_SPATIAL_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/import/emit/nhwc.h"
#include "compiler/import/onnx/node_context.h"

namespace synap_internal::onnx_import {

// NhwcTwins::Of of the import's twins.
absl::StatusOr<Tensor*> ToNhwc(NodeContext& node, Tensor* x);

// The sliding window of a convolution or pooling, lifted to two dimensions
// (height 1 for [N,C,L]). All numbers are in the ranges that arithmetic on them
// can't overflow.
struct Window {
  std::vector<int64_t> kernel;     // height, width
  std::vector<int64_t> strides;    // height, width
  std::vector<int64_t> dilations;  // height, width
  std::vector<int64_t> pads;       // top, left, bottom, right

  // As attributes of conv2d and its relatives.
  Attributes ToAttributes() const;
};

// Reads kernel_shape, strides, dilations, pads and auto_pad of a node over `x`.
// `kernel`: the spatial dimensions of the weights; empty: kernel_shape is
// required. auto_pad is resolved as for a window that moves over `x`.
absl::StatusOr<Window> ReadWindow(NodeContext& node, const Shape& x, std::vector<int64_t> kernel);

// The same with as many dimensions as `x` has behind the first two, not lifted;
// pads are all begins, then all ends.
absl::StatusOr<Window> ReadUnliftedWindow(NodeContext& node, const Shape& x,
                                          std::vector<int64_t> kernel);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_SPATIAL_H_
