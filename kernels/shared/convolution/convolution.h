// Fast kernel that conv2d, conv_transpose2d and fully_connected share.
//
// A Convolution maps each tap of each output position to an input position; the
// ops differ only in that mapping. Float32 accumulates one chain of fused
// multiply-adds over (tap row, tap column, input channel) from the bias on and
// skips taps outside of the input; integers accumulate exactly. Results have the
// same bits as the ops' reference loops.
//
// Float32 reads the input in place. uint8 copies the part of the input that a
// task needs to the worker's scratch, so that there are no borders:
//   - as bytes, padded with the zero point, if the machine has an exact dot
//     product of bytes (vpdpbusd, usmmla, usdot, sdot). Sums over the input then correct
//     for the weights' zero point. A 1x1 window without borders over whole groups
//     of four channels needs no copy. Processors with matrix registers
//     (AMX) take the same weights there, 16 pixels and 16 outputs at a time;
//   - otherwise, and for few channels, widened to int16 minus the zero point, for
//     the dot product of int16 (vpdpwssd, vpmaddwd).
// int16 is multiplied in the same way where the weights are so small, as those of 8
// bits mostly are, that no sum passes 32 bits. Else it is multiplied with the weights'
// low and high bytes separately, which keeps partial sums within 32 bits, as is uint8
// if sums may pass 2^30.
#ifndef KERNELS_SHARED_CONVOLUTION_CONVOLUTION_H_
#define KERNELS_SHARED_CONVOLUTION_CONVOLUTION_H_

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "kernels/op_def.h"
#include "kernels/shared/linear/linear.h"

namespace synap_internal {

// Output position o in [0, count) reads input positions
//   in_begin + o * in_step + t * tap_step,  t in [0, taps)
// and is stored at out_begin + o * out_step. Tap t is the kernel's element
// kernel_begin + t * kernel_step.
struct ConvolutionAxis {
  int64_t count = 1;
  int64_t in_begin = 0;
  int64_t in_step = 1;
  int64_t out_begin = 0;
  int64_t out_step = 1;
  int64_t taps = 1;
  int64_t tap_step = 1;  // may be negative
  int64_t kernel_begin = 0;
  int64_t kernel_step = 1;

  int64_t Position(int64_t o, int64_t t) const { return in_begin + o * in_step + t * tap_step; }
};

// Dense tensors: x[batch, in_height, in_width, in_channels],
// weights[out_channels, kernel_height, kernel_width, in_channels / groups],
// output[batch, out_height, out_width, out_channels].
struct Convolution {
  int64_t batch = 1;
  int64_t in_height = 1;
  int64_t in_width = 1;
  int64_t in_channels = 1;
  int64_t out_height = 1;
  int64_t out_width = 1;
  int64_t out_channels = 1;
  int64_t groups = 1;
  int64_t kernel_height = 1;
  int64_t kernel_width = 1;
  ConvolutionAxis rows;
  ConvolutionAxis columns;

  int64_t group_inputs() const { return in_channels / groups; }
  int64_t group_outputs() const { return out_channels / groups; }
};

// The fast kernel that computes `parts` in order; together they write every
// element of the output once. Each part may use the whole pool. Nullopt if the
// tensors exceed the fast loops' limits (scratch of more than 16 MiB for the taps
// of eight outputs, int16 sums of more than kMaxWideProducts products): use the reference
// then.
absl::optional<Kernel> ConvolutionKernel(const std::vector<Convolution>& parts, LinearData data);

}  // namespace synap_internal

#endif  // KERNELS_SHARED_CONVOLUTION_CONVOLUTION_H_
