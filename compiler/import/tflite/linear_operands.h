// Weights and biases of the operators that have them.
#ifndef COMPILER_IMPORT_TFLITE_LINEAR_OPERANDS_H_
#define COMPILER_IMPORT_TFLITE_LINEAR_OPERANDS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "compiler/import/tflite/operator_context.h"

namespace synap_internal::tflite_import {

// Constant weights as an op reads them beside `x`: as they are or, beside a
// float x, dequantized. Unimplemented if they are computed.
absl::StatusOr<Tensor*> Weights(OperatorContext& op, Tensor* weights, const Tensor* x);

// x, w and, if operand `bias` is there, the bias: float32, or int32 with the
// scale that x and w give it.
absl::StatusOr<std::vector<Tensor*>> LinearOperands(OperatorContext& op, Tensor* x, Tensor* w,
                                                    size_t bias);

}  // namespace synap_internal::tflite_import

#endif  // COMPILER_IMPORT_TFLITE_LINEAR_OPERANDS_H_
