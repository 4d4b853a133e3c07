// A sum of int16 behind a linear op goes into its epilogue.
//
//   %c: int16<affine s z> = conv2d(%x, %w, %b)
//   %y: int16 = add(%c, %r) {min=0.0}
//      ->  %y = conv2d(%x, %w, %b, _, %r) {own_scale=s, own_zero_point=z, sum_min=0.0}
//
// The bits stay the same; %c is never stored. Where both operands come from linear ops, the
// later one takes the sum; it runs where the sum ran.
//
// Sums of int16 convert their operands and results in passes of their own, and cost 3 % of
// ResNet-50. Those of float32 and 8 bits stay: in the epilogue, even in registers, they made
// ResNet-50 and MobileNetV2 on one thread between 0.3 and 5 % slower. The kernels take residuals
// of all three types: which of them pays is a matter of the machine.
#ifndef COMPILER_PASSES_FUSE_RESIDUALS_H_
#define COMPILER_PASSES_FUSE_RESIDUALS_H_

#include "absl/status/statusor.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// Returns the number of rewrites.
absl::StatusOr<int> FuseResiduals(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_PASSES_FUSE_RESIDUALS_H_
