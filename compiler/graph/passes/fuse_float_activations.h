// Fuses a float32 function of one operand into the epilogue of the linear op before it.
//
//   %c = conv2d(%x, %w, %b)
//   %y = elu(%c) {alpha=a}
//      ->  %y = conv2d(%x, %w, %b) {activation="elu", activation_alpha=a}
//
// The results are the same to the bit; %c is never stored.
#ifndef COMPILER_GRAPH_PASSES_FUSE_FLOAT_ACTIVATIONS_H_
#define COMPILER_GRAPH_PASSES_FUSE_FLOAT_ACTIVATIONS_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Returns the number of rewrites.
absl::StatusOr<int> FuseFloatActivations(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_FUSE_FLOAT_ACTIVATIONS_H_
