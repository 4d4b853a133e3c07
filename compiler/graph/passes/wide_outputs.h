// Gives the last layers 16 bits where an output leaves the network as float32, instead of rounding
// their results to 8 bits first. Like float_outputs.h, for NPUs that give 16 bits faster than
// float32.
//
//   %c: uint8 = conv2d(%x, %w, %b)         %c: int16 = conv2d(%x, %w, %b)
//   %s: uint8 = sigmoid(%c)                %s: int16 = sigmoid(%c)
//   %k: uint8 = concat(%s, %p)        ->   %q: int16 = requantize(%p)
//   %y: float32 = dequantize(%k)           %k: int16 = concat(%s, %q)
//                                          %y: float32 = dequantize(%k)
//
// A concat whose narrowest part would get less than 4 steps of int16 for one of 8 bits, such as
// boxes of 0 to 640 beside scores, becomes float32, and so does what reads it.
#ifndef COMPILER_GRAPH_PASSES_WIDE_OUTPUTS_H_
#define COMPILER_GRAPH_PASSES_WIDE_OUTPUTS_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Returns the number of rewrites.
absl::StatusOr<int> WideOutputs(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_WIDE_OUTPUTS_H_
