// max_pool2d and avg_pool2d: maximum or mean over a sliding window.
//
//   x       [N, H, W, C]      float32, or uint8 asymmetric_affine
//   output  [N, OH, OW, C]    as x; max: with x's quantizer
//
//   OH = (H + top + bottom - ((kernel - 1) * dilation + 1)) / stride + 1, OW likewise; with
//   ceil_mode rounded up, if the last window then starts inside of the image or
//   the padding before it.
//
// Attributes: kernel[2], strides[2] (1,1), dilations[2] (1,1), pads[4] top,
// left, bottom, right (0), ceil_mode (0); avg: count_include_pad (0).
//
// max: starts from the type's lowest value and takes each tap inside of the image,
// in the order (kh, kw), that is greater than the maximum so far; NaN never is.
// avg: the sum of the taps inside of the image in the same order (float32: plain
// additions from 0; uint8: exact, minus the zero point), divided by their
// number; with count_include_pad by the number of those inside of the padded
// image. uint8: requantized with float(x scale / (output scale * number)).
// A window without a tap inside of the image gives 0 (uint8: the zero point).
//
// pool_c1: one operand of rank 4.
// pool_c2: kernel extents, strides and dilations are in 1..2^20.
// pool_c3: pads are in 0..2^20.
// pool_c4: the window fits into the padded image.
// pool_c5: x is float32, or uint8 asymmetric_affine.
// pool_c6: avg: the window has at most 2^22 taps, so that sums fit 32 bits.
// pool_c7: the output has x's data type; max: its quantizer too.
#ifndef KERNELS_POOL_POOL_H_
#define KERNELS_POOL_POOL_H_

#include <cstdint>

#include "absl/types/span.h"
#include "kernels/op_def.h"
#include "kernels/shared/window.h"

namespace synap_internal {

// "max_pool2d", "avg_pool2d"; static storage.
absl::Span<const OpDef> PoolOps();

struct Pool {
  Window window;  // with its taps
  bool ceil_mode = false;
  bool average = false;
  bool count_include_pad = false;
  Shape x;
  Shape output;
  bool quantized = false;
  QuantParams x_quant;
  QuantParams output_quant;
};

// Reference: one element after the other, on one thread.
void RunPoolReference(const Pool& pool, const void* x, void* output);

// The fast kernel. Needs no scratch.
Kernel PoolKernel(const Pool& pool);

// Number of taps of output position o in [-pad_begin, input + pad_end) with
// `padded`, else in [0, input).
int64_t CountTaps(const WindowAxis& axis, int64_t o, int64_t input, bool padded);

// The multiplier of Requantize for a mean of `count` values.
float AverageMultiplier(const Pool& pool, int64_t count);

}  // namespace synap_internal

#endif  // KERNELS_POOL_POOL_H_
