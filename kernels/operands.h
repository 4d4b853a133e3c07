// Check of an op's operands against its OpDef.
#ifndef KERNELS_OPERANDS_H_
#define KERNELS_OPERANDS_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/tensor_type.h"
#include "kernels/op_def.h"

namespace synap_internal {

// InvalidArgument unless `op` takes this many operands and all that it requires are present:
// "has 1 operand, expected 2 to 5", "operand 1 is absent". InferOp (kernels/emulated_types.h) calls
// it, so that an op's own infer may read its required operands.
absl::Status CheckOperands(const OpDef& op, absl::Span<const TensorType> operands);

}  // namespace synap_internal

#endif  // KERNELS_OPERANDS_H_
