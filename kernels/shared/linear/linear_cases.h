// Test cases of the ops with weights: operands with random data.
#ifndef KERNELS_SHARED_LINEAR_LINEAR_CASES_H_
#define KERNELS_SHARED_LINEAR_LINEAR_CASES_H_

#include <cstdint>
#include <string>

#include "kernels/testing/conformance.h"

namespace synap_internal {

// Shapes of one case; channels is the bias's length, 0 for none.
struct LinearShapes {
  Shape x;
  Shape w;
  int64_t channels = 0;
  int64_t reduction = 1;  // products that an output sums up, for a fitting scale
};

OpCase FloatLinearCase(const LinearShapes& shapes, Attributes attributes, TestRandom& random);

struct LinearQuantizers {
  int32_t x_zero_point = 128;
  int32_t w_zero_point = 128;
  int32_t output_zero_point = 128;
  float gain = 1;  // large: most outputs saturate
  bool table = false;
  bool widens = false;  // the output of uint8 operands is int16
  // The dimension of w that counts output channels: w is int8, with a scale for
  // each of them. -1: uint8 with one scale.
  int32_t w_channels = -1;
};

// uint8 x and w over their whole range, a bias about as large as the sums.
OpCase Uint8LinearCase(const LinearShapes& shapes, Attributes attributes,
                       const LinearQuantizers& quantizers, TestRandom& random);

// int16 x and w over their whole range, a bias about as large as the sums, and
// clamped to three quarters of the range now and then. quantizers.w_channels >= 0:
// w is int8, with a scale for each output channel. w_zero_point, table and widens
// are ignored.
OpCase Int16LinearCase(const LinearShapes& shapes, Attributes attributes,
                       const LinearQuantizers& quantizers, TestRandom& random);

// Checks sums of int16 at the limits of 32 bits and beyond them, with and without a zero point of
// x. x is as large as the window, so that each of the `channels` has one output.
void CheckInt16Limits(const OpDef& op, const Shape& x, const Shape& w, int64_t channels);

// Random quantizers: zero points 0, 255 and between, with and without a
// table, one in four of those without one with an int16 output, from unsaturated
// to saturated outputs, one in three with a scale for each of w's channels, which
// dimension `w_channels` counts.
LinearQuantizers RandomQuantizers(TestRandom& random, int32_t w_channels);

// The case with a random residual (floats with a NaN and infinities, integers over
// their whole range) and, now and then, a clamp of the sum; in `op_case` the outputs
// have the op's own quantizer. Checks its conformance, and that it gives the bits of
// `op` and then `add`.
void CheckResidual(const OpDef& op, const OpCase& op_case, TestRandom& random);

}  // namespace synap_internal

#endif  // KERNELS_SHARED_LINEAR_LINEAR_CASES_H_
