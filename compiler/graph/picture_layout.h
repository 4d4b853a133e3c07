// Axis order of the pictures at an input.
#ifndef COMPILER_GRAPH_PICTURE_LAYOUT_H_
#define COMPILER_GRAPH_PICTURE_LAYOUT_H_

#include "absl/strings/string_view.h"
#include "base/shape.h"

namespace synap_internal {

// A format of models has one layout, but files hold inputs of the other one: exporters make ONNX
// models of TensorFlow networks whose inputs are NHWC, and TensorFlow Lite models of PyTorch
// networks whose inputs are NCHW. "nchw" or "nhwc": `layout`, the graph's, unless the shape is that
// of a picture only in the other one: 1, 3 or 4 channels, and more rows, columns and, read in
// `layout`, channels than 4. REQUIRES: `layout` is "nchw" or "nhwc".
absl::string_view LayoutOfInput(const Shape& shape, absl::string_view layout);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PICTURE_LAYOUT_H_
