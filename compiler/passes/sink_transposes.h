// Moves transposes towards the outputs, where they meet others and cancel.
//
//   %t = transpose(%x) {perm=[0, 3, 1, 2]}        %r = relu(%x)
//   %u = relu(%t)                            ->   %u = transpose(%r) {...}
//
// Crosses elementwise ops (broadcasting operands are permuted the other way
// if that moves no data or they are constant), concat, slice, pad, reductions,
// softmax, and reshapes that split or merge dimensions (a channel shuffle
// stays in NHWC). Afterwards images are in NHWC nearly everywhere, as the
// kernels want them, and the model's own layout is left at its border.
#ifndef COMPILER_PASSES_SINK_TRANSPOSES_H_
#define COMPILER_PASSES_SINK_TRANSPOSES_H_

#include "absl/status/statusor.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// Returns the number of rewrites.
absl::StatusOr<int> SinkTransposes(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_PASSES_SINK_TRANSPOSES_H_
