// Moves transposes towards the outputs, so that pairs of them cancel.
//
//   %t = transpose(%x) {perm=[0, 3, 1, 2]}        %r = relu(%x)
//   %u = relu(%t)                            ->   %u = transpose(%r) {...}
//
// Transposes move past elementwise ops (an operand that broadcasts is permuted the other way if it
// is constant or keeps the order of its elements), concat, slice, pad, reductions, softmax, and
// reshapes that split or merge dimensions (a channel shuffle stays in NHWC). Afterwards nearly all
// images are in NHWC, the kernels' layout, and the model's own layout is left at its inputs and
// outputs only.
#ifndef COMPILER_GRAPH_PASSES_SINK_TRANSPOSES_H_
#define COMPILER_GRAPH_PASSES_SINK_TRANSPOSES_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Returns the number of rewrites.
absl::StatusOr<int> SinkTransposes(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_SINK_TRANSPOSES_H_
