// Replaces an activation that a model spells out with several ops by one op.
//
//   %s = sigmoid(%x)
//   %y = mul(%x, %s)          ->  %y = silu(%x)
//
// Also: x * hard_sigmoid(x) with alpha 1/6, and x * relu6(x + 3) / 6 with the division before or
// after the product, become hard_swish, x * tanh(softplus(x)) becomes mish, and what gelu_pattern.h
// finds gelu. In 8 bits one op is one table, where several would round several times.
#ifndef COMPILER_GRAPH_PASSES_FUSE_ACTIVATIONS_H_
#define COMPILER_GRAPH_PASSES_FUSE_ACTIVATIONS_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Returns the number of rewrites.
absl::StatusOr<int> FuseActivations(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_FUSE_ACTIVATIONS_H_
