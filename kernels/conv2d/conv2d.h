// conv2d: cross-correlation of an image with a window of weights.
//
//   x       [N, H, W, C]                float32, or uint8 or int16 asymmetric_affine
//   w       [O, KH, KW, C / groups]     as x, or int8 per channel; constant
//   bias    [O], optional               float32; or int32 (with int16 x int64); constant
//   table   [256], optional             uint8 (with uint8 x): the activation; constant
//   residual [N, OH, OW, O], optional   as the output: added after all else
//   output  [N, OH, OW, O]              as x; or int16 with uint8 x and no table
//
//   OH = (H + top + bottom - ((KH - 1) * dilation + 1)) / stride + 1, OW likewise
//   output[n, r, q, o] = clamp(bias[o] + sum over (kh, kw, ci) of w[o, kh, kw, ci] *
//       x[n, r * stride - top + kh * dilation, q * stride - left + kw * dilation, g * C/groups +
//       ci])
//   where g is o's group, and taps in the padding are skipped.
//
// Attributes: strides[2] (1,1), dilations[2] (1,1), pads[4] top, left, bottom,
// right (0), groups (1), min, max (a clamp in real numbers), table_scale,
// table_zero_point (quantizer of the table's index; required with a table),
// activation (an op of kernels/unary for the clamped float32 output; that op's
// attributes as activation_alpha and so on); with a residual: own_scale,
// own_zero_point (integers: quantizer of the op's results before the sum),
// sum_min, sum_max (a clamp of the sum).
//
// Float32: one chain of fused multiply-adds in the order (kh, kw, ci), starting
// from the bias or 0. uint8: exact sum of (x - zero point) * (w - zero point),
// + bias (saturated to +-2^30), requantized to the output's quantizer and
// clamped; with a table, requantized to table_scale and table_zero_point and looked
// up. Accumulators have 32 bits, or 64 if a channel's sums could pass 2^30. With an
// int16 output they are requantized to that, so that nothing is rounded to 8 bits.
// int16: the same in 64 bits. With a residual, the result is that of the op add
// (kernels/binary) over the op's own results, rounded to their type, and the
// residual.
//
// conv2d_c1: two to five operands; x and w have rank 4, no dimension of w is 0.
// conv2d_c2: groups >= 1 divides C and O, and w's last dimension is C / groups.
// conv2d_c3: strides and dilations are in 1..2^20.
// conv2d_c4: pads are in 0..2^20.
// conv2d_c5: the window fits into the padded image.
// conv2d_c6: the bias is [O].
// conv2d_c7: data types are those of CheckLinearTypes (kernels/shared/linear/linear.h).
// conv2d_c8: the bias's scale is x scale * w scale (each channel's), its zero point 0.
// conv2d_c9: min <= max; the table is uint8[256] with a valid quantizer; the activation is
//   known and x float32.
// conv2d_c10: w, bias and table are constant; the output has x's data type, or int16 with uint8 x
//   and no table.
// conv2d_c11: a residual has the output's shape and data type, integers a quantizer per tensor and
//   own_scale; without one the sum's attributes are the defaults.
#ifndef KERNELS_CONV2D_CONV2D_H_
#define KERNELS_CONV2D_CONV2D_H_

#include "absl/types/span.h"
#include "kernels/op_def.h"
#include "kernels/shared/linear/linear.h"
#include "kernels/shared/window.h"

namespace synap_internal {

// "conv2d"; static storage.
absl::Span<const OpDef> Conv2dOps();

struct Conv2dAttributes {
  Window window;  // taps from w
  int64_t groups = 1;
  FusedActivation activation;
  FusedSum sum;
};

// Reference: one element after the other, on one thread.
void RunConv2dReference(const Conv2dAttributes& attributes, const LinearData& data,
                        const Shape& x_shape, const Shape& output_shape, const KernelArgs& args);

}  // namespace synap_internal

#endif  // KERNELS_CONV2D_CONV2D_H_
