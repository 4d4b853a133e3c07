// Folds scales and shifts of channels into the weights and the bias of the linear op before them
// (batch normalization arrives as such a pair).
//
//   %c = conv2d(%x, %w, %b)
//   %m = mul(%c, %s[O])       ->  %a = conv2d(%x, %w * s, %b * s + t)
//   %a = add(%m, %t[O])
#ifndef COMPILER_GRAPH_PASSES_FUSE_SCALE_BIAS_H_
#define COMPILER_GRAPH_PASSES_FUSE_SCALE_BIAS_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Returns the number of rewrites.
absl::StatusOr<int> FuseScaleBias(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_FUSE_SCALE_BIAS_H_
