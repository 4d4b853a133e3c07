// conv_transpose2d: transposed convolution of an image with a window of weights;
// every input pixel adds a window of weights to the output.
//
//   x       [N, H, W, C]                float32, or uint8 or int16 asymmetric_affine
//   w       [O, KH, KW, C / groups]     as x, or int8 per channel; constant
//   bias    [O], optional               float32; or int32 (with int16 x int64); constant
//   output  [N, OH, OW, O]              as x; or int16 with uint8 x
//
//   OH = (H - 1) * stride + (KH - 1) * dilation + 1 - top - bottom + output_padding, OW likewise
//   output[n, r, q, o] = clamp(bias[o] + sum over (kh, kw, ci) of w[o, kh, kw, ci] *
//       x[n, i, j, g * C/groups + ci])
//   over the taps for which i = (r + top - kh * dilation) / stride and
//   j = (q + left - kw * dilation) / stride are integers inside of the image;
//   g is o's group.
//
// Attributes: strides[2] (1,1), dilations[2] (1,1), pads[4] top, left, bottom,
// right (0), output_padding[2] (0,0), groups (1), min, max, activation (as conv2d's).
// Numbers: as conv2d.
//
// conv_transpose2d_c1: two or three operands; x and w have rank 4, no dimension of w is 0.
// conv_transpose2d_c2: groups >= 1 divides C and O, and w's last dimension is C / groups.
// conv_transpose2d_c3: strides and dilations are in 1..2^20.
// conv_transpose2d_c4: pads and output_padding are in 0..2^20.
// conv_transpose2d_c5: the image has pixels and the output has a positive size.
// conv_transpose2d_c6: the bias is [O].
// conv_transpose2d_c7: data types are those of CheckLinearTypes (kernels/shared/linear/linear.h).
// conv_transpose2d_c8: the bias's scale is x scale * w scale (each channel's), its zero point 0.
// conv_transpose2d_c9: min <= max; the activation is known and x float32.
// conv_transpose2d_c10: w and bias are constant; the output's type is as conv2d's.
#ifndef KERNELS_CONV_TRANSPOSE2D_CONV_TRANSPOSE2D_H_
#define KERNELS_CONV_TRANSPOSE2D_CONV_TRANSPOSE2D_H_

#include "absl/types/span.h"
#include "kernels/op_def.h"
#include "kernels/shared/linear/linear.h"
#include "kernels/shared/window.h"

namespace synap_internal {

// "conv_transpose2d"; static storage.
absl::Span<const OpDef> ConvTranspose2dOps();

struct ConvTranspose2dAttributes {
  Window window;  // taps from w
  int64_t output_padding_rows = 0;
  int64_t output_padding_columns = 0;
  int64_t groups = 1;
  FusedActivation activation;  // never a table
};

// Reference: one element after the other, on one thread.
void RunConvTranspose2dReference(const ConvTranspose2dAttributes& attributes,
                                 const LinearData& data, const Shape& x_shape,
                                 const Shape& output_shape, const KernelArgs& args);

}  // namespace synap_internal

#endif  // KERNELS_CONV_TRANSPOSE2D_CONV_TRANSPOSE2D_H_
