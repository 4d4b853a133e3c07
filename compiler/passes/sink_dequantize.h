// Moves dequantize behind the ops that only move values, so that these move
// integers; constants are moved at once and keep their integers.
//
//   %f = dequantize(%q)
//   %y = transpose(%f)        ->  %y = dequantize(transpose(%q))
//
// Exact: these ops give values of their operand, in another order.
#ifndef COMPILER_PASSES_SINK_DEQUANTIZE_H_
#define COMPILER_PASSES_SINK_DEQUANTIZE_H_

#include "absl/status/statusor.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// True for ops that do to integers what they do to the real numbers those stand
// for: beside those that move data, max pooling, nearest resizing and padding
// with zeros.
bool MovesIntegers(const Op& op);

// Returns the number of rewrites.
absl::StatusOr<int> SinkDequantize(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_PASSES_SINK_DEQUANTIZE_H_
