// Runs the last layers in float32 where an output leaves the network as float32, instead of
// rounding their results to 8 bits first.
//
//   %c: uint8 = conv2d(%x, %w, %b)         %f: float32 = dequantize(%x)
//   %s: uint8 = sigmoid(%c)                %c: float32 = conv2d(%f, w, b as float32)
//   %k: uint8 = concat(%s, %p)        ->   %s: float32 = sigmoid(%c)
//   %y: float32 = dequantize(%k)           %q: float32 = dequantize(%p)
//                                          %y: float32 = concat(%s, %q)
//
// The last linear ops still read 8-bit values; only their sums aren't rounded. Detectors gain most:
// boxes, scores and landmarks would share one scale. After the last linear ops, elementwise ops,
// softmax, concat and ops that move data become float32 too, unless something else reads a tensor
// in between.
#ifndef COMPILER_GRAPH_PASSES_FLOAT_OUTPUTS_H_
#define COMPILER_GRAPH_PASSES_FLOAT_OUTPUTS_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Returns the number of rewrites.
absl::StatusOr<int> FloatOutputs(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_FLOAT_OUTPUTS_H_
