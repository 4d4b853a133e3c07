// Convolutions over one and two spatial dimensions.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_CONVOLUTION_H_
#define COMPILER_IMPORT_TORCHSCRIPT_CONVOLUTION_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/import/torchscript/node_context.h"

namespace synap_internal::torchscript_import {

// One number for each spatial dimension.
struct ConvolutionParameters {
  std::vector<int64_t> stride, padding, dilation, output_padding;
  int64_t groups = 1;
  bool transposed = false;
};

// x [N,C,H,W] or [N,C,L]; w [O, C / groups, ...], transposed [C, O / groups, ...]; bias [O] or
// null. The output is named after the node. InvalidArgument for operands and parameters that don't
// fit each other.
absl::StatusOr<Tensor*> EmitConvolution(NodeContext& node, Tensor* x, Tensor* w, Tensor* bias,
                                        const ConvolutionParameters& parameters);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_CONVOLUTION_H_
