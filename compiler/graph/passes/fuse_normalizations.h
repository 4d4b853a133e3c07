// Fuses the ops of LayerNorm, RMSNorm, InstanceNorm and GroupNorm into one normalization.
//
//   %m = reduce_mean(%x) {axes}        ->  %y = normalization(%x, %s, %b) {axes, epsilon}
//   %d = sub(%x, %m)
//   %q = square(%d)
//   %v = reduce_mean(%q) {axes}
//   %e = add(%v, epsilon)
//   %r = sqrt(%e)
//   %n = div(%d, %r)
//   %t = mul(%n, %s)
//   %y = add(%t, %b)
//
// as exporters and importers write LayerNorm and InstanceNorm; RMSNorm has no %m and %d
// ({center=0}). The reciprocal may be multiplied instead, also with %s first and taken apart, as
// TensorFlow does, x * (r * s) + (b - m * (r * s)), or Keras, x * (r * s) + (-m * (r * s) + b).
// Between %n and %t there may be ops that give groups of channels their own dimension back, as in
// GroupNorm.
//
// In quantized networks it is more than fewer ops: nothing in between is rounded to a quantizer.
#ifndef COMPILER_GRAPH_PASSES_FUSE_NORMALIZATIONS_H_
#define COMPILER_GRAPH_PASSES_FUSE_NORMALIZATIONS_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Of float32, where the op's constraints allow it. Scales and shifts that aren't constant stay ops
// of their own. Means and deviations that others read are computed beside the fused op as well.
// Returns the number of rewrites.
absl::StatusOr<int> FuseNormalizations(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_FUSE_NORMALIZATIONS_H_
