// prelu: out = x < 0 ? x * slope : x.
//
//   operands   x, slope     output   the shape and type of x
//   attributes none
//
// The slope is broadcast to x as in NumPy: [C] is a slope for each channel.
//
// float32 and uint8 (asymmetric_affine, per tensor), computed as the ops of
// kernels/binary: for uint8, the function of the dequantized values, quantized.
// NaN stays NaN.
//
// Constraints
//   prelu_c1  x is float32 or uint8, slope the same
//   prelu_c2  slope can be broadcast to the shape of x
#ifndef KERNELS_PRELU_PRELU_H_
#define KERNELS_PRELU_PRELU_H_

#include "absl/types/span.h"
#include "kernels/op_def.h"

namespace synap_internal {

absl::Span<const OpDef> PreluOps();

}  // namespace synap_internal

#endif  // KERNELS_PRELU_PRELU_H_
