// Execution of ops in data types for which they have no kernel of their own.
//
// An op's own kernels take float32 and asymmetric_affine uint8, some also int16
// or any type (OpDef::own_types). Operands of other types are converted to a
// compute type that holds the same numbers:
//   float16              float32; results are rounded half to even
//   int16 (per tensor)   float32: DequantizeValue, and QuantizeValue for results
//   int8 (per tensor)    uint8 with zero point + 128
//   dynamic_fixed_point  asymmetric_affine with zero point 0
// (base/rounding.h has the functions). The ops with weights take int8 weights
// with a scale per channel directly.
#ifndef KERNELS_EMULATED_TYPES_H_
#define KERNELS_EMULATED_TYPES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "base/tensor_type.h"
#include "kernels/op_def.h"

namespace synap_internal {

// The type in which `op` computes an operand or result of `type`; may be `type`.
TensorType ComputeType(const OpDef& op, const TensorType& type);

// op.infer for any data types. Outputs have the operands' original data type,
// and their quantizer for QuantRule::kSameAsInput.
absl::StatusOr<std::vector<TensorType>> InferOp(const OpDef& op, const InferContext& context);

// op.prepare for any data types. The kernel converts operands before each run,
// into Kernel::shared_bytes of memory, and results after it; an elementwise op
// does so part by part (kernels/emulated_parts.h). Constants are converted here.
absl::StatusOr<Kernel> PrepareOp(const OpDef& op, const PrepareContext& context);

}  // namespace synap_internal

#endif  // KERNELS_EMULATED_TYPES_H_
