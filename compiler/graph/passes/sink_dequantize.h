// Moves dequantize after the ops that only move values, which then move integers; constants are
// moved at compile time and stay integers.
//
//   %f = dequantize(%q)
//   %y = transpose(%f)        ->  %y = dequantize(transpose(%q))
//
// The results are the same to the bit: these ops give values of their operand in another order.
#ifndef COMPILER_GRAPH_PASSES_SINK_DEQUANTIZE_H_
#define COMPILER_GRAPH_PASSES_SINK_DEQUANTIZE_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// True for ops that do to integers what they do to the real numbers those stand
// for: beside those that move data, max pooling, nearest resizing and padding
// with zeros.
bool MovesIntegers(const Op& op);

// Returns the number of rewrites.
absl::StatusOr<int> SinkDequantize(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_SINK_DEQUANTIZE_H_
