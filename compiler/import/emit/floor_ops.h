// Division with rounding down, as Python has it.
#ifndef COMPILER_IMPORT_EMIT_FLOOR_OPS_H_
#define COMPILER_IMPORT_EMIT_FLOOR_OPS_H_

#include "absl/status/statusor.h"
#include "compiler/import/emit/op_emitter.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// floor(a / b), the node's output. a and b have one type, float32 or an integer's.
absl::StatusOr<Tensor*> EmitFloorDiv(OpEmitter& emitter, Tensor* a, Tensor* b);

// a - floor(a / b) * b, likewise.
absl::StatusOr<Tensor*> EmitFloorMod(OpEmitter& emitter, Tensor* a, Tensor* b);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_FLOOR_OPS_H_
