// depthwise_conv2d: cross-correlation of each channel of an image with its own
// window of weights.
//
//   x       [N, H, W, C]            float32, or uint8 or int16 asymmetric_affine
//   w       [1, KH, KW, C]          as x, or int8 per channel; constant
//   bias    [C], optional           float32; or int32 (with int16 x int64); constant
//   table   [256], optional         uint8 (with uint8 x): the activation; constant
//   residual [N, OH, OW, C], optional   as the output: added after all else
//   output  [N, OH, OW, C]          as x; or int16 with uint8 x and no table
//
//   output[n, r, q, c] = clamp(bias[c] + sum over (kh, kw) of w[0, kh, kw, c] *
//       x[n, r * stride - top + kh * dilation, q * stride - left + kw * dilation, c])
//   where taps in the padding are skipped. OH and OW as in conv2d.h.
//
// Attributes: those of conv2d without groups. Numbers: as conv2d.
//
// depthwise_conv2d_c1: two to five operands; x is [N,H,W,C], w is [1,KH,KW,C], not empty.
// depthwise_conv2d_c2: strides and dilations are in 1..2^20.
// depthwise_conv2d_c3: pads are in 0..2^20.
// depthwise_conv2d_c4: the window fits into the padded image.
// depthwise_conv2d_c5: the bias is [C].
// depthwise_conv2d_c6: data types are those of CheckLinearTypes (kernels/shared/linear/linear.h).
// depthwise_conv2d_c7: the bias's scale is x scale * w scale (each channel's), its zero point 0.
// depthwise_conv2d_c8: min <= max; the table is uint8[256] with a valid quantizer; the activation
//   is known and x float32.
// depthwise_conv2d_c9: w, bias and table are constant; the output's type is as conv2d's.
// depthwise_conv2d_c10: a residual and its attributes are as conv2d's.
#ifndef KERNELS_DEPTHWISE_CONV2D_DEPTHWISE_CONV2D_H_
#define KERNELS_DEPTHWISE_CONV2D_DEPTHWISE_CONV2D_H_

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "kernels/op_def.h"
#include "kernels/shared/linear/linear.h"
#include "kernels/shared/window.h"

namespace synap_internal {

// "depthwise_conv2d"; static storage.
absl::Span<const OpDef> DepthwiseConv2dOps();

// Reference: one element after the other, on one thread. The taps of `window` are
// w's.
void RunDepthwiseReference(const Window& window, const LinearData& data, const Shape& x_shape,
                           const Shape& output_shape, const KernelArgs& args);

// The fast kernel; nullopt if its scratch would pass 16 MiB, for int16 windows of more than
// kPartProducts taps, and for an int16 output of uint8.
absl::optional<Kernel> DepthwiseKernel(const Window& window, LinearData data, const Shape& x_shape,
                                       const Shape& output_shape);

// The fast kernel for uint8 by dot products of bytes; nullopt also if the processor
// has none, or if a weight minus its zero point is 255.
absl::optional<Kernel> DepthwiseQuadKernel(const Window& window, LinearData data,
                                           const Shape& x_shape, const Shape& output_shape);

}  // namespace synap_internal

#endif  // KERNELS_DEPTHWISE_CONV2D_DEPTHWISE_CONV2D_H_
