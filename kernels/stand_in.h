// Ops over the data types that they don't compute in themselves.
//
// An op's own kernels know float32 and asymmetric_affine uint8, some also int16
// or any type (OpDef::own_types). For the rest another type stands in, which
// holds the same numbers:
//   float16              float32; results are rounded half to even
//   int16 (per tensor)   float32: DequantizeValue, and QuantizeValue for results
//   int8 (per tensor)    uint8 with zero point + 128
//   dynamic_fixed_point  asymmetric_affine with zero point 0
// (base/rounding.h has the functions). int8 weights with a scale per channel are
// what the ops with weights take as they are.
#ifndef KERNELS_STAND_IN_H_
#define KERNELS_STAND_IN_H_

#include <vector>

#include "absl/status/statusor.h"
#include "base/tensor_type.h"
#include "kernels/op_def.h"

namespace synap {

// The type that stands in for an operand or result of `op`, or `type` itself.
TensorType StandIn(const OpDef& op, const TensorType& type);

// op.infer for any data types. Where another type stood in, outputs have the
// operands' data type again, and their quantizer for QuantRule::kSameAsInput.
absl::StatusOr<std::vector<TensorType>> InferOp(const OpDef& op, const InferContext& context);

// op.prepare for any data types. The kernel converts operands to
// Kernel::shared_bytes of memory on the way in, and results on the way out;
// constants are converted here.
absl::StatusOr<Kernel> PrepareOp(const OpDef& op, const PrepareContext& context);

}  // namespace synap

#endif  // KERNELS_STAND_IN_H_
