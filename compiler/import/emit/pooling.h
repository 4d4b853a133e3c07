// Pooling over whole images and over windows of unequal size.
#ifndef COMPILER_IMPORT_EMIT_POOLING_H_
#define COMPILER_IMPORT_EMIT_POOLING_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/emit/op_emitter.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// Each channel of x, [N,C,H,W] or [N,C,L], reduced to one value by `op` ("reduce_mean"): the
// node's output, [N,C,1,1] or [N,C,1].
absl::StatusOr<Tensor*> EmitGlobalPool(OpEmitter& emitter, absl::string_view op, Tensor* x);

// Means of x, [N,C,H,W] or [N,C,L], over out = {height, width} windows, of which window i covers
// elements floor(i * in / out) to ceil((i + 1) * in / out) of a dimension: the node's output.
// ResourceExhausted if the matrices that compute it are too large.
absl::StatusOr<Tensor*> EmitAdaptiveMean(OpEmitter& emitter, Tensor* x,
                                         const std::vector<int64_t>& out);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_POOLING_H_
