// A sum behind a linear op goes into its epilogue.
//
//   %c: uint8<affine s z> = conv2d(%x, %w, %b)
//   %y: uint8 = add(%c, %r) {min=0.0}
//      ->  %y = conv2d(%x, %w, %b, _, %r) {own_scale=s, own_zero_point=z, sum_min=0.0}
//
// The bits stay the same; %c is never stored. Where both operands come from linear ops, the
// later one takes the sum; it runs where the sum ran.
#ifndef COMPILER_PASSES_FUSE_RESIDUALS_H_
#define COMPILER_PASSES_FUSE_RESIDUALS_H_

#include "absl/status/statusor.h"
#include "compiler/ir/graph.h"

namespace synap {

// Returns the number of rewrites. Leaves float16 alone, where a sum of its own rounds twice.
absl::StatusOr<int> FuseResiduals(Graph& graph);

}  // namespace synap

#endif  // COMPILER_PASSES_FUSE_RESIDUALS_H_
