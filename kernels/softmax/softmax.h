// softmax and log_softmax along one dimension.
//
//   operands   x     output   the shape and data type of x
//   attributes axis (-1): the dimension, counted from the end if negative
//
// float32, for the elements x[k] along the axis:
//   m = max x[k]              (NaN if there is one)
//   e[k] = Exp(x[k] - m)      (base/float_math.h)
//   s = sum e[k]              in the 16 lanes of kernels/virtual_lanes.h
//   softmax: e[k] / s         log_softmax: (x[k] - m) - Log(s)
// uint8 (asymmetric_affine, per tensor): the same of DequantizeValue(x), then
// QuantizeValue.
//
// Constraints
//   softmax_c1  x is float32 or uint8
//   softmax_c2  x has at least one dimension, and axis is one of them
#ifndef KERNELS_SOFTMAX_SOFTMAX_H_
#define KERNELS_SOFTMAX_SOFTMAX_H_

#include <cstdint>

#include "absl/types/span.h"
#include "kernels/op_def.h"

namespace synap {

absl::Span<const OpDef> SoftmaxOps();

namespace softmax {

// One row of n elements, next to each other. x and y may be the same.
using Row = void (*)(const float* x, float* y, int64_t n);

void ReferenceRow(const float* x, float* y, int64_t n);
void ReferenceLogRow(const float* x, float* y, int64_t n);

// The vectorized twin on the best target of this machine.
Row FindRow(bool log);

}  // namespace softmax
}  // namespace synap

#endif  // KERNELS_SOFTMAX_SOFTMAX_H_
