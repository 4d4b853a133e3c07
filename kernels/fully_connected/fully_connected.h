// fully_connected: a matrix of constant weights applied to the last dimension.
//
//   x       [..., K]                float32, or uint8 or int16 asymmetric_affine
//   w       [O, K]                  as x, or int8 per channel; constant
//   bias    [O], optional           float32; or int32 (with int16 x int64); constant
//   table   [256], optional         uint8 (with uint8 x): the activation; constant
//   residual [..., O], optional     as the output: added after all else
//   output  [..., O]                as x; or int16 with uint8 x and no table
//
//   output[..., o] = clamp(bias[o] + sum over k of w[o, k] * x[..., k])
//
// Attributes: min, max (a clamp in real numbers), table_scale, table_zero_point
// (quantizer of the table's index; required with a table), activation, own_scale,
// own_zero_point, sum_min, sum_max (as conv2d's).
// Numbers: as conv2d.
//
// fully_connected_c1: two to five operands; w is [O,K], not empty, and x's last dimension is K.
// fully_connected_c2: the bias is [O].
// fully_connected_c3: data types are those of CheckLinearTypes (kernels/shared/linear/linear.h).
// fully_connected_c4: the bias's scale is x scale * w scale (each channel's), its zero point 0.
// fully_connected_c5: min <= max; the table is uint8[256] with a valid quantizer; the activation
//   is known and x float32.
// fully_connected_c6: w, bias and table are constant; the output's type is as conv2d's.
// fully_connected_c7: a residual and its attributes are as conv2d's.
#ifndef KERNELS_FULLY_CONNECTED_FULLY_CONNECTED_H_
#define KERNELS_FULLY_CONNECTED_FULLY_CONNECTED_H_

#include "absl/types/span.h"
#include "kernels/op_def.h"
#include "kernels/shared/linear/linear.h"

namespace synap_internal {

// "fully_connected"; static storage.
absl::Span<const OpDef> FullyConnectedOps();

// Reference: x[rows, inputs] to output[rows, outputs], one element after the other,
// on one thread.
void RunFullyConnectedReference(const LinearData& data, int64_t rows, int64_t inputs,
                                int64_t outputs, const KernelArgs& args);

}  // namespace synap_internal

#endif  // KERNELS_FULLY_CONNECTED_FULLY_CONNECTED_H_
