// Sums over the weights of a linear op and over their rounding errors.
#ifndef COMPILER_QUANTIZE_ANALYSIS_WEIGHT_SUMS_H_
#define COMPILER_QUANTIZE_ANALYSIS_WEIGHT_SUMS_H_

#include <vector>

#include "absl/types/span.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Means over the op's output channels of sums over the weights that one output element reads.
struct WeightSums {
  double squares = 0;         // of the weights
  double error_squares = 0;   // of their errors
  double squared_errors = 0;  // the square of the sum of errors
};

// `op`: a linear op of the float graph, with constant float32 weights. `stored`: the
// dequantized weights in the same order; empty: they have no errors.
WeightSums SumWeights(const Op& op, absl::Span<const float> stored);

// The values of a constant as real numbers: float32, float16, or quantized as Dequantized takes it;
// empty for others.
std::vector<float> RealValues(const Tensor& constant);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_ANALYSIS_WEIGHT_SUMS_H_
