// Moves padding of images into the layer after it: of zeros into a convolution, of -inf or the
// lowest float, as TensorFlow-like "same" pooling has them, into max pooling.
//
//   %p = pad(%x) {pads=[0, 1, 2, 0, 0, 3, 4, 0]}
//   %y = conv2d(%p, %w)       ->  %y = conv2d(%x, %w) {pads=[1, 2, 3, 4]}
//
// A pool whose window would lie in the padding alone, where it would give 0, keeps its pad.
#ifndef COMPILER_GRAPH_PASSES_FOLD_PADS_H_
#define COMPILER_GRAPH_PASSES_FOLD_PADS_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Returns the number of rewrites.
absl::StatusOr<int> FoldPads(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_FOLD_PADS_H_
