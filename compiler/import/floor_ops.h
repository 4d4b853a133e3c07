// Division with rounding down, as Python has it.
#ifndef COMPILER_IMPORT_FLOOR_OPS_H_
#define COMPILER_IMPORT_FLOOR_OPS_H_

#include "absl/status/statusor.h"
#include "compiler/import/op_emitter.h"
#include "compiler/ir/graph.h"

namespace synap {

// floor(a / b), the node's output. a and b have one type, float32 or an integer's.
absl::StatusOr<Tensor*> EmitFloorDiv(OpEmitter& emitter, Tensor* a, Tensor* b);

// a - floor(a / b) * b, likewise.
absl::StatusOr<Tensor*> EmitFloorMod(OpEmitter& emitter, Tensor* a, Tensor* b);

}  // namespace synap

#endif  // COMPILER_IMPORT_FLOOR_OPS_H_
