// Names activations that models spell out.
//
//   %s = sigmoid(%x)
//   %y = mul(%x, %s)          ->  %y = silu(%x)
//
// Also: x * hard_sigmoid(x) with alpha 1/6, and x * relu6(x + 3) / 6 in its
// usual spellings, become hard_swish. One op is one table in 8 bits, where two
// would round twice.
#ifndef COMPILER_PASSES_FUSE_ACTIVATIONS_H_
#define COMPILER_PASSES_FUSE_ACTIVATIONS_H_

#include "absl/status/statusor.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// Returns the number of rewrites.
absl::StatusOr<int> FuseActivations(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_PASSES_FUSE_ACTIVATIONS_H_
