// Fuses a sum of int16 tensors into the epilogue of the linear op before it.
//
//   %c: int16<affine s z> = conv2d(%x, %w, %b)
//   %y: int16 = add(%c, %r) {min=0.0}
//      ->  %y = conv2d(%x, %w, %b, _, %r) {own_scale=s, own_zero_point=z, sum_min=0.0}
//
// The results are the same to the bit; %c is never stored. If both operands come from linear ops,
// the later one takes the sum and moves to the sum's place in the order.
//
// A separate sum of int16 converts operands and results in passes over memory, which is 3 % of
// ResNet-50's time. Sums of float32 and 8 bits stay separate: fused, they made ResNet-50 and
// MobileNetV2 on one thread 0.3 to 5 % slower. The kernels take residuals of all three types.
#ifndef COMPILER_GRAPH_PASSES_FUSE_RESIDUALS_H_
#define COMPILER_GRAPH_PASSES_FUSE_RESIDUALS_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Returns the number of rewrites.
absl::StatusOr<int> FuseResiduals(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_FUSE_RESIDUALS_H_
