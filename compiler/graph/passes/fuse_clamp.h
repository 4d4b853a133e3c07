// Fuses relu, relu6 and clip into the op before them.
//
//   %c = conv2d(%x, %w)
//   %y = relu(%c)             ->  %y = conv2d(%x, %w) {min=0.0}
//
// The op's quantizer then covers the clamped range only.
#ifndef COMPILER_GRAPH_PASSES_FUSE_CLAMP_H_
#define COMPILER_GRAPH_PASSES_FUSE_CLAMP_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Fuses one op into the op before it. False, with the graph unchanged, if `op` isn't relu, relu6 or
// clip, if the op before it takes no clamp, or if something else reads that op's result.
bool FuseClampOp(Graph& graph, Op* op);

// Narrows the results of `op` to [min, max]. False, with the op unchanged, if it takes no clamp or
// isn't a float32 op.
bool ClampResults(Op& op, float min, float max);

// Calls FuseClampOp for every op. Returns the number of ops fused.
absl::StatusOr<int> FuseClamp(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_FUSE_CLAMP_H_
