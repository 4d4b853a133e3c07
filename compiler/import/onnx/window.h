// Sliding window of a convolution or pooling, as a node's attributes have it.
#ifndef COMPILER_IMPORT_ONNX_WINDOW_H_
#define COMPILER_IMPORT_ONNX_WINDOW_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/import/emit/window.h"
#include "compiler/import/onnx/node_context.h"

namespace synap_internal::onnx_import {

// kernel_shape, strides, dilations, pads and auto_pad of a node over `x` [N,C,...], one number for
// each dimension after the first two; all numbers are checked. `kernel`: the spatial dimensions of
// the weights; empty: kernel_shape is required. auto_pad is resolved as for a window that moves
// over `x`.
absl::StatusOr<Window> ReadWindow(NodeContext& node, const Shape& x, std::vector<int64_t> kernel);

// The same over [N,C,H,W] or [N,C,L], as a window over images. Unimplemented for other ranks.
absl::StatusOr<Window> ReadImageWindow(NodeContext& node, const Shape& x,
                                       std::vector<int64_t> kernel);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_WINDOW_H_
