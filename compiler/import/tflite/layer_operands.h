// Weights, bias and padding of a layer, as its operator has them.
#ifndef COMPILER_IMPORT_TFLITE_LAYER_OPERANDS_H_
#define COMPILER_IMPORT_TFLITE_LAYER_OPERANDS_H_

#include <cstddef>

#include "absl/status/status.h"
#include "base/shape.h"
#include "compiler/import/emit/window.h"
#include "compiler/import/tflite/operator_context.h"

namespace synap_internal::tflite_import {

// Constant weights as an op reads them beside `x`: as they are or, beside a
// float x, dequantized. Unimplemented if they are computed.
Emitted Weights(OperatorContext& op, Tensor* weights, const Tensor* x);

// x, w and, if operand `bias` is there, the bias: float32, or int32 with the
// scale that x and w give it.
OpInputs LinearOperands(OperatorContext& op, Tensor* x, const Emitted& w, size_t bias);

// Checks the window and sets its pads. `x`: the images [N,H,W,C] that it moves over.
absl::Status Pad(const Shape& x, tflite::Padding padding, Window& window);

}  // namespace synap_internal::tflite_import

#endif  // COMPILER_IMPORT_TFLITE_LAYER_OPERANDS_H_
