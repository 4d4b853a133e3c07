// Convolutions and transposed convolutions over images.
#ifndef COMPILER_IMPORT_EMIT_CONVOLUTION_H_
#define COMPILER_IMPORT_EMIT_CONVOLUTION_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/shape.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/op_emitter.h"
#include "compiler/import/emit/window.h"

namespace synap_internal {

// --- Weights [O, C/groups, KH, KW], of a transposed convolution [C, O/groups, KH, KW], or without
// KH

// InvalidArgument unless the input [N,C,...] and the weights have the same rank, 3 or more, and fit
// each other in as many groups.
absl::Status CheckConvolution(const Shape& x, const Shape& weights, int64_t groups,
                              bool transposed);

// The weights in the IR's order: [O, KH, KW, C/groups], or [1, KH, KW, O] if each channel is a
// group of its own. They are named after the model's weights, since other nodes may share them, or
// after `name` if it isn't empty. Unimplemented for more than two spatial dimensions.
Emitted ConvolutionWeights(OpEmitter& emitter, const Emitted& weights, int64_t groups,
                           absl::string_view name = "");
// Likewise of a transposed convolution: [O, KH, KW, C/groups].
Emitted TransposedConvolutionWeights(OpEmitter& emitter, const Emitted& weights, int64_t groups);
// Weights in another order of dimensions, named after the model's weights and `suffix`.
Emitted PermutedWeights(OpEmitter& emitter, const Emitted& weights, std::vector<int64_t> perm,
                        absl::string_view suffix);

// Operands and parameters of a convolution. What takes one says over which dimensions it is, and in
// whose order its weights are.
struct Convolution {
  Emitted x = nullptr;        // [N,C,L], [N,C,H,W] or [N,C,D,H,W]
  Emitted weights = nullptr;  // in the order of the IR or of the model
  Emitted bias = nullptr;     // [O] or null
  Window window = {};         // over the spatial dimensions
  int64_t groups = 1;
  // Of a transposed one: for each spatial dimension; empty: none.
  std::vector<int64_t> output_padding = {};
};

// Window and output padding over lines as those over images of height 1; others unchanged.
Convolution OverImages(Convolution convolution);

// The node's output, [N,O,H,W] or [N,O,L], of a convolution over images or of one that is lifted to
// them. The weights are in the IR's order.
Emitted EmitConvolution(OpEmitter& emitter, const Convolution& convolution);
Emitted EmitTransposedConvolution(OpEmitter& emitter, const Convolution& convolution);

// --- Filters of TensorFlow and TensorFlow Lite, in whatever order of dimensions

// InvalidArgument unless the filter has four dimensions and elements.
absl::Status CheckFilter(const Shape& filter);
// The error of a filter that is for another number of channels than its input `x` has.
absl::Status FilterMismatch(const Shape& filter, const Shape& x);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_CONVOLUTION_H_
