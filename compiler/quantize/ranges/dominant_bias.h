// Linear layers whose bias dominates: the products of input and weights are nearly 0 beside it.
#ifndef COMPILER_QUANTIZE_RANGES_DOMINANT_BIAS_H_
#define COMPILER_QUANTIZE_RANGES_DOMINANT_BIAS_H_

#include <string>

#include "compiler/graph/graph.h"
#include "compiler/quantize/value_range.h"

namespace synap_internal {

// Whether an op has weights and a bias, both constant float32.
bool HasRealBias(const Op& op);

// A warning's sentence about a layer whose largest bias is more than 8192 times the largest product
// of input and weight, "reads 'x', which is 0 in all samples, ..."; empty for other layers. The
// bias determines the weights' scale of such an 8-bit layer: 2^28 steps of int32 over 2^15 steps of
// a product. `input`: the range of operand 0 in the samples. REQUIRES: HasRealBias(op).
std::string DescribeDominantBias(const Op& op, const ValueRange& input);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_RANGES_DOMINANT_BIAS_H_
