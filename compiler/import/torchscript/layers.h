// Layers with weights, which quantized modules have too (convolution.cc and matmul.cc), and the
// batch that a layer's operand may lack.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_LAYERS_H_
#define COMPILER_IMPORT_TORCHSCRIPT_LAYERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/torchscript/node_context.h"

namespace synap_internal::torchscript_import {

// An operand with a batch, of 1 if it is `single`: given without one.
struct Batched {
  Tensor* x = nullptr;
  bool single = false;
};
// x, which gets a batch if it has one dimension less than `rank`.
absl::StatusOr<Batched> WithBatch(NodeContext& node, Tensor* x, size_t rank);
// The layer's output y, without a batch if the operand was given so.
Emitted LikeGiven(NodeContext& node, const Batched& operand, const Emitted& y);

// One number for each spatial dimension; `padding` may have those of the ends after those of the
// begins.
struct ConvolutionParameters {
  std::vector<int64_t> stride, padding, dilation, output_padding;
  int64_t groups = 1;
  bool transposed = false;
};

// x [N,C,L], [N,C,H,W] or [N,C,D,H,W], or without N; w [O, C / groups, ...], transposed
// [C, O / groups, ...]; bias [O] or null. The output is named after the node. InvalidArgument for
// operands and parameters that don't fit each other.
Emitted EmitConvolution(NodeContext& node, Tensor* x, Tensor* w, Tensor* bias,
                        const ConvolutionParameters& parameters);

// x [..., K] times the transpose of w [O, K], plus bias [O] or null: [..., O], named
// node.Name(suffix).
Emitted EmitLinear(NodeContext& node, const Emitted& x, Tensor* w, Tensor* bias,
                   absl::string_view suffix);

// beta * x + alpha * y, the node's output, with the numbers of argument `beta_at` and the next one.
// x broadcasts to the shape of y and, where beta is 0, isn't read. InvalidArgument if it doesn't.
Emitted EmitWeightedSum(NodeContext& node, const Emitted& x, const Emitted& y, size_t beta_at);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_LAYERS_H_
