// relu, relu6 and clip go into the op in front of them.
//
//   %c = conv2d(%x, %w)
//   %y = relu(%c)             ->  %y = conv2d(%x, %w) {min=0.0}
//
// The quantizer then sees the range behind the clamp.
#ifndef COMPILER_PASSES_FUSE_CLAMP_H_
#define COMPILER_PASSES_FUSE_CLAMP_H_

#include "absl/status/statusor.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// Puts one op (relu, relu6 or clip; others are left alone) into the op in front
// of it, and removes it. False if that can't be.
bool FuseClampOp(Graph& graph, Op* op);

// Clamps the results of `op` to [min, max] too; false, and nothing else, if it is no float op that
// can.
bool ClampResults(Op& op, float min, float max);

// All of them. Returns the number of rewrites.
absl::StatusOr<int> FuseClamp(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_PASSES_FUSE_CLAMP_H_
