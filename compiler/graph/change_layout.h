// Axis order of the images that are a network's inputs and outputs, as the metafile's `data_layout`
// asks for it.
#ifndef COMPILER_GRAPH_CHANGE_LAYOUT_H_
#define COMPILER_GRAPH_CHANGE_LAYOUT_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/tensor_type.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// `graph` with inputs and outputs of 4 dimensions in `layout`, from
//   graph "g" layout="nhwc"
//   input %x: uint8[1x64x96x3]
//   %y: uint8[1x32x48x8] = ...(%x)
//   output %y
// to
//   graph "g" layout="nchw"
//   input %x: uint8[1x3x64x96]
//   %x.nhwc: uint8[1x64x96x3] = transpose(%x) {perm=[0, 2, 3, 1]} from "x"
//   %y.nhwc: uint8[1x32x48x8] = ...(%x.nhwc)
//   %y: uint8[1x8x32x48] = transpose(%y.nhwc) {perm=[0, 3, 1, 2]}
//   output %y
// Where the network transposes by itself, both transposes are left out. An input whose shape says
// that it has `layout` already (LayoutOfInput) stays as it is, and one that has not gets it though
// the graph has. Types and quantizers stay,
// and so do the names of inputs and outputs, except that an output which loses its transpose may
// have another name. Tensors of other ranks stay as they are.
// REQUIRES: `layout` is "nchw" or "nhwc".
Graph WithLayout(const Graph& graph, absl::string_view layout);

// The values of images in `layout`, from values of `type` in the other one. REQUIRES: `type` has 4
// dimensions, `layout` is "nchw" or "nhwc".
absl::StatusOr<Constant> ImagesInLayout(const TensorType& type, const Constant& values,
                                        absl::string_view layout);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_CHANGE_LAYOUT_H_
