// Balanced rounding of weights: the rounding errors of a kernel cancel in its sums.
#ifndef COMPILER_QUANTIZATION_BALANCED_ROUNDING_H_
#define COMPILER_QUANTIZATION_BALANCED_ROUNDING_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/tensor_type.h"

namespace synap_internal {

// The integers for weights of an integer type with a quantizer. `axis`: the dimension of the output
// channels; weights are [O, KH, KW, I] or [O, I] with axis 0, [1, KH, KW, C] with axis 3.
//
// Neighbouring pixels are alike and activations mostly have one sign, so that of the errors of
// rounding to the nearest integer the part that a kernel's taps, and then a channel's kernels, have
// in common matters most. As many weights as need be take their second nearest integer, those that
// are least worse off first (the first of equals), until the errors of a kernel, and of a channel,
// add up to half a step at most, as far as they can: a form of "SQuant: On-the-Fly Data-Free
// Quantization via Diagonal Hessian Approximation", arXiv:2202.07471. No weight leaves the type's
// range for it.
std::vector<int32_t> BalancedIntegers(absl::Span<const float> weights, const TensorType& type,
                                      int axis);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZATION_BALANCED_ROUNDING_H_
