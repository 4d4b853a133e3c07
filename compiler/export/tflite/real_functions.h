// Functions of real numbers that TensorFlow Lite has no operator for, composed of those that it
// has. `x` and the results are float32 of one shape.
#ifndef COMPILER_EXPORT_TFLITE_REAL_FUNCTIONS_H_
#define COMPILER_EXPORT_TFLITE_REAL_FUNCTIONS_H_

#include "compiler/export/tflite/op_context.h"

namespace synap_internal::tflite_export {

// alpha * (e^x - 1) below 0, else x.
Value RealElu(OpContext& context, Value x, float alpha);
// alpha * x + beta, between 0 and 1.
Value RealHardSigmoid(OpContext& context, Value x, float alpha, float beta);
// Within 1.5e-7: formula 7.1.26 of Abramowitz and Stegun, Handbook of Mathematical Functions.
Value RealErf(OpContext& context, Value x);
// log(1 + e^x), without an overflow.
Value RealSoftplus(OpContext& context, Value x);
// x * tanh(softplus(x))
Value RealMish(OpContext& context, Value x);
Value RealReciprocal(OpContext& context, Value x);
Value RealTan(OpContext& context, Value x);
Value RealSinh(OpContext& context, Value x);
Value RealCosh(OpContext& context, Value x);
Value RealAsinh(OpContext& context, Value x);
Value RealAcosh(OpContext& context, Value x);
Value RealAtanh(OpContext& context, Value x);

}  // namespace synap_internal::tflite_export

#endif  // COMPILER_EXPORT_TFLITE_REAL_FUNCTIONS_H_
