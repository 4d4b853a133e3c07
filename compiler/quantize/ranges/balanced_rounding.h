// Balanced rounding of weights: the rounding errors of a kernel cancel in its sums.
#ifndef COMPILER_QUANTIZE_RANGES_BALANCED_ROUNDING_H_
#define COMPILER_QUANTIZE_RANGES_BALANCED_ROUNDING_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/tensor_type.h"

namespace synap_internal {

// The integers for weights of an integer type with a quantizer. `axis`: the dimension of the output
// channels; weights are [O, KH, KW, I] or [O, I] with axis 0, [1, KH, KW, C] with axis 3.
//
// Neighbouring pixels are alike and activations mostly have one sign. Therefore the sum of the
// rounding errors matters most: over a kernel's taps, then over a channel's kernels. Weights are
// moved to their second nearest integer, one by one, until the errors of a kernel, and of a
// channel, add up to half a step at most or no weight is left to move. The weight whose own error
// grows least moves first (the first of equals). This is a form of "SQuant: On-the-Fly Data-Free
// Quantization via Diagonal Hessian Approximation", arXiv:2202.07471. No weight leaves the
// type's range.
//
// REQUIRES: the weights have such a shape; a quantizer of channels has them along `axis`.
std::vector<int32_t> BalancedIntegers(absl::Span<const float> weights, const TensorType& type,
                                      int axis);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_RANGES_BALANCED_ROUNDING_H_
